import type { PageQuery, Position, StoredRow } from '../../../ports/records.ts'

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

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
