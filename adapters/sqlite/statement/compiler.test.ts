import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { bind, slot, template } from './compiler.ts'

it('numbers the slots, so that one that occurs in several places is bound once', () => {
  const made = template(
    sql`select ${slot('a')}, ${slot('b')} from t where x = ${slot('a')} limit +${slot('c')}`,
  )
  expect(made).toEqual({ sql: 'select ?1, ?2 from t where x = ?1 limit +?3', slots: ['a', 'b', 'c'] })
  expect(bind(made, { c: 3, b: null, a: 'one' }).parameters).toEqual(['one', null, 3])
})

it('writes statements on one line, and leaves texts and names as they are', () => {
  const made = template(sql`
    select 'it''s  two\n lines', "odd  name"
      from ${sql.id('t')}
  `)
  expect(made.sql).toBe(`select 'it''s  two\n lines', "odd  name" from "t"`)
})

it('takes no values, which would be frozen into the template', () => {
  expect(() => template(sql`select ${1}`)).toThrow(TypeError)
  expect(template(sql`select ${sql.lit('one')}`).sql).toBe("select 'one'")
})

it('leaves no slot without a value, and no lone surrogate in a text', () => {
  const made = template(sql`select ${slot('a')}`)
  expect(() => bind(made, {})).toThrow('No value for a: select ?1')
  expect(bind(made, { a: 'x\ud800' }).parameters).toEqual(['x\ufffd'])
})
