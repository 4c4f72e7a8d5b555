import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test as vitestTest } from 'vitest'
import type { Meter } from '../../ports/platform.ts'
import { createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { openImage, type NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { posEndpoints, posResources, writtenPosResources } from '../../domain/pos/index.ts'
import type { Resource } from '../../domain/record/resource.ts'
import type { PageQuery, Position, Predicate, StoredRow } from '../../ports/records.ts'
import { TimedOut } from '../../domain/limits/waiting.ts'
import { systemClock, systemDeadline } from '../../host-worker/system.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { migratedImage } from '../support/databases/migrated-image.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import {
  openLegacyVendor,
  openLegacyVendorWriter,
  vendorTableOf,
  vendorTables,
} from '../../adapters/pos-legacy-vendor/index.ts'
import { rowsStatements } from '../../adapters/sqlite/read/pages.ts'

const ROWS = 3000
const LIMIT = 100

const collections = posEndpoints.filter(
  (endpoint) => endpoint.kind === 'collection' && endpoint.onlyFor === null,
)

// Most of these tests assert without vitest, as the conformance cases do.
const cases = runnerOf(vitestTest)
const test: typeof cases.test = (name, run) => {
  cases.test(name, run)
}

let databases: LocalD1
/** The rows on D1, which counts what it reads. */
let database: Executor
/** The same rows in node:sqlite, for checks that need no counts. */
let scratch: NodeSqlite
const meter: Meter = createMeter()
const statementOf = rowsStatements(vendorTables)

beforeAll(async () => {
  scratch = openImage(migratedImage('pos-legacy-vendor'))
  for (const tenant of ['north', 'south']) {
    for (const resource of writtenPosResources) {
      const rows = Array.from({ length: ROWS }, (_, index) => row(resource, index))
      await openLegacyVendorWriter(scratch, tenant).upsert(resource.collection, rows)
    }
  }
  databases = await openSharedD1(1, scratch.image())
  database = createExecutor({ database: await databases.next(), clock: systemClock, meter })
}, 60_000)
afterAll(() => databases.dispose())

/**
 * A row for one index. Every third row has no time. All events belong to six accounts, so that each account has many.
 */
function row(resource: Resource, index: number): StoredRow {
  const sample = sampleRow(resource, index)
  return resource.idField === 'eventId' ? { ...sample, accountId: accountOf(index) } : sample
}

function accountOf(index: number): string {
  return `accountId-${2994 + (index % 6)}`
}

type Collection = Extract<(typeof collections)[number], { readonly kind: 'collection' }>

/** Every filter alone and every two filters together, with values that occur in some rows. */
function reads({ filters, resource }: Collection): readonly (readonly Predicate[])[] {
  const base = resource.collection === 'pos-recurring-account-details' ? posResources[2] : resource
  const sample = row(base ?? resource, 1501)
  const single = Object.values(filters).map(({ field, operator }): Predicate => {
    return { field, operator, value: sample[field] as string }
  })
  const pairs = single.flatMap((first, index) => single.slice(index + 1).map((second) => [first, second]))
  return [[], ...single.map((predicate) => [predicate]), ...pairs]
}

function query({ resource, order }: Collection, where: readonly Predicate[], after: Position | null) {
  const select = [...new Set([...Object.keys(resource.fields), order.field, order.idField])]
  return { kind: 'page', collection: resource.collection, select, where, order, after, limit: LIMIT } as const
}

async function planOf(page: PageQuery): Promise<readonly string[]> {
  const statement = statementOf('north', page)
  const [answer] = await scratch.batch([{ ...statement, sql: `explain query plan ${statement.sql}` }])
  return (answer?.rows ?? []).map(({ detail }) => String(detail))
}

describe.each(collections.map((endpoint) => [endpoint.id, endpoint as Collection] as const))(
  '%s',
  (_, endpoint) => {
    test('every page is read through an index that starts with the tenant, without sorting', async () => {
      for (const where of reads(endpoint)) {
        for (const after of [
          null,
          { value: '2026-01-01T00:00:00.000Z', id: 'x' },
          { value: null, id: 'x' },
        ]) {
          const plan = await planOf(query(endpoint, where, after))
          const message = `${JSON.stringify(where)}: ${plan.join('; ')}`
          const searched = plan.filter((step) => step.includes('SEARCH'))
          assert(searched.length > 0, message)
          for (const step of searched) assert.match(step, /USING INDEX \w+ \(tenant_id=\?/, message)
          for (const step of plan) assert.doesNotMatch(step, /TEMP B-TREE|^SCAN (?!\(subquery|e$)/, message)
        }
      }
    })

    test('a page reads its own rows and their latest events, at the beginning, in the middle and among the untimed', async () => {
      const source = openLegacyVendor({ database, deadline: systemDeadline }, 'north')
      let after: Position | null = null
      const costs: number[] = []
      do {
        const before = { ...meter }
        const page = await source.page(query(endpoint, [], after))
        assert(page.kind === 'page')
        const events = page.rows.reduce((sum, { billingEvents = [], statusEvents = [] }) => {
          return sum + (billingEvents as unknown[]).length + (statusEvents as unknown[]).length
        }, 0)
        // Beyond its page, a read takes the row that shows whether another page follows, and one row at either end of
        // each part.
        const most = LIMIT + 4 + events * 2
        costs.push(meter.rowsRead - before.rowsRead)
        assert(
          meter.rowsRead - before.rowsRead <= most,
          `${meter.rowsRead - before.rowsRead} rows, ${events} events`,
        )
        assert.equal(meter.calls - before.calls, 1)
        after = page.next
      } while (after !== null)
      expect(costs).toHaveLength(ROWS / LIMIT)
    })

    test('a filter reads little more than what it finds', async () => {
      const source = openLegacyVendor({ database, deadline: systemDeadline }, 'north')
      for (const where of reads(endpoint).filter((predicates) => predicates.length === 1)) {
        const before = meter.rowsRead
        const page = await source.page(query(endpoint, where, null))
        assert(page.kind === 'page' && page.rows.length > 0, JSON.stringify(where))
        const events = page.rows.flatMap(({ billingEvents = [], statusEvents = [] }) =>
          [billingEvents, statusEvents].flat(),
        )
        assert(meter.rowsRead - before <= page.rows.length + 4 + events.length * 2, JSON.stringify(where))
      }
    })
  },
)

test('one account reads its own row and its latest 24 events of each kind, of hundreds', async () => {
  const id = accountOf(0)
  const { fields } = posResources[3] ?? { fields: {} }
  const source = openLegacyVendor({ database, deadline: systemDeadline }, 'north')
  const before = { ...meter }
  const one = {
    kind: 'one',
    collection: 'pos-recurring-account-details',
    select: Object.keys(fields),
    id,
  } as const
  const found = await source.one(one)
  assert(found.kind === 'row')
  expect(
    [found.row?.billingEvents, found.row?.statusEvents].map((list) => (list as unknown[]).length),
  ).toEqual([24, 24])
  expect(meter.calls - before.calls).toBe(1)
  expect(meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(1 + 4 * 24 + 4)
})

test('the tables are strict, keyed by tenant and id, and every index is what its name says', async () => {
  for (const { collection, idField } of writtenPosResources) {
    const { name, idColumn, columns } = vendorTableOf(collection)
    const rowsOf = async (sql: string) => (await scratch.batch([{ sql, parameters: [] }]))[0]?.rows ?? []
    const described = await rowsOf(`pragma table_info(${name})`)
    expect(described.map((column) => [column.name, column.notnull === 1, column.pk]).sort()).toEqual(
      [
        ['tenant_id', true, 1],
        ...[...columns.values()].map(({ name: column, field, nullable }) => [
          column,
          !nullable,
          field === idField ? 2 : 0,
        ]),
      ].sort(),
    )
    expect((await rowsOf(`pragma table_list(${name})`))[0]?.strict).toBe(1)
    for (const { name: index, origin } of await rowsOf(`pragma index_list(${name})`)) {
      if (origin !== 'c') continue
      const indexed = (await rowsOf(`pragma index_info(${String(index)})`)).map((column) =>
        String(column.name),
      )
      expect([indexed[0], indexed.at(-1), index]).toEqual([
        'tenant_id',
        idColumn,
        [name, ...indexed.slice(1, -1)].join('_'),
      ])
    }
  }
})

test('a database that fails or hangs is unavailable, in words that carry nothing of the query', async () => {
  const failing: Executor = { batch: () => Promise.reject(new Error('no such table: secret')) }
  const hanging: Executor = { batch: () => new Promise(() => undefined) }
  const at = { after: () => AbortSignal.abort() }
  const one = { kind: 'one', collection: 'pos-customers', select: ['customerId'], id: 'x' } as const
  expect(await openLegacyVendor({ database: failing, deadline: systemDeadline }, 'north').one(one)).toEqual({
    kind: 'unavailable',
    reason: 'the legacy vendor database failed',
    cause: new Error('no such table: secret'),
  })
  expect(await openLegacyVendor({ database: hanging, deadline: at }, 'north').one(one)).toEqual({
    kind: 'unavailable',
    reason: 'the legacy vendor database did not answer in time',
    cause: expect.any(TimedOut) as unknown,
  })
})

test('writing the same rows again changes nothing, and a changed row is one', async () => {
  const writer = openLegacyVendorWriter(scratch, 'east')
  const [transactions] = writtenPosResources
  assert(transactions !== undefined)
  const rows = [row(transactions, 1), row(transactions, 2)]
  expect(await writer.upsert('pos-transactions', rows)).toEqual({ changed: 2 })
  expect(await writer.upsert('pos-transactions', rows)).toEqual({ changed: 0 })
  expect(await writer.upsert('pos-transactions', [{ ...rows[0], totalCents: null }])).toEqual({ changed: 1 })
  await expect(writer.upsert('pos-recurring-account-details', [])).rejects.toThrow('cannot be written')
})
