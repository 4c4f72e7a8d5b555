import type { ResultRow, StatementResult } from '../sqlite/statement/executor.ts'
import type { PackedResult } from './protocol.ts'

/** A result with its rows as objects, by column name, which the storage expects. */
export function unpacked({ columns, rows, changes, rowsRead, rowsWritten }: PackedResult): StatementResult {
  return { rows: rows.map((row) => rowOf(columns, row)), changes, rowsRead, rowsWritten }
}

function rowOf(columns: readonly string[], values: readonly unknown[]): ResultRow {
  const row: ResultRow = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index]
  return row
}
