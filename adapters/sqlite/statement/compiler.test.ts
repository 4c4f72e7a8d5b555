import { sql } from 'kysely'
import { expect, it, test } from 'vitest'
import { bind, slot, template, jsonChunks } from './compiler.ts'
import { utf8 } from '../../../domain/text/encoding.ts'

it('numbers the slots, so that one that occurs in several places is bound once', () => {
  const made = template(
    sql`select ${slot('a')}, ${slot('b')} from t where x = ${slot('a')} limit +${slot('c')}`,
  )
  expect(made.sql).toBe('select ?1, ?2 from t where x = ?1 limit +?3')
  expect(made.slots).toEqual(['a', 'b', 'c'])
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
  expect(() => template(sql`select ${1}`).sql).toThrow(TypeError)
  expect(template(sql`select ${sql.lit('one')}`).sql).toBe("select 'one'")
})

it('leaves no slot without a value, and no lone surrogate in a text', () => {
  const made = template(sql`select ${slot('a')}`)
  expect(() => bind(made, {})).toThrow('No value for a: select ?1')
  expect(bind(made, { a: 'x\ud800' }).parameters).toEqual(['x\ufffd'])
})

it('is built when it is first needed, and once', () => {
  let built = 0
  const made = template(() => {
    built += 1
    return sql`select ${slot('a')}`
  })
  expect(built).toBe(0)
  expect([bind(made, { a: 1 }), bind(made, { a: 2 })]).toEqual([
    { sql: 'select ?1', parameters: [1] },
    { sql: 'select ?1', parameters: [2] },
  ])
  expect(built).toBe(1)
})

test('no chunk is larger than a parameter may be, and nothing is lost or reordered', () => {
  const values = Array.from({ length: 50 }, (_, index) => [index, '日'.repeat(30_000)])
  const chunks = jsonChunks(values)
  expect(chunks.length).toBeGreaterThan(1)
  for (const chunk of chunks) expect(utf8(chunk).length).toBeLessThan(1_000_000)
  expect(chunks.flatMap((chunk) => JSON.parse(chunk) as unknown[])).toEqual(values)
})

test('a value larger than a chunk travels alone', () => {
  const large = 'x'.repeat(1_200_000)
  expect(jsonChunks(['a', large, 'b'])).toEqual(['["a"]', JSON.stringify([large]), '["b"]'])
})

test('nothing needs no chunk', () => {
  expect(jsonChunks([])).toEqual([])
})
