import type { PageQuery, Position, StoredRow } from '../../../ports/records/query.ts'
import { positionIn } from './page-of-texts.ts'

/** One page of rows, and where the next one starts; null: this is the last one. */
export interface CutPage {
  readonly rows: readonly StoredRow[]
  readonly next: Position | null
}

/**
 * Cuts a page from rows that were read with one more than the page's limit: the extra row shows that another page
 * follows.
 * @param isCutShort whether rows were left out already, because all of them would have been too much to read at once
 */
export function cutPage(
  rows: readonly StoredRow[],
  { limit, order }: Pick<PageQuery, 'limit' | 'order'>,
  isCutShort = false,
): CutPage {
  const shown = rows.slice(0, limit)
  const last = isCutShort || rows.length > limit ? shown.at(-1) : undefined
  return { rows: shown, next: last === undefined ? null : positionIn(last, order) }
}
