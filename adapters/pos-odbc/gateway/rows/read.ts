import { countWithinPage } from '../../../../domain/read/pages/page-of-texts.ts'
import { isStorableText } from '../../../../domain/text/storable-text.ts'
import type { Statement } from '../../../sql/statement.ts'
import { COLLECTIONS, orderMayBeNull, type CollectionName } from '../../collections.ts'
import type { NeutralRow, OneAnswer, PageAnswer, PageParameters, SourcePosition } from '../../protocol.ts'
import { GatewayError } from '../errors.ts'
import { listsOf, type ChildMapping } from '../families/family.ts'
import { childrenStatement } from '../statements/lists.ts'
import { oneStatement, pageStatement } from '../statements/page.ts'
import type { Scope } from '../statements/scope.ts'
import type { RecordedRow } from '../tables/column.ts'
import type { SourceSettings } from '../values/codec.ts'
import { neutralChildren, neutralRow } from './neutral.ts'

/** Runs one statement. Rejects with a `DatabaseError` or a `GatewayError`. */
export type RunStatement = (statement: Statement) => Promise<readonly RecordedRow[]>

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
  const mapping = context.scope.family.collections[name]
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
