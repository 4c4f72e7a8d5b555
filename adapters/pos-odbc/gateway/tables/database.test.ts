import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FAMILIES } from '../families/index.ts'
import type { Tables } from './column.ts'
import { TABLES } from './database.ts'

/** The words of the schema for what a column holds. On SQLite instants and decimals are text. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  postgresql: { text: 'text', instant: 'timestamp(3)', decimal: 'numeric', integer: 'integer' },
  sqlite: { text: 'text', instant: 'text', decimal: 'text', integer: 'integer' },
}

const schemas = Object.values(FAMILIES).flatMap(({ kind, dialects }) =>
  dialects.map((dialect) => ({ kind, dialect, file: `${kind.replace('_', '-')}.${dialect}.sql` })),
)

/** The lines of a schema that declare columns, by the tables in which they are. */
function columnsIn(file: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const text = readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8')
  const tables = [...text.matchAll(/^create table (\w+) \($(.*?)^\);$/gms)]
  const column = /^ {2}(\w+) (text|integer|numeric|timestamp\(3\))/gm
  return Object.fromEntries(
    tables.map(([, name = '', body = '']) => [
      name,
      Object.fromEntries([...body.matchAll(column)].map(([, each = '', type = '']) => [each, type])),
    ]),
  )
}

it.each(schemas)('$file creates the tables that are declared, and no other', ({ kind, dialect, file }) => {
  const tables: Tables = TABLES[kind]
  const declared = Object.entries(tables).map(([table, columns]) => [
    table,
    Object.fromEntries(
      Object.entries(columns).flatMap(([type, names]) =>
        names.split(' ').map((name) => [name, WRITTEN[dialect]?.[type]]),
      ),
    ),
  ])
  expect(columnsIn(file)).toEqual(Object.fromEntries(declared))
})

it('has schemas', () => {
  expect(schemas).toHaveLength(3)
})
