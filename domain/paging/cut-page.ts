import type { PageQuery, Position, StoredRow } from '../../ports/query.ts'

/** One page of rows, and where the next one starts; null: this is the last one. */
export interface CutPage {
  readonly rows: readonly StoredRow[]
  readonly next: Position | null
}

/** Cuts rows that were read with one more than the page's limit: that one shows that another page follows. */
export function cutPage(
  rows: readonly StoredRow[],
  { limit, order }: Pick<PageQuery, 'limit' | 'order'>,
): CutPage {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  if (last === undefined) return { rows: shown, next: null }
  return {
    rows: shown,
    next: { value: last[order.field] as Position['value'], id: last[order.idField] as string },
  }
}
