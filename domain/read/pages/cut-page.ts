import type { PageQuery, Position, StoredRow } from '../../../ports/records.ts'
import { positionIn } from './page-of-texts.ts'

/** One page of rows, and where the next one starts; null: this is the last one. */
export interface CutPage {
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
