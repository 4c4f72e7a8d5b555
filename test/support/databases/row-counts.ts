import assert from 'node:assert/strict'
import {
  countRows,
  createMeter,
  createStorage,
  type Executor,
  type Statement,
  type StatementResult,
} from '../../../adapters/sqlite/index.ts'
import { columnOf, tableOf } from '../../../adapters/sqlite/tables.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import type { Meter } from '../../../ports/platform.ts'
import type { Position, ReadQuery, StoredRow } from '../../../ports/records.ts'
import { fakeClock } from '../runner/fakes.ts'
import {
  isWalk,
  LIMIT,
  LOOKS_AT,
  middleRow,
  orderedReads,
  pageQuery,
  positionOf,
  read,
  selectiveFilter,
  type OrderedRead,
  type PlanBench,
} from './plan-checks.ts'
import { rowsOf } from '../../../adapters/sqlite/statement/executor.ts'

/** How many rows are read besides those of the page: the key, its organization, and one at each end of the seek. */
export const OVERHEAD_ROWS = 4

/**
 * Checks that a page reads only its own rows (twice as many when each row leads to another table, all that a filter
 * selects where it selects few, or as many as may be looked at): for the first page and the next two, one in the middle, and, if the order's field may be null, one of rows without a value.
 * @returns the maximum number of rows that a page read
 */
export async function checkRowsRead(bench: PlanBench, endpoint: CollectionEndpoint): Promise<number> {
  const middle = await middleRow(bench, endpoint)
  const reads = orderedReads(endpoint, middle)
  assert(reads.length > 2 || Object.keys(endpoint.filters).length === 0)
  const executor = coalescing(bench.executor)
  const most = reads.flatMap((one) =>
    startsOf(endpoint, one, middle).map(async (start) =>
      checkPages(executor, endpoint, one, start, await selectedRows(executor, endpoint, one)),
    ),
  )
  return Math.max(...(await Promise.all(most)))
}

/** The number of rows that a selective filter selects; 0 for a read without one. */
async function selectedRows(
  executor: Executor,
  endpoint: CollectionEndpoint,
  one: OrderedRead,
): Promise<number> {
  const filter = selectiveFilter(endpoint, one)
  if (filter === undefined) return 0
  const table = tableOf(endpoint.resource.collection)
  const { name } = columnOf(table, filter.field)
  const isSelected =
    filter.operator === 'contains'
      ? `exists (select 1 from json_each(${name}) where value = ?)`
      : `${name} = ?`
  const sql = `select count(*) as count from ${table.name} where organization_id = 'org-a' and ${isSelected}`
  const value = typeof filter.value === 'boolean' ? Number(filter.value) : filter.value
  const [found] = await rowsOf(executor, { sql, parameters: [value] })
  return Number(found?.count)
}

/** The positions at which pages of a read start: at the beginning, in the middle, and at the rows without a value. */
function startsOf(
  { resource }: CollectionEndpoint,
  { order }: OrderedRead,
  middle: StoredRow,
): readonly (Position | null)[] {
  const { nullable } = columnOf(tableOf(resource.collection), order.field)
  const tail: Position = { value: null, id: order.direction === 'descending' ? '\u{10ffff}' : '' }
  return [null, positionOf(middle, order), ...(nullable ? [tail] : [])]
}

/**
 * Combines concurrent batches of several callers into one, because a batch costs D1 as much as a hundred statements.
 * Each caller gets its own results.
 */
function coalescing(executor: Executor): Executor {
  const waiting: Waiting[] = []
  const send = async () => {
    const sent = waiting.splice(0)
    try {
      const results = [...(await executor.batch(sent.flatMap(({ statements }) => statements)))]
      for (const { statements, resolve } of sent) resolve(results.splice(0, statements.length))
    } catch (error) {
      for (const { reject } of sent) reject(error)
    }
  }
  return {
    batch: (statements) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void send())
        waiting.push({ statements, resolve, reject })
      }),
  }
}

interface Waiting {
  readonly statements: readonly Statement[]
  readonly resolve: (results: readonly StatementResult[]) => void
  readonly reject: (cause: unknown) => void
}

/** The rows of a query, and its cost. */
async function measured(
  executor: Executor,
  query: ReadQuery,
): Promise<{ readonly rows: readonly StoredRow[]; readonly cost: Meter }> {
  const cost = createMeter()
  const metered: Executor = {
    async batch(statements) {
      cost.calls += 1
      const results = await executor.batch(statements)
      countRows(cost, results)
      return results
    },
  }
  const storage = createStorage({ executor: metered, clock: fakeClock() })
  return { rows: await read({ storage }, query), cost }
}

/**
 * Whether selecting a field can change how many rows a page reads. That is the case for a field of another table, and
 * for `updatedAt`, which is in no index of other orders, so that the row itself must be read. All other fields only
 * make the answer longer.
 */
function costsARow(endpoint: CollectionEndpoint, { order }: OrderedRead, field: string): boolean {
  const isOrder = field === order.field || field === order.idField
  return isOrder || field === SYNC_FIELD || endpoint.resource.fields[field]?.origin === 'joined'
}

async function checkPages(
  executor: Executor,
  endpoint: CollectionEndpoint,
  one: OrderedRead,
  start: Position | null,
  selected: number,
): Promise<number> {
  const page = pageQuery(endpoint, one, null)
  const query = { ...page, select: page.select.filter((field) => costsARow(endpoint, one, field)) }
  const joins = query.select.some((field) => endpoint.resource.fields[field]?.origin === 'joined')
  // Sorting compares each selected row with the last one of the page so far, which D1 counts as another row read. Rows
  // without a value in the order's field are selected once more.
  const isNullable = columnOf(tableOf(endpoint.resource.collection), one.order.field).nullable
  const found = LIMIT * (joins ? 2 : 1)
  const isWalked = isWalk(endpoint, one)
  // Rows that are looked at are read once more where fewer than a page are found, and each found one is read by its key.
  const walked = isWalked ? 2 * LOOKS_AT + LIMIT + found : 0
  const most = Math.max(found, (isNullable ? 3 : 2) * selected * (joins ? 2 : 1), walked) + OVERHEAD_ROWS
  let after = start
  let highest = 0
  for (const place of ['page', 'next page', 'page after that']) {
    const { rows, cost } = await measured(executor, { ...query, after })
    const where = `${one.name}, ${place} from ${JSON.stringify(start)}`
    assert.deepEqual([cost.calls, cost.rowsWritten], [1, 0], where)
    assert(cost.rowsRead <= most, `${where}: ${cost.rowsRead} rows read for ${rows.length}`)
    assert(isWalked || start !== null || place !== 'page' || rows.length > 0, `${where}: nothing found`)
    after = positionOf(rows[LIMIT - 2], one.order) ?? after
    highest = Math.max(highest, cost.rowsRead)
  }
  return highest
}
