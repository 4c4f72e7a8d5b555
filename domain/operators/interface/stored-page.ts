import type { PageQuery, Position, TenantWriter } from '../../../ports/records.ts'
import { NO_GAPS } from '../../placement/operators/places-list.ts'
import { cutPage } from '../../read/page.ts'
import type { PlacesPage } from './list.ts'

/** Reads a page of a stored collection of one organization, for an operator's list. */
export async function readStoredPage<Row>(
  tenant: Pick<TenantWriter, 'findPage'>,
  query: Pick<PageQuery, 'collection' | 'select' | 'where' | 'order'>,
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Promise<PlacesPage<Row>> {
  // One row more than the page is read, to learn whether another page follows.
  const found = await tenant.findPage({ kind: 'page', ...query, after, limit: limit + 1 })
  const { rows, next } = cutPage(found.rows, { limit, order: query.order }, found.stoppedAt)
  // The type of the rows is that of the collection's selected fields, which the caller knows.
  return { rows: rows as readonly Row[], next, ...NO_GAPS }
}
