import assert from 'node:assert/strict'
import { createD1Storage, createExecutor, createMeter } from '../../../adapters/d1/index.ts'
import { columnName } from '../../../adapters/sqlite/statement/database.ts'
import { tableOf } from '../../../adapters/sqlite/tables.ts'
import type { CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import { resourceOf, writtenResources } from '../../../domain/resources/index.ts'
import { organization, tenantKey } from '../../../adapters/conformance/fixtures.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { ofShare } from '../../support/runner/part.ts'
import { openLocalD1 } from '../../support/databases/d1-runtime.ts'
import { checkPlans, collections } from '../../support/databases/plan-checks.ts'
import { checkRowsRead } from '../../support/databases/row-counts.ts'
import { sampleRow } from '../../support/data/sample-rows.ts'

/** The number of rows that are created one by one. Every tenant but the first has as many. */
const BASE_ROWS = 1_000
/** How many copies of each row the first tenant gets, with different ids and times. */
const COPIES = 100
const COPIES_PER_STATEMENT = 20
const TENANTS = 20

/** Collections that others read, so their rows stay after their own checks. */
const JOINED: ReadonlySet<string> = new Set(['contacts', 'forms'])

/** Collections of which rows are removed, in equal shares. */
const REMOVED = ['links', 'surveys'] as const

const { check, report, say } = createChecks()
const databases = await openLocalD1()
const database = await databases.next()
const meter = createMeter()
const clock = { ms: Date.parse('2026-03-01T00:00:00.000Z'), nowMs: () => clock.ms }
const storage = createD1Storage({ database, clock, meter })
const bench = { executor: createExecutor({ database, clock }), storage, meter }

const run = async (sql: string) => (await database.prepare(sql).all<Record<string, string>>()).results

/** Creates rows of every collection as the store does: with their counts, their lists and other derived values. */
async function makeBase(): Promise<void> {
  await storage.administration.saveOrganization(organization('org-a'))
  await storage.administration.addKey(tenantKey('org-a', 'key-a'))
  for (const resource of writtenResources) {
    const rows = Array.from({ length: BASE_ROWS }, (_, index) => sampleRow(resource, index))
    for (let start = 0; start < BASE_ROWS; start += 100) {
      clock.ms += 1000
      await storage.tenant('org-a').upsert(resource.collection, rows.slice(start, start + 100))
    }
  }
  for (const collection of REMOVED) await makeRemovals(collection)
  for (const { name = '' } of await run(`select name from sqlite_master where type = 'trigger'`)) {
    await run(`drop trigger ${name}`)
  }
}

/** Creates rows beside the others and removes them, each of which leaves a removal. */
async function makeRemovals(collection: string): Promise<void> {
  const resource = resourceOf(collection)
  const rows = Array.from({ length: BASE_ROWS / REMOVED.length }, (_, index) =>
    sampleRow(resource, BASE_ROWS + index),
  )
  await storage.tenant('org-a').upsert(collection, rows)
  const keys = rows.map((row) => [String(row[resource.idField])])
  for (let start = 0; start < keys.length; start += 100) {
    clock.ms += 1000
    const outcome = await storage
      .organizationStore('org-a')
      .removeRows(collection, keys.slice(start, start + 100))
    assert.equal(outcome.kind, 'removed')
  }
}

/** The table of a collection, with the columns that must differ in every copy. */
function tablesOf(
  endpoints: readonly CollectionEndpoint[],
): readonly (readonly [string, readonly string[]])[] {
  return endpoints.map(({ resource }) => {
    const table = tableOf(resource.collection)
    const { alternateKey } = resourceOf(resource.collection)
    const ids = [table.idColumn, ...(alternateKey === null ? [] : [columnName(alternateKey)])]
    return [table.name, ids] as const
  })
}

/**
 * Multiplies the rows of a table: `COPIES` times for the first tenant, once for each other. Copies have ids of their
 * own, lie some seconds apart, and refer to the same rows as the original.
 */
async function multiply(table: string, ids: readonly string[]): Promise<void> {
  const columns = (await run(`pragma table_info(${table})`)).map(({ name = '' }) => name)
  const copy = (mark: string, owner: string) =>
    columns.map((column) => {
      if (column === 'organization_id') return owner
      if (ids.includes(column)) return `t.${column} || ${mark}`
      return column.endsWith('_at')
        ? `strftime('%Y-%m-%dT%H:%M:%fZ', t.${column}, '-' || (7 * n.value) || ' seconds')`
        : `t.${column}`
    })
  const insert = (mark: string, owner: string, from: number, to: number) => `
    with recursive n (value) as (select ${from} union all select value + 1 from n where value < ${to})
    insert into ${table} (${columns.join(', ')})
    select ${copy(mark, owner).join(', ')} from ${table} as t, n
    where t.organization_id = 'org-a' and t.${ids[0]} not like '%~%'`
  await run(insert(`'~of-' || n.value`, `'org-' || n.value`, 1, TENANTS - 1))
  for (let from = 1; from < COPIES; from += COPIES_PER_STATEMENT) {
    const to = Math.min(from + COPIES_PER_STATEMENT, COPIES) - 1
    await run(insert(`'~' || printf('%03d', n.value)`, 'organization_id', from, to))
  }
}

async function rowsOf(table: string, owner: string): Promise<number> {
  const [row] = await run(`select count(*) as count from ${table} where organization_id = '${owner}'`)
  return Number(row?.count)
}

const startedAt = performance.now()
await makeBase()
const byCollection = Map.groupBy(collections, ({ resource }) => resource.collection)
const chosen = new Set(ofShare([...byCollection.keys()]))
for (const [collection, endpoints] of byCollection) {
  if (!chosen.has(collection) && !JOINED.has(collection)) continue
  const tables = new Map(tablesOf(endpoints))
  await check(`${collection}: ${COPIES} times ${BASE_ROWS} rows of one of ${TENANTS} tenants`, async () => {
    const { name } = tableOf(collection)
    const base = await rowsOf(name, 'org-a')
    for (const [table, ids] of tables) await multiply(table, ids)
    assert(base >= BASE_ROWS - 2, `${base} rows to begin with`)
    assert.equal(await rowsOf(name, 'org-a'), base * COPIES)
    assert.equal(await rowsOf(name, `org-${TENANTS - 1}`), base)
  })
  for (const endpoint of endpoints) {
    await check(`${endpoint.id}: every order and filter is served by an index`, async () => {
      assert((await checkPlans(bench, endpoint)) > 2)
    })
    await check(`${endpoint.id}: a page reads its own rows`, async () => {
      say(`        at most ${await checkRowsRead(bench, endpoint)} rows read for a page of 100`)
    })
  }
  if (!JOINED.has(collection)) for (const table of tables.keys()) await run(`delete from ${table}`)
}
say(`        ${Math.round((performance.now() - startedAt) / 1000)} s`)
await databases.dispose()
report()
process.exit()
