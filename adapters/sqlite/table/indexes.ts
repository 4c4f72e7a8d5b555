import type { Predicate } from '../../../ports/records/query.ts'
import type { Table } from './tables.ts'
import { columnOf, sideTableName } from './tables.ts'

/** The index by which a page is read. */
export interface PageIndex {
  readonly name: string
  /**
   * The alias, in the query, of the table whose columns order the page: `m` for the side table that the index belongs to
   * when the index provides the order, otherwise `t` for the table itself.
   */
  readonly orderAlias: 't' | 'm'
  /** The filter on a list, when the index belongs to that list's side table; null when the index is the table's own. */
  readonly contained: Predicate | null
  /** The stored fields of its filters, which come before the ordering field. */
  readonly narrowing: readonly string[]
  /** The field that orders the index. Where the page has another order, its rows are sorted. */
  readonly orderField: string
}

/**
 * The index that serves a page. Its name consists of the table, the columns that filter the page, and the column that
 * orders it (see the migrations). When a request has more equality filters than any index, the index is used for the
 * first filter, and each row is tested for the others. A filter on a list uses the list's side table, which has the
 * ordering columns too. The rows of a filter without an index in this order are sorted (see `indexedOrders`).
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const contained = where.find(({ operator }) => operator === 'contains')
  if (contained !== undefined) {
    const ownOrder = indexedOrder(table, contained.field, orderField)
    return {
      name: `${sideTableName(table, contained.field)}_value_${columnOf(table, ownOrder).name}`,
      orderAlias: ownOrder === orderField ? 'm' : 't',
      contained,
      narrowing: [],
      orderField: ownOrder,
    }
  }
  const equal = where.filter(({ operator, field }) => operator === 'equals' && field !== orderField)
  const narrowing = narrowingFields(
    table,
    equal.map(({ field }) => field),
  )
  const [first] = narrowing
  const ownOrder = first === undefined ? orderField : indexedOrder(table, first, orderField)
  const columns = [...narrowing, ownOrder].map((field) => columnOf(table, field).name)
  const name = [table.name, ...columns].join('_')
  return { name, orderAlias: 't', contained: null, narrowing, orderField: ownOrder }
}

/** The order of the index that serves a filter on a field: the page's own, or the one from which the page is sorted. */
function indexedOrder(table: Table, field: string, orderField: string): string {
  const orders = table.indexedOrders[field]
  return orders === undefined || orders.includes(orderField) ? orderField : orders[0]
}

/** The filters of the index: one that selects few rows needs no other beside it. */
function narrowingFields(table: Table, equal: readonly string[]): readonly string[] {
  const selective = equal.find((field) => table.indexedOrders[field] !== undefined)
  if (selective !== undefined) return [selective]
  const pair = table.indexPairs.find((fields) => fields.every((field) => equal.includes(field)))
  return pair ?? equal.slice(0, 1)
}
