import type { Predicate } from '../../../ports/records/query.ts'
import type { Table } from './tables.ts'
import { columnOf, sideTableName } from './tables.ts'

/** The index by which a page is read. */
export interface PageIndex {
  readonly name: string
  /**
   * The alias, in the query, of the table that the index belongs to: `t` for the table itself, `m` for a side table.
   */
  readonly alias: 't' | 'm'
  /** The filter on a list, when the index belongs to that list's side table; null when the index is the table's own. */
  readonly contained: Predicate | null
  /** The stored fields of its filters, which come before the ordering field. */
  readonly narrowing: readonly string[]
  /** The field that orders the index. */
  readonly orderField: string
}

/**
 * The index that serves a page. Its name consists of the table, the columns that filter the page, and the column that
 * orders it (see the migrations). When a request has more equality filters than any index, the index is used for the
 * first filter, and each row is tested for the others. A filter on a list uses the list's side table, which has the
 * ordering columns too.
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const order = columnOf(table, orderField).name
  const contained = where.find(({ operator }) => operator === 'contains')
  if (contained !== undefined) {
    return {
      name: `${sideTableName(table, contained.field)}_value_${order}`,
      alias: 'm',
      contained,
      narrowing: [],
      orderField,
    }
  }
  const equal = where.filter(({ operator, field }) => operator === 'equals' && field !== orderField)
  const narrowing = narrowingFields(
    table,
    equal.map(({ field }) => field),
  )
  const columns = narrowing.map((field) => columnOf(table, field).name)
  const name = [table.name, ...columns, order].join('_')
  return { name, alias: 't', contained: null, narrowing, orderField }
}

function narrowingFields(table: Table, equal: readonly string[]): readonly string[] {
  const pair = table.indexPairs.find((fields) => fields.every((field) => equal.includes(field)))
  return pair ?? equal.slice(0, 1)
}
