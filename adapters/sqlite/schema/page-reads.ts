import { reads } from '../../../domain/reads.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import type { Predicate } from '../../../ports/records.ts'
import { indexOf, type PageIndex } from '../table/indexes.ts'
import { tableOf } from '../table/tables.ts'

/** An index by which pages of a collection are read. */
export interface ReadIndex extends PageIndex {
  readonly collection: string
  /** The fields that are tested while the index is walked. It holds them too, so that the rows need not be read. */
  readonly tested: readonly string[]
}

/** Pages of points of sale are not among them: they are read from outside sources. */
const collections: readonly CollectionEndpoint[] = reads
  .filter((endpoint) => endpoint.kind === 'collection')
  .filter(({ rowsFrom }) => rowsFrom !== 'pos')

/** The indexes that serve every page: in each order, with each filter and with each two of them. */
export function readIndexes(): readonly ReadIndex[] {
  const found = new Map<string, ReadIndex>()
  for (const endpoint of collections) {
    const { collection } = endpoint.resource
    const table = tableOf(collection)
    for (const orderField of ordersOf(endpoint)) {
      for (const where of narrowings(endpoint, orderField)) {
        const index = indexOf(table, where, orderField)
        const { narrowing, name } = index
        // The rows of a filter that selects few are so few that they may be read.
        const isOfFew = narrowing.some((field) => table.selectsFew[field] !== undefined)
        const tested = where.map(({ field }) => field).filter((field) => !narrowing.includes(field))
        const known = found.get(name)?.tested ?? []
        found.set(name, { ...index, collection, tested: isOfFew ? [] : [...new Set([...known, ...tested])] })
      }
    }
  }
  return [...found.values()]
}

/** The fields by which the pages of an endpoint can be ordered. */
function ordersOf({ order, syncOrder, sorts }: CollectionEndpoint): readonly string[] {
  return [...new Set([order.field, ...(syncOrder === null ? [] : [syncOrder.field]), ...sorts])]
}

/** The filters of pages in an order: those that every page has, alone, with each other one, and with each two. */
function narrowings(
  { filters, parent, resource }: CollectionEndpoint,
  orderField: string,
): readonly (readonly Predicate[])[] {
  const always = [
    ...(resource.only === null ? [] : [equals(resource.only.field)]),
    ...(parent === null ? [] : [equals(parent.param)]),
  ]
  const more = Object.values(filters)
    // A bound of the order is one of the index, and a filter by `updatedAt` has that order.
    .filter(({ field }) => field !== orderField && field !== SYNC_FIELD)
    .map(({ field, operator }): Predicate => ({ field, operator, value: '' }))
  const pairs = more.flatMap((first, index) => more.slice(index + 1).map((second) => [first, second]))
  return [[], ...more.map((one) => [one]), ...pairs].map((some) => [...always, ...some])
}

function equals(field: string): Predicate {
  return { field, operator: 'equals', value: '' }
}
