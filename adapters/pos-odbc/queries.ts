import type { OneQuery, PageQuery, Predicate } from '../../ports/query.ts'
import type { Collection, CollectionName, OneParameters, PageParameters } from './protocol.ts'
import { COLLECTIONS, isCollection } from './protocol.ts'

/** A query as a statement of the gateway, or why it has none. */
export type Translated<Parameters> =
  | { readonly kind: 'statement'; readonly collection: CollectionName; readonly parameters: Parameters }
  | { readonly kind: 'unserved'; readonly reason: string }

/** The statement of a page. The gateway orders newest first and knows the filters of `COLLECTIONS`, no others. */
export function pageStatement({
  collection,
  where,
  order,
  after,
  limit,
}: PageQuery): Translated<PageParameters> {
  if (!isCollection(collection)) return unserved(collection)
  const declared: Collection = COLLECTIONS[collection]
  const isNatural =
    order.field === declared.orderField &&
    order.idField === declared.idField &&
    order.direction === 'descending'
  if (!isNatural) return unserved(`${collection} in another order than newest first`)
  const filters: Record<string, string | boolean> = {}
  for (const predicate of where) {
    const name = filterName(declared, predicate)
    if (name === null || name in filters || typeof predicate.value === 'number') {
      return unserved(`${collection} by ${predicate.field} ${predicate.operator}`)
    }
    filters[name] = predicate.value
  }
  if (after !== null && typeof after.value === 'number') return unserved(`${collection} behind a number`)
  const position = after === null ? null : { value: after.value as string | null, id: after.id }
  return { kind: 'statement', collection, parameters: { filters, after: position, limit } }
}

/** The statement of one row. */
export function oneStatement({ collection, id }: OneQuery): Translated<OneParameters> {
  if (!isCollection(collection)) return unserved(collection)
  return { kind: 'statement', collection, parameters: { id } }
}

/** The domain compares addresses by a normalised form that is not published; the gateway compares so by itself. */
const COMPARED_BY: Readonly<Record<string, string>> = { emailKey: 'email' }

function filterName({ filters }: Collection, { field, operator }: Predicate): string | null {
  const compared = COMPARED_BY[field] ?? field
  const found = Object.entries(filters).find(
    ([, filter]) => filter.field === compared && filter.operator === operator,
  )
  return found?.[0] ?? null
}

function unserved(what: string): { readonly kind: 'unserved'; readonly reason: string } {
  return { kind: 'unserved', reason: `The POS gateway serves no ${what}.` }
}
