import { endpoints } from '../../../domain/catalog.ts'
import type { CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import type { Predicate } from '../../../ports/records/query.ts'

/** One way in which pages of a collection are read: the fields that filter them, and the field that orders them. */
export interface PageRead {
  readonly collection: string
  readonly where: readonly Predicate[]
  readonly orderField: string
}

/** Pages of points of sale are not among them: they are read from outside sources. */
const collections: readonly CollectionEndpoint[] = endpoints
  .filter((endpoint) => endpoint.kind === 'collection')
  .filter(({ rowsFrom }) => rowsFrom !== 'pos')

/**
 * Every way to read a page that needs an index: in each order, with the endpoint's fixed conditions alone, with each
 * filter, and with each pair of filters. A third filter is tested row by row.
 */
export function pageReads(): readonly PageRead[] {
  return collections.flatMap((endpoint) =>
    ordersOf(endpoint).flatMap((orderField) =>
      narrowings(endpoint).map((where) => ({ collection: endpoint.resource.collection, where, orderField })),
    ),
  )
}

/** The fields by which the pages of an endpoint can be ordered. */
function ordersOf({ order, syncOrder, sorts }: CollectionEndpoint): readonly string[] {
  return [...new Set([order.field, ...(syncOrder === null ? [] : [syncOrder.field]), ...sorts])]
}

function narrowings({ filters, parent, resource }: CollectionEndpoint): readonly (readonly Predicate[])[] {
  const always = [
    ...(resource.only === null ? [] : [equals(resource.only.field)]),
    ...(parent === null ? [] : [equals(parent.param)]),
  ]
  const narrowing = Object.values(filters)
    .filter(({ operator }) => operator === 'equals' || operator === 'contains')
    .map(({ field, operator }): Predicate => ({ field, operator, value: '' }))
  const pairs = narrowing.flatMap((first, index) =>
    narrowing.slice(index + 1).map((second) => [first, second]),
  )
  return [[], ...narrowing.map((one) => [one]), ...pairs].map((more) => [...always, ...more])
}

function equals(field: string): Predicate {
  return { field, operator: 'equals', value: '' }
}

/** Every list that a filter searches, with the fields by which the pages are ordered. */
export function filteredLists(): readonly FilteredList[] {
  const lists = new Map<string, FilteredList>()
  for (const endpoint of collections) {
    const { collection } = endpoint.resource
    for (const { field, operator } of Object.values(endpoint.filters)) {
      if (operator !== 'contains') continue
      const known = lists.get(`${collection} ${field}`)?.orders ?? []
      const indexed = endpoint.resource.indexedOrders[field] ?? ordersOf(endpoint)
      const orders = [...new Set([...known, ...indexed])]
      lists.set(`${collection} ${field}`, { collection, field, orders })
    }
  }
  return [...lists.values()]
}

/** A list field whose values are rows of a side table. */
export interface FilteredList {
  readonly collection: string
  readonly field: string
  readonly orders: readonly string[]
}
