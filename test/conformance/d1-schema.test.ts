import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnName, columnOf, sideTableName, tableName, tableOf } from '../../adapters/d1/tables.ts'
import { endpoints } from '../../domain/contract/catalog.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resources } from '../../domain/resources/index.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openLocalD1 } from '../support/d1.ts'

const COLUMN_TYPES = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  boolean: 'INTEGER',
  json: 'TEXT',
} as const

/** Indexes that may span organizations: they find one row by an id that is unique across the service. */
const SERVICE_WIDE_INDEXES = new Set(['forms_form_id'])

let databases: LocalD1
let database: D1Database

async function rowsOf(sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await database.prepare(sql).all()).results
}

beforeAll(async () => {
  databases = await openLocalD1()
  database = await databases.next()
})
afterAll(() => databases.dispose())

describe.each(resources.map((resource) => [tableName(resource.collection), resource] as const))(
  '%s',
  (table, resource) => {
    test('has exactly the stored fields as its columns, keyed by organization and id', async () => {
      const columns = await rowsOf(`pragma table_info(${table})`)
      const described = columns.map(({ name, type, notnull, pk }) => [name, type, notnull === 1, pk])
      const expected = storedFields(resource).map(([name, { field }]) => [
        columnName(name),
        COLUMN_TYPES[field.storage],
        !field.nullable,
        resource.key.includes(name) ? resource.key.indexOf(name) + 2 : 0,
      ])
      const byName = (left: readonly unknown[], right: readonly unknown[]) =>
        String(left[0]) < String(right[0]) ? -1 : 1
      expect(described.sort(byName)).toEqual([['organization_id', 'TEXT', true, 1], ...expected].sort(byName))
    })

    test('is strict, and its indexes start with the organization and are named after their columns', async () => {
      const [description] = await rowsOf(`pragma table_list(${table})`)
      expect(description?.strict).toBe(1)
      const indexes = await rowsOf(`pragma index_list(${table})`)
      expect(indexes.length).toBeGreaterThan(1)
      for (const { name, origin, unique } of indexes) {
        if (origin !== 'c' || SERVICE_WIDE_INDEXES.has(String(name))) continue
        const columns = (await rowsOf(`pragma index_info(${String(name)})`)).map((column) =>
          String(column.name),
        )
        if (unique === 1) {
          // The other key by which a row is found: nothing orders it.
          const key = columnName(resource.alternateKey ?? 'none')
          expect([columns, name]).toEqual([['organization_id', key], `${table}_${key}`])
          continue
        }
        const narrowing = columns.slice(1, -1)
        expect([columns[0], columns.at(-1), name]).toEqual([
          'organization_id',
          columnName(resource.idField),
          [table, ...narrowing].join('_'),
        ])
      }
    })
  },
)

/** Every list that some collection is filtered by, with the times that order its pages. */
const filteredLists = endpoints.flatMap((endpoint) => {
  if (endpoint.kind !== 'collection') return []
  const lists = Object.values(endpoint.filters).filter(({ operator }) => operator === 'contains')
  const orders = [endpoint.order, ...(endpoint.syncOrder === null ? [] : [endpoint.syncOrder])].map(
    (order) => order.field,
  )
  return lists.map(({ field }) => ({
    table: tableOf(endpoint.resource.collection),
    field,
    orders: [...new Set([...orders, ...endpoint.sorts])],
  }))
})

test.each(filteredLists.map((list) => [sideTableName(list.table, list.field), list] as const))(
  '%s has a row for each value, and an index for each order of the pages',
  async (side, { table, field, orders }) => {
    expect(columnOf(table, field).storage).toBe('json')
    const columns = await rowsOf(`pragma table_info(${side})`)
    expect(columns.map(({ name, notnull }) => [name, notnull])).toEqual([
      ...['organization_id', 'value', table.idColumn].map((name) => [name, 1]),
      ...orders.map((order) => [columnName(order), columnOf(table, order).nullable ? 0 : 1]),
    ])
    const [description] = await rowsOf(`pragma table_list(${side})`)
    expect(description?.strict).toBe(1)
    for (const order of orders.map(columnName)) {
      const indexed = await rowsOf(`pragma index_info(${side}_value_${order})`)
      expect(indexed.map(({ name }) => name)).toEqual(['organization_id', 'value', order, table.idColumn])
    }
  },
)
