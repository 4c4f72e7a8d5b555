import type { MovedRow, MovedTable, MoveKey } from '../../../ports/move.ts'
import { name } from '../statement/compiler.ts'
import type { BoundValue, ResultRow } from '../statement/executor.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

/** Rows of one answer hold at most so many bytes, unless it is one row that holds more. */
export const ANSWER_BYTES_MAX = 1_000_000

/** A row as it is moved: the values in the order of the table's columns. */
export function movedRow(table: MovedTable, row: ResultRow): MovedRow {
  return table.columns.map((column) => row[column] as BoundValue)
}

/** The columns of a table, behind its alias `t`. */
export function columnsOf(table: MovedTable): RawBuilder<unknown> {
  return sql.join(table.columns.map((column) => name('t', column)))
}

/** About how many bytes a row of `t` holds. */
export function bytesOf(table: MovedTable): RawBuilder<unknown> {
  const bytes = table.columns.map((column) => sql`ifnull(octet_length(${name('t', column)}), 4)`)
  return sql.join(bytes, sql` + `)
}

/** A row value of these columns, or the one column. */
export function tuple(columns: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return columns.length === 1 ? sql.join(columns) : sql`(${sql.join(columns)})`
}

/** The values of a key as slots that are called `prefix0`, `prefix1` and so on. */
export function keyValues(prefix: string, key: MoveKey): Readonly<Record<string, BoundValue>> {
  return Object.fromEntries(key.map((value, index) => [`${prefix}${index}`, value]))
}
