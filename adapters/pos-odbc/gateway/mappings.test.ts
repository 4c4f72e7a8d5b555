import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventLists } from '../../../domain/pos/index.ts'
import { COLLECTIONS, SOURCE_KINDS, type CollectionName } from '../protocol.ts'
import { MAPPINGS, hasOwnDatabases } from './mappings.ts'
import { TABLES, type Tables } from './tables.ts'

const names = Object.keys(COLLECTIONS) as CollectionName[]

describe.each(SOURCE_KINDS)('%s', (kind) => {
  it.each(names)('%s: records every published field, and each that a filter compares', (name) => {
    const { fields, lists, compared } = MAPPINGS[kind].collections[name]
    const { resource, filters } = COLLECTIONS[name]
    expect([...Object.keys(fields), ...Object.keys(lists)].sort()).toEqual(
      Object.keys(resource.fields).sort(),
    )
    const hidden = Object.values(filters).filter(({ field }) => !(field in resource.fields))
    expect(hidden.map(({ field }) => field)).toEqual(Object.keys(compared))
  })

  it('records every field of the events of an account', () => {
    const { lists } = MAPPINGS[kind].collections['pos-recurring-account-details']
    for (const [list, { fields }] of eventLists) {
      expect(Object.keys(lists[list]?.fields ?? {})).toEqual(Object.keys(fields))
    }
  })

  it('is the mapping of its kind', () => {
    expect(MAPPINGS[kind].kind).toBe(kind)
    expect(hasOwnDatabases(kind)).toBe(MAPPINGS[kind].tenantColumn === null)
  })
})

/** The words of the schema for what a column holds. On SQLite instants and decimals are text. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  postgresql: { text: 'text', instant: 'timestamp(3)', decimal: 'numeric', integer: 'integer' },
  sqlite: { text: 'text', instant: 'text', decimal: 'text', integer: 'integer' },
}

const schemas = Object.values(MAPPINGS).flatMap(({ kind, dialects }) =>
  dialects.map((dialect) => ({ kind, dialect, file: `${kind.replace('_', '-')}.${dialect}.sql` })),
)

/** The lines of a schema that declare columns, by the tables in which they are. */
function columnsIn(file: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const text = readFileSync(new URL(`../schema/${file}`, import.meta.url), 'utf8')
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
