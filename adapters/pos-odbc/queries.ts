import type { OneQuery, PageQuery, Predicate } from '../../ports/records.ts'
import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import { COLLECTIONS, isCollection, type CollectionName } from './collections.ts'
import type { OneParameters, PageParameters } from './protocol.ts'

/** A query as a statement of the gateway, or why it has none. */
export type Translated<Parameters> =
  | { readonly kind: 'statement'; readonly collection: CollectionName; readonly parameters: Parameters }
  | { readonly kind: 'unserved'; readonly reason: string }

/** The statement of a page. The gateway has the order and the filters that the collection declares, no others. */
export function pageToStatement({
  collection,
  where,
  order,
  after,
  limit,
}: PageQuery): Translated<PageParameters> {
  if (!isCollection(collection)) return unserved(collection)
  const declared = COLLECTIONS[collection]
  const isNatural =
    order.field === declared.order.field &&
    order.idField === declared.order.idField &&
    order.direction === declared.order.direction
  if (!isNatural) return unserved(`${collection} in another order than newest first`)
  const filters: Record<string, string | boolean> = {}
  for (const predicate of where) {
    const name = filterName(declared, predicate)
    if (name === null || name in filters || typeof predicate.value === 'number') {
      return unserved(`${collection} by ${predicate.field} ${predicate.operator}`)
    }
    filters[name] = predicate.value
  }
  if (after === null) return { kind: 'statement', collection, parameters: { filters, after, limit } }
  const { value, id } = after
  if (typeof value === 'number') return unserved(`${collection} after a number`)
  return { kind: 'statement', collection, parameters: { filters, after: { value, id }, limit } }
}

/** The statement of one row. */
export function oneToStatement({ collection, id }: OneQuery): Translated<OneParameters> {
  if (!isCollection(collection)) return unserved(collection)
  return { kind: 'statement', collection, parameters: { id } }
}

function filterName({ filters }: CollectionEndpoint, { field, operator }: Predicate): string | null {
  const found = Object.entries(filters).find(
    ([, filter]) => filter.field === field && filter.operator === operator,
  )
  return found?.[0] ?? null
}

function unserved(what: string): { readonly kind: 'unserved'; readonly reason: string } {
  return { kind: 'unserved', reason: `The POS gateway serves no ${what}.` }
}
