import { expect, test } from 'vitest'
import { actualSchema, migratedDatabase } from '../schema/actual.ts'
import { serviceTables, serviceViews } from './database.ts'

const database = migratedDatabase()
const schema = actualSchema((sql) => database.prepare(sql).all())

/** The columns that a table of the migrations has, as a declaration says them. */
function columnsOf(table: string) {
  const columns = schema.tables.find(({ name }) => name === table)?.columns ?? []
  return columns.map(({ name, type, notNull, byDefault }) => {
    // SQLite numbers the rows by such a column, so that an insert may leave it out.
    const isNumber = name === 'seq'
    return [name, { type, notNull: notNull || isNumber, hasDefault: byDefault !== null || isNumber }]
  })
}

test.each(Object.entries(serviceTables))('the migrations make %s as it is declared', (table, declared) => {
  expect(columnsOf(table)).toEqual(Object.entries(declared))
})

test.each(Object.entries(serviceViews))('the view %s has the columns that are declared', (view, declared) => {
  const columns = database.prepare(`PRAGMA table_info(${view})`).all()
  expect(columns.map(({ name }) => name)).toEqual(Object.keys(declared))
})
