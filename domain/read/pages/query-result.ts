import type { QueryResult } from '../../../ports/organizations.ts'
import type { StoredRow } from '../../../ports/records.ts'

/** The rows of a result as JSON texts, one for each row; null when the result has values. */
export function linesOf(result: QueryResult): readonly string[] | null {
  if (result.kind === 'rows') return null
  return result.text === '' ? [] : result.text.split('\n')
}

/** The rows of a result as values. */
export function storedRowsOf(result: QueryResult): readonly StoredRow[] {
  return result.kind === 'rows' ? result.rows : (linesOf(result) ?? []).map(parsedLine)
}

/** Whether a query found nothing. */
export function isEmpty(result: QueryResult): boolean {
  return result.kind === 'rows' ? result.rows.length === 0 : result.text === ''
}

/** Parses a row from its JSON text. */
export function parsedLine(line: string): StoredRow {
  // Storage wrote the line as one object. Checking it would cost time for every row of every read.
  return JSON.parse(line) as StoredRow
}
