import type { StoredRow } from '../../../ports/records.ts'
import type { ResultRow } from '../statement/executor.ts'
import type { Table } from './tables.ts'

/** Turns rows as SQLite returns them into stored rows, in place: 0 and 1 become booleans, and JSON is parsed. */
export function decodeRows(table: Table, select: readonly string[], rows: ResultRow[]): readonly StoredRow[] {
  const storageOf = (field: string) => table.columns.get(field)?.storage ?? table.joins.get(field)?.storage
  const booleans = select.filter((field) => storageOf(field) === 'boolean')
  const documents = select.filter((field) => storageOf(field) === 'json')
  for (const row of rows) {
    for (const field of booleans) if (row[field] !== null) row[field] = row[field] === 1
    for (const field of documents) {
      const text = row[field]
      if (typeof text === 'string') row[field] = JSON.parse(text)
    }
  }
  return rows
}
