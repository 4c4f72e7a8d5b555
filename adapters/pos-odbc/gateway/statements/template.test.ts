import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { bind, slot } from '../../../sql/statement.ts'
import { FAMILIES } from '../families/index.ts'
import { DIALECTS } from './dialect.ts'
import { oneStatement, pageStatement } from './page.ts'
import { compiledOnce, db } from './template.ts'

const byId = () => db.selectFrom('pos_sale').select('site_no').where('sale_no', '=', slot('id'))

it('compiles a shape once for each dialect, with the parameters of ODBC', () => {
  let built = 0
  const build = () => {
    built += 1
    return byId()
  }
  const texts = [DIALECTS.postgresql, DIALECTS.sqlite].map((dialect) =>
    ['one', 'two'].map((id) => bind(compiledOnce(dialect, 'template.test by id', build), { id })),
  )
  expect(built).toBe(2)
  const [postgresql, sqlite] = [
    'select "site_no" from "pos_sale" where "sale_no" = ?',
    'select `site_no` from `pos_sale` where `sale_no` = ?',
  ]
  expect(texts).toEqual(
    [postgresql, sqlite].map((text) => [
      { sql: text, parameters: ['one'] },
      { sql: text, parameters: ['two'] },
    ]),
  )
})

it('takes no value, which would be frozen into the text', () => {
  const withValue = () => byId().where(sql<boolean>`site_no = ${'s1'}`)
  expect(() => compiledOnce(DIALECTS.sqlite, 'template.test value', withValue)).toThrow(TypeError)
})

it('has a text that depends on no value', () => {
  for (const dialect of Object.values(DIALECTS)) {
    const scope = (tenant: string) => ({ family: FAMILIES.odbc_shared, dialect, tenant })
    const page = (value: string, limit: number) =>
      pageStatement(scope(value), 'pos-customers', 'valued', {
        filters: { email: value, active: value === 'a' },
        after: { value: '2026-01-01T00:00:00.000Z', id: value },
        limit,
      })
    const odd = `'"\`?; drop table pos_sale --`
    expect(page(odd, 2).sql).toBe(page('a', 1).sql)
    expect(page(odd, 2).sql).not.toContain('drop')
    expect(page(odd, 2).parameters).toHaveLength([...page('a', 1).sql.matchAll(/\?/g)].length)
  }
})

it('fails where a column is missing, also on a SQLite that takes names in double quotes for texts', () => {
  const database = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true })
  database.exec('create table Guest (GuestId text); insert into Guest values (1)')
  expect(database.prepare('select "Email" from Guest').get()).toEqual({ '"Email"': 'Email' })
  const scope = { family: FAMILIES.odbc_second, dialect: DIALECTS.sqlite, tenant: 'a' }
  const { sql: text } = oneStatement(scope, 'pos-customers', '1')
  expect(() => database.prepare(text)).toThrow('no such column: FirstName')
})
