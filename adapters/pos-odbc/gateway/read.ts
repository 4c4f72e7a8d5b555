import { countWithinPage } from '../../../domain/read/page.ts'
import { isStorableText, compareBytes } from '../../../domain/text/typed-text.ts'
import type { Statement } from '../../sql/statement.ts'
import {
  COLLECTIONS,
  orderMayBeNull,
  type CollectionName,
  type NeutralRow,
  type OneAnswer,
  type PageAnswer,
  type PageParameters,
  type SourcePosition,
} from '../protocol.ts'
import { Unreadable, type SourceSettings, type Codec } from './codec.ts'
import { GatewayError } from './errors.ts'
import { listsOf, type ChildMapping, type TableMapping } from './mappings.ts'
import { childrenStatement, oneStatement, pageStatement, type Scope } from './statements.ts'
import type { RecordedRow } from './tables.ts'

/** Runs one statement. Rejects with a `DatabaseError` or a `GatewayError`. */
type RunStatement = (statement: Statement) => Promise<readonly RecordedRow[]>

/** The source that is read, and how. */
export interface ReadContext {
  readonly scope: Scope
  readonly settings: SourceSettings
  /** The maximum number of rows that the statement for a page's lists may return. */
  readonly listRowsMax: number
  readonly run: RunStatement
}

/**
 * A page of a collection, newest first, with rows that have no time last. One more row than asked for is read, to learn
 * whether another page follows. The page ends early when its rows would be too large for a Worker.
 */
export async function readPage(
  context: ReadContext,
  name: CollectionName,
  parameters: PageParameters,
): Promise<PageAnswer> {
  const { filters, after, limit } = parameters
  if (holdsUnstorableText([...Object.values(filters), context.scope.tenant])) return { rows: [], next: null }
  const asked = { ...parameters, limit: limit + 1 }
  const found: RecordedRow[] = []
  if (after?.value !== null) {
    found.push(...(await context.run(pageStatement(context.scope, name, 'valued', asked))))
  }
  if (orderMayBeNull(COLLECTIONS[name]) && found.length <= limit) {
    const rest = { ...asked, limit: asked.limit - found.length }
    found.push(...(await context.run(pageStatement(context.scope, name, 'without_value', rest))))
  }
  const whole = await neutralRows(context, name, found.slice(0, limit))
  const rows = whole.slice(0, countWithinPage(whole.map((row) => JSON.stringify(row))))
  const last = rows.at(-1)
  return { rows, next: found.length > rows.length && last !== undefined ? positionOf(name, last) : null }
}

/** The row of this id; null when there is none. */
export async function readOne(context: ReadContext, name: CollectionName, id: string): Promise<OneAnswer> {
  if (holdsUnstorableText([id, context.scope.tenant])) return { row: null }
  const found = await context.run(oneStatement(context.scope, name, id))
  const [row = null] = await neutralRows(context, name, found.slice(0, 1))
  return { row }
}

/**
 * Whether one of the texts cannot be stored by any database. ODBC ends a text at a NUL and replaces half a surrogate
 * pair, so such a filter would find the rows of another value.
 */
function holdsUnstorableText(values: readonly (string | boolean)[]): boolean {
  return values.some((value) => typeof value === 'string' && !isStorableText(value))
}

function positionOf(name: CollectionName, row: NeutralRow): SourcePosition {
  const { field, idField } = COLLECTIONS[name].order
  const value = row[field]
  return { value: typeof value === 'string' ? value : null, id: String(row[idField]) }
}

async function neutralRows(
  context: ReadContext,
  name: CollectionName,
  recorded: readonly RecordedRow[],
): Promise<readonly NeutralRow[]> {
  const mapping = context.scope.source.collections[name]
  const rows = recorded.map((row) => neutralRow(mapping, row, context.settings))
  const ids = rows.map((row) => String(row[COLLECTIONS[name].order.idField]))
  const lists: [string, ReadonlyMap<string, readonly unknown[]>][] = []
  for (const [field, child] of listsOf(mapping)) {
    lists.push([field, await childrenOf(context, child, ids)])
  }
  return rows.map((row, index) => ({
    ...row,
    ...Object.fromEntries(lists.map(([field, byParent]) => [field, byParent.get(ids[index] ?? '') ?? []])),
  }))
}

async function childrenOf(
  { scope, settings, listRowsMax, run }: ReadContext,
  child: ChildMapping,
  parentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  if (parentIds.length === 0) return new Map()
  const found = await run(childrenStatement(scope, child, parentIds, listRowsMax + 1))
  if (found.length > listRowsMax) {
    throw new GatewayError('too_many_rows', `A page needs more than ${listRowsMax} rows of ${child.table}`)
  }
  return neutralChildren(child, found, settings)
}

/**
 * A recorded row in the neutral form. Throws the `GatewayError` `unreadable_row`, which names the table, the row's id
 * and the column, when a value has no meaning there.
 */
function neutralRow(
  { fields, table }: TableMapping,
  recorded: RecordedRow,
  settings: SourceSettings,
): NeutralRow {
  let index = 0
  const read = ([field, codec]: [string, Codec]) => {
    const values = codec.columns.map((_, offset) => recorded[`c${index + offset}`] ?? null)
    index += codec.columns.length
    return [field, codec.read(values, settings)] as const
  }
  try {
    return Object.fromEntries(Object.entries(fields).map(read))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    // The first column is the row's id, in every mapping.
    throw new GatewayError('unreadable_row', `${table} ${recorded.c0 ?? ''}: ${error.message} cannot be read`)
  }
}

/** The rows of a child table in the neutral form, in their order, by the id of the row that they belong to. */
export function neutralChildren(
  child: ChildMapping,
  recorded: readonly RecordedRow[],
  settings: SourceSettings,
): ReadonlyMap<string, readonly unknown[]> {
  const byParent = new Map<string, { readonly row: NeutralRow; readonly position: number }[]>()
  for (const each of recorded) {
    const parent = String(each.parent)
    const rows = byParent.get(parent) ?? []
    rows.push({ row: neutralRow(child, each, settings), position: Number(each.position ?? 0) })
    byParent.set(parent, rows)
  }
  const lists = [...byParent].map(([parent, rows]) => {
    rows.sort((left, right) =>
      child.order.kind === 'latest' ? newestFirst(left.row, right.row) : left.position - right.position,
    )
    return [parent, rows.map(({ row }) => (child.valueField === null ? row : row[child.valueField]))] as const
  })
  return new Map(lists)
}

/** By bytes, as the databases sort, which have picked the latest rows. */
function newestFirst(left: NeutralRow, right: NeutralRow): number {
  return (
    compareBytes(String(right.occurredAt), String(left.occurredAt)) ||
    compareBytes(String(right.eventId), String(left.eventId))
  )
}
