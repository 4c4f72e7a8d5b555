import { sql, type Expression } from 'kysely'
import type { MovedRow, MovedTable, MoveKey } from '../../../ports/placement/move.ts'
import type { BoundValue, ResultRow } from '../statement/executor.ts'

/** The maximum size of the rows of one answer, in bytes. A single row may be larger. */
export const ANSWER_BYTES_MAX = 1_000_000

/** A row in the form in which it is moved: its values in the order of the table's columns. */
export function movedRow(table: MovedTable, row: ResultRow): MovedRow {
  // The row has every column, because the statement selects those of this same table. No table of the schema has blobs.
  return table.columns.map((column) => row[column] as BoundValue)
}

/** The columns of a table with the alias `t`. */
export function columnsOf(table: MovedTable): Expression<unknown> {
  return sql.join(table.columns.map((column) => sql.id('t', column)))
}

/** The SQL for the approximate size of a row of `t`, in bytes. */
export function bytesOf(table: MovedTable): Expression<unknown> {
  const bytes = table.columns.map((column) => sql`ifnull(octet_length(${sql.id('t', column)}), 4)`)
  return sql.join(bytes, sql` + `)
}

/** An SQL row value of these columns, or the column itself when there is only one. */
export function tuple(columns: readonly Expression<unknown>[]): Expression<unknown> {
  return columns.length === 1 ? sql.join(columns) : sql`(${sql.join(columns)})`
}

/** The values of a key for slots named `prefix0`, `prefix1` and so on. */
export function keyValues(prefix: string, key: MoveKey): Readonly<Record<string, BoundValue>> {
  return Object.fromEntries(key.map((value, index) => [`${prefix}${index}`, value]))
}
