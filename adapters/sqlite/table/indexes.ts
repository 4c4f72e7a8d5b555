import type { Predicate } from '../../../ports/records.ts'
import { columnOf, type Table } from './tables.ts'

/** The index by which a page is read. */
export interface PageIndex {
  readonly name: string
  /** The stored fields that it compares with a value. They come before the ordering field. */
  readonly narrowing: readonly string[]
  /** The field that orders the index. Where the page has another order, its rows are sorted. */
  readonly orderField: string
}

/**
 * The index that serves a page: that of a filter which selects few rows; else that of one which selects many, if it has
 * the page's order; else that of the order. Every other filter is tested row by row. The name consists of the table, the
 * columns that narrow the page, and the column that orders it (see the migrations).
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const equal = where
    .filter(({ operator, field }) => operator === 'equals' && field !== orderField)
    .map(({ field }) => field)
  const few = equal.find((field) => table.selectsFew[field] !== undefined)
  if (few !== undefined) return named(table, [few], table.selectsFew[few] ?? orderField)
  const many = equal.find((field) => table.selectsMany[field]?.includes(orderField) === true)
  return named(table, many === undefined ? [] : [many], orderField)
}

function named(table: Table, narrowing: readonly string[], orderField: string): PageIndex {
  const columns = [...narrowing, orderField].map((field) => columnOf(table, field).name)
  return { name: [table.name, ...columns].join('_'), narrowing, orderField }
}
