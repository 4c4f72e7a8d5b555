import type { Expression, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { PAGE_MAX_BYTES } from '../../../domain/read/pages/page-of-texts.ts'
import { VALUE_MAX_BYTES } from '../statement/hosted-limits.ts'
import type { ResultRow } from '../statement/executor.ts'
import type { Reading } from './reading.ts'

/** The maximum size of a result as one text, in bytes: a value with room to spare. Larger results are sent row by row. */
const TEXT_MAX_BYTES = VALUE_MAX_BYTES - 100_000

/** The maximum size of the rows of one page, in bytes. A single row may be larger. */
const ROWS_MAX_BYTES = PAGE_MAX_BYTES

/**
 * Marks a result that is larger than one value may be. It differs from every result, because a row's line is never
 * empty.
 */
export const TOO_LARGE = ''

/**
 * Matches SQLite's error for a value that exceeds its limit while the statement is still computing it, before it can
 * return `TOO_LARGE`.
 */
const OUTGROWN = /SQLITE_TOOBIG|string or blob too big/i

/** Whether a statement failed because its result is too large for one text. */
export function isOutgrown(error: unknown): boolean {
  return OUTGROWN.test(String(error))
}

/**
 * The SQL for the rows of a reading as one text with a line of JSON for each; null: there are no rows; `TOO_LARGE`:
 * they are too large.
 */
export function textOfRows(reading: Reading, prefix: string): RawBuilder<string | null> {
  return sql`(select iif(sum(octet_length(line)) > ${sql.lit(TEXT_MAX_BYTES)}, ${sql.lit(TOO_LARGE)},
    group_concat(line, char(10))) from (${reading.select('line', prefix)}))`
}

/**
 * The SQL for the rows of a reading as columns: as many rows as together have at most `ROWS_MAX_BYTES` bytes, or the
 * first one alone. In every row, `is_followed` says whether another row follows, within the bound or not.
 * @param condition a condition without which there are no rows
 */
export function boundedRows(
  reading: Reading,
  prefix: string,
  condition: Expression<unknown>,
): RawBuilder<ResultRow> {
  const fields = reading.fields.map((field) => sql.id(field))
  const bytes = reading.fields.map((field) => sql`ifnull(octet_length(${sql.id(field)}), 4)`)
  return sql<ResultRow>`
    select ${sql.join(fields)}, is_followed from (
      select *, sum(${sql.join(bytes, sql` + `)}) over (rows between unbounded preceding and current row) as running_bytes,
        row_number() over (rows between unbounded preceding and current row) as nth, lead(1, 1, 0) over (rows unbounded preceding) as is_followed
      from (${reading.select('columns', prefix)})
    )
    where ${condition} and (running_bytes <= ${sql.lit(ROWS_MAX_BYTES)} or nth = 1)`
}

/** Removes `is_followed` from the rows, in place. Returns whether the bound has cut the rows short. */
export function takeIsFollowed(rows: readonly Record<string, unknown>[]): boolean {
  const isCutShort = rows.at(-1)?.is_followed === 1
  for (const row of rows) delete row.is_followed
  return isCutShort
}
