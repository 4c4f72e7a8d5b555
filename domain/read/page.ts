import * as v from 'valibot'
import { utf8Length } from '../text/encoding.ts'
import type { PageQuery, Position, StoredRow, GroupPosition, GroupsQuery } from '../../ports/records.ts'
import { compareBytes } from '../text/typed-text.ts'
import type { QueryResult } from '../../ports/organizations.ts'
import { fieldTypeOf, type Resource } from '../record/resource.ts'
import { jsonTextReply, PRIVATE, type Reply } from '../record/reply.ts'

/** The maximum size of a page, in bytes, so that none fills a Worker's memory. A single row may be larger. */
export const PAGE_MAX_BYTES = 4 * 1024 * 1024

/** The maximum size of the rows of one page, in bytes of JSON: room is left for what is around them. */
const TEXTS_MAX_BYTES = PAGE_MAX_BYTES - 32_768

/** One page of published rows as JSON texts, and where the next one starts; null: this is the last one. */
export interface PageOfTexts {
  readonly texts: readonly string[]
  readonly next: Position | null
}

/**
 * Cuts a page before the row with which it would become too large for a client. The next page starts after the last row
 * that was kept.
 * @param rowOf the stored row for the text at an index, to find its position in the order
 */
export function cutTexts(
  { texts, next }: PageOfTexts,
  order: PageQuery['order'],
  rowOf: (index: number) => StoredRow,
): PageOfTexts {
  const fitting = countWithinPage(texts)
  if (fitting === texts.length) return { texts, next }
  return { texts: texts.slice(0, fitting), next: positionIn(rowOf(fitting - 1), order) }
}

/** The position of a row in an order. */
export function positionIn(row: StoredRow, { field, idField }: PageQuery['order']): Position {
  const value = row[field]
  const isPlaced = typeof value === 'string' || typeof value === 'number'
  return { value: isPlaced ? value : null, id: String(row[idField]) }
}

/** The maximum number of UTF-8 bytes of a UTF-16 unit. With it, most pages need no exact count. */
const BYTES_PER_UNIT_MAX = 3

/** How many of these JSON texts fit into a page, from the first one on; at least one. */
export function countWithinPage(texts: readonly string[]): number {
  const units = texts.reduce((sum, text) => sum + text.length + 1, 0)
  if (units * BYTES_PER_UNIT_MAX <= TEXTS_MAX_BYTES) return texts.length
  let bytes = 0
  const tooMany = texts.findIndex((text) => (bytes += utf8Length(text) + 1) > TEXTS_MAX_BYTES)
  return tooMany === -1 ? texts.length : Math.max(1, tooMany)
}

/** One page of rows, and where the next one starts; null: this is the last one. */
interface CutPage {
  readonly rows: readonly StoredRow[]
  readonly next: Position | null
}

/**
 * Cuts a page from rows that were read with one more than the page's limit: the extra row shows that another page
 * follows.
 * @param stoppedAt where the rows ended early; null: they did not
 */
export function cutPage(
  rows: readonly StoredRow[],
  { limit, order }: Pick<PageQuery, 'limit' | 'order'>,
  stoppedAt: Position | null = null,
): CutPage {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { rows: shown, next: last === undefined ? stoppedAt : positionIn(last, order) }
}

/** One group: its value, and its sums by their names. */
export type Group = { readonly value: string | null } & Readonly<Record<string, string | number | null>>

/** Cuts a page from the complete list of groups: those after the query's position, in the query's order. */
export function pageOfGroups<Row extends Group>(
  groups: readonly Row[],
  { sums: [first], order, after, limit }: Pick<GroupsQuery, 'sums' | 'order' | 'after' | 'limit'>,
): readonly Row[] {
  const compare = order === 'sum' ? bySum : byValue
  return groups
    .map((group) => ({ group, position: positionOfGroup(group, first) }))
    .filter(({ position }) => after === null || compare(position, after) > 0)
    .sort((left, right) => compare(left.position, right.position))
    .slice(0, limit)
    .map(({ group }) => group)
}

/** The position of a group among others. */
export function positionOfGroup(group: StoredRow, firstSum: string): GroupPosition {
  return { sum: Number(group[firstSum]), value: typeof group.value === 'string' ? group.value : null }
}

function bySum(left: GroupPosition, right: GroupPosition): number {
  return right.sum - left.sum || nullsLast(left, right) || compareBytes(left.value ?? '', right.value ?? '')
}

function byValue(left: GroupPosition, right: GroupPosition): number {
  return nullsLast(left, right) || compareBytes(right.value ?? '', left.value ?? '')
}

function nullsLast(left: GroupPosition, right: GroupPosition): number {
  return Number(left.value === null) - Number(right.value === null)
}

/** The rows of a result as JSON texts, one for each row; null when the result has values. */
export function linesOf(result: QueryResult): readonly string[] | null {
  if (result.kind === 'rows') return null
  return result.text === '' ? [] : result.text.split('\n')
}

/** The rows of a result as values. */
export function storedRowsOf(result: QueryResult): readonly StoredRow[] {
  return result.kind === 'rows' ? result.rows : (linesOf(result) ?? []).map(parsedLine)
}

/** Whether a query found nothing. */
export function isEmpty(result: QueryResult): boolean {
  return result.kind === 'rows' ? result.rows.length === 0 : result.text === ''
}

/** Parses a row from its JSON text. */
export function parsedLine(line: string): StoredRow {
  // Storage wrote the line as one object. Checking it would cost time for every row of every read.
  return JSON.parse(line) as StoredRow
}

/**
 * Thrown for a row that lacks a value without which it must not be published. The error contains the row's id and none
 * of its values.
 */
export class UnpublishableRow extends Error {
  override readonly name = 'UnpublishableRow'
  readonly collection: string
  readonly rowId: string
  /** The field without a value. */
  readonly field: string

  constructor(collection: string, rowId: string, field: string) {
    super(`A row of ${collection} has no ${field}`)
    this.collection = collection
    this.rowId = rowId
    this.field = field
  }
}

/** The checked row, or the field that does not fit its declaration. */
type RowReading =
  | { readonly kind: 'row'; readonly row: StoredRow }
  | { readonly kind: 'misfit'; readonly field: string }

/**
 * Checks the values of a row from an outside source: each selected field must have its declared type. A row with
 * exactly the selected fields is passed on unchanged. From any other row only the selected fields are taken, with null
 * for a missing one. Throws `UnpublishableRow` for a row of valid types that lacks a value without which it would
 * mislead.
 */
export function checkedRow(of: Resource, select: readonly string[], given: StoredRow): RowReading {
  const missing: string[] = []
  for (const name of select) {
    const field = fieldTypeOf(of, name)
    const value = given[name] ?? null
    const fits = v.is(field.schema, value)
    const mayLack = value === null && field.nullable
    if (!fits && !mayLack) return { kind: 'misfit', field: name }
    if (!fits) missing.push(name)
  }
  const [first] = missing
  if (first === undefined) return { kind: 'row', row: withOnly(select, given) }
  throw new UnpublishableRow(of.collection, String(given[of.idField]), first)
}

/**
 * A row with exactly these fields, in this order; a missing field becomes null. A row that has them already is returned
 * itself, because a copy would be equal.
 */
export function withOnly(select: readonly string[], given: StoredRow): StoredRow {
  const names = Object.keys(given)
  const isExact =
    names.length === select.length &&
    select.every((name, index) => names[index] === name && given[name] !== undefined)
  return isExact ? given : Object.fromEntries(select.map((name) => [name, given[name] ?? null]))
}

/** The position of a page in its list, as every page of both interfaces gives it (contract, Collection envelope). */
export const Pagination = v.strictObject({
  limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hasMore: v.boolean(),
  nextCursor: v.nullable(v.string()),
})
export type Pagination = v.InferOutput<typeof Pagination>

/** One page of a collection or of groups, in the collection envelope (contract, Collection envelope). */
interface Page {
  readonly organizationId: string
  readonly filters: Readonly<Record<string, unknown>>
  /** The published rows, each as JSON text. */
  readonly data: readonly string[]
  readonly limit: number
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Makes the reply with a page, for the caller alone. */
export function pageReply({ organizationId, filters, data, limit, nextCursor }: Page): Reply {
  const pagination: Pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  // Rows that storage wrote as JSON are inserted as text, which saves parsing and writing them again.
  const before = `{"organizationId":${JSON.stringify(organizationId)},"filters":${JSON.stringify(filters)}`
  return jsonTextReply(
    200,
    `${before},"data":[${data.join()}],"pagination":${JSON.stringify(pagination)}}`,
    PRIVATE,
  )
}
