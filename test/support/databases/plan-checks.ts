import assert from 'node:assert/strict'
import type { Executor, SqliteStorage } from '../../../adapters/sqlite/index.ts'
import type { Meter } from '../../../ports/platform.ts'
import { keyedStatement } from '../../../adapters/sqlite/access/keyed-storage.ts'
import { readingOf } from '../../../adapters/sqlite/read/reading.ts'
import { rowsOf } from '../../../adapters/sqlite/statement/executor.ts'
import { mayStop } from '../../../adapters/sqlite/read/page-select.ts'
import { indexOf, serviceTables, columnOf, tableOf } from '../../../adapters/sqlite/tables.ts'
import { endpoints } from '../contract/endpoints.ts'
import { SYNC_FIELD, type CollectionEndpoint, type GroupsEndpoint } from '../../../domain/record/endpoint.ts'
import { storedRowsOf } from '../../../domain/read/page.ts'
import { claimOf } from '../../../adapters/conformance/fixtures.ts'
import { selection } from '../../../domain/record/resource.ts'
import type {
  Order,
  PageQuery,
  Position,
  Predicate,
  ReadQuery,
  Scalar,
  StoredRow,
} from '../../../ports/records.ts'

/** The number of rows that storage is asked for, for a page of 100. */
export const LIMIT = 101
/** How many rows are looked at for a page: fewer than there are. */
export const LOOKS_AT = 150

/** Collections of points of sale are left out, because their rows are never in this storage. */
export const collections: readonly CollectionEndpoint[] = endpoints
  .filter((endpoint) => endpoint.kind === 'collection')
  .filter(({ rowsFrom }) => rowsFrom !== 'pos')

export const groupReads: readonly GroupsEndpoint[] = endpoints.filter(
  (endpoint) => endpoint.kind === 'groups',
)

/**
 * A filled database for measuring reads of the organization `org-a` with its key `key-a`. Query plans are the same on
 * every SQLite, but only D1 counts rows.
 */
export interface PlanBench {
  readonly executor: Executor
  readonly storage: SqliteStorage
  readonly meter: Meter
}

/** One way to read a collection: named filters, and the order. */
export interface OrderedRead {
  readonly name: string
  readonly where: readonly Predicate[]
  readonly order: Order
}

/** The rows of a query. */
export async function read(
  { storage }: Pick<PlanBench, 'storage'>,
  query: ReadQuery,
): Promise<readonly StoredRow[]> {
  const result = await storage.keyed.open(claimOf('org-a', 'key-a')).read([query])
  assert(result.authenticated)
  return result.results.flatMap(storedRowsOf)
}

/** A stored row from the middle of a collection, with a value in every field by which the endpoint can read. */
export async function middleRow(bench: PlanBench, endpoint: CollectionEndpoint): Promise<StoredRow> {
  const { filters, order, parent, sorts, resource } = endpoint
  const table = tableOf(resource.collection)
  const fields = [
    ...new Set([
      ...Object.values(filters).map(({ field }) => field),
      ...(parent === null ? [] : [parent.param]),
      ...(endpoint.syncOrder === null ? [] : [SYNC_FIELD]),
      ...sorts,
      order.field,
    ]),
  ]
  const known = fields.map((field) => `${columnOf(table, field).name} is not null`).join(' and ')
  const only = resource.only === null ? '' : `and ${columnOf(table, resource.only.field).name} = 1`
  const from = `from ${table.name} where organization_id = 'org-a' and ${known} ${only}`
  const sql = `select ${table.idColumn} as id ${from} order by ${columnOf(table, order.field).name}
    limit 1 offset (select count(*) / 2 ${from})`
  const [found] = await rowsOf(bench.executor, { sql, parameters: [] })
  const id = found?.id
  assert(typeof id === 'string', `${resource.collection} has no row with ${fields.join(', ')}`)
  const [row] = await bench.storage
    .tenant('org-a')
    .findMany(resource.collection, [...fields, order.idField], [id])
  assert(row !== undefined)
  return row
}

/** Every read for which an index must provide the order: each order alone, and with each filter. */
export function orderedReads(endpoint: CollectionEndpoint, middle: StoredRow): readonly OrderedRead[] {
  const { order, syncOrder, sorts, resource, parent } = endpoint
  const valueOf = (field: string) => {
    const value = middle[field]
    // For a list, the filter's value is one of its elements.
    return (Array.isArray(value) ? value[0] : value) as Scalar
  }
  const equals = (field: string, value: Scalar): Predicate => ({ field, operator: 'equals', value })
  const fixed = [
    ...(resource.only === null ? [] : [equals(resource.only.field, resource.only.value)]),
    ...(parent === null ? [] : [equals(parent.param, valueOf(parent.param))]),
  ]
  const filters = Object.entries(endpoint.filters).map(([name, { field, operator }]) => ({
    name,
    predicate: { field, operator, value: valueOf(field) },
  }))
  const [plain, syncing] = [false, true].map((syncs) =>
    filters.filter(({ predicate }) => (predicate.field === SYNC_FIELD) === syncs),
  ) as [typeof filters, typeof filters]
  const inOrder = (label: string, by: Order, more: typeof filters, always: readonly Predicate[] = []) =>
    more.map(({ name, predicate }) => ({
      name: `${name}${label}`,
      where: [...fixed, predicate, ...always],
      order: by,
    }))
  const since = syncing.find(({ predicate }) => predicate.operator === 'atLeast')
  const chosen = sorts.flatMap((field) =>
    (['ascending', 'descending'] as const).map((direction) => ({ field, idField: order.idField, direction })),
  )
  return [
    ...[order, ...chosen].map((by) => ({
      name: `no filter, by ${by.field} ${by.direction}`,
      where: fixed,
      order: by,
    })),
    ...[order, ...chosen].flatMap((by) => inOrder(`, by ${by.field} ${by.direction}`, by, plain)),
    ...(syncOrder === null ? [] : inOrder('', syncOrder, syncing)),
    ...(syncOrder === null || since === undefined
      ? []
      : inOrder(` and ${since.name}`, syncOrder, plain, [since.predicate])),
  ]
}

export function pageQuery(
  endpoint: CollectionEndpoint,
  { where, order }: OrderedRead,
  after: PageQuery['after'],
): PageQuery {
  const select = [...new Set([...selection(endpoint.resource), order.field, order.idField])]
  const { collection } = endpoint.resource
  return { kind: 'page', collection, select, where, order, after, limit: LIMIT, looksAtMax: LOOKS_AT }
}

/** The filter of a read that selects few rows, so that no index has it together with the read's other filters. */
export function selectiveFilter(endpoint: CollectionEndpoint, { where }: OrderedRead): Predicate | undefined {
  const { selectsFew } = endpoint.resource
  return where.find(({ field, operator }) => operator === 'equals' && selectsFew[field] !== undefined)
}

/** Whether the rows of a read are selected by one index and then sorted. */
function isSorted(endpoint: CollectionEndpoint, one: OrderedRead): boolean {
  const order = endpoint.resource.selectsFew[selectiveFilter(endpoint, one)?.field ?? '']
  return order !== undefined && order !== one.order.field
}

/** Whether filters of a read are tested row by row while its index is walked. */
export function isWalk(
  { resource: { collection } }: CollectionEndpoint,
  { where, order }: OrderedRead,
): boolean {
  return mayStop(indexOf(tableOf(collection), where, order.field), { order, looksAtMax: LOOKS_AT }, { where })
}

/** The time of the requests whose plans are checked. */
const NOW = '2026-06-15T12:00:00.000Z'

/** The plan of the statement that a request runs, including its check of the key. */
async function planOf({ executor }: PlanBench, query: ReadQuery): Promise<readonly string[]> {
  const claim = claimOf('org-a', 'key-a')
  const { sql, parameters } = keyedStatement({ ...claim, now: NOW }, [readingOf(serviceTables, query)], 0)
  const steps = await rowsOf(executor, { sql: `explain query plan ${sql}`, parameters })
  return steps.map(({ detail }) => String(detail))
}

export function positionOf(row: StoredRow | undefined, { field, idField }: Order): Position | null {
  return row === undefined ? null : { value: row[field] as Position['value'], id: row[idField] as string }
}

/**
 * Checks that an index provides every order of an endpoint, with and without each filter, so that nothing is sorted but
 * the few rows of a selective filter.
 * @returns how many plans were looked at
 */
export async function checkPlans(bench: PlanBench, endpoint: CollectionEndpoint): Promise<number> {
  const middle = await middleRow(bench, endpoint)
  let plans = 0
  for (const one of orderedReads(endpoint, middle)) {
    for (const after of [null, positionOf(middle, one.order), { value: null, id: 'x' }]) {
      const plan = await planOf(bench, pageQuery(endpoint, one, after))
      const message = `${one.name}: ${plan.join('; ')}`
      const isKey = (step: string) => /^SEARCH t USING (PRIMARY KEY|INDEX sqlite_autoindex)/.test(step)
      const paged = plan.filter((step) => / t /.test(step) && !isKey(step))
      assert(paged.length > 0, message)
      const isCovered = isWalk(endpoint, one) && selectiveFilter(endpoint, one) === undefined
      for (const step of paged) {
        assert.match(step, /^SEARCH t USING (COVERING )?INDEX \w+ \(organization_id=\?/, message)
        if (isCovered) assert.match(step, / COVERING /, message)
      }
      for (const step of plan) {
        if (/^USE TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY$/.test(step) && isSorted(endpoint, one)) continue
        assert.doesNotMatch(step, /TEMP B-TREE|^SCAN (?!\(subquery|w$|listed (?:EXISTS )?VIRTUAL)/, message)
      }
      plans += 1
    }
  }
  return plans
}

/**
 * Checks that every grouping finds the rows of its window by an index, and only those of its parent if it has one.
 * @returns how many plans were looked at
 */
export async function checkGroups(bench: PlanBench, endpoint: GroupsEndpoint): Promise<number> {
  let plans = 0
  const { groups, parent } = endpoint
  const of: readonly Predicate[] =
    parent === null ? [] : [{ field: parent.param, operator: 'equals', value: `${parent.param}-0` }]
  const where: readonly Predicate[] = [
    ...of,
    { field: groups.at, operator: 'atLeast', value: '2025-12-01T00:00:00.000Z' },
    { field: groups.at, operator: 'below', value: '2025-12-02T00:00:00.000Z' },
  ]
  for (const by of Object.values(groups.groupings)) {
    for (const after of [null, { sum: 1, value: null }, { sum: 1, value: 'x' }]) {
      const order = by === groups.groupings[groups.dayGrouping] ? 'value' : 'sum'
      const { collection, sums } = groups
      const plan = await planOf(bench, {
        kind: 'groups',
        collection,
        by,
        where,
        sums,
        order,
        after,
        limit: LIMIT,
      })
      const window = parent === null ? '' : `${columnOf(tableOf(collection), parent.param).name}=\\? AND `
      const column = columnOf(tableOf(collection), groups.at).name
      const search = new RegExp(
        `USING INDEX \\w+ \\(organization_id=\\? AND ${window}${column}>\\? AND ${column}<\\?\\)`,
      )
      const message = `${by}: ${plan.join('; ')}`
      assert(
        plan.some((step) => search.test(step)),
        message,
      )
      for (const step of plan) assert.doesNotMatch(step, /^SCAN (?!\(subquery)/, message)
      plans += 1
    }
  }
  return plans
}
