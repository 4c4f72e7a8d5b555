import { name } from '../statement/compiler.ts'
import type { ResultRow } from '../statement/executor.ts'
import type { Reading } from './reading.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

/** Hosted SQLite holds 2,000,000 bytes in one value. More rows than that travel one by one. */
const TEXT_MAX_BYTES = 1_900_000

/** The rows of one page hold at most so many bytes, unless it is one row that holds more. */
const ROWS_MAX_BYTES = 4 * 1024 * 1024

/** The text of a result that is larger than one value may be. A row's line is never empty. */
export const TOO_LARGE = ''

/** What SQLite says when it gives up on a value that outgrows its limit, before the statement can say `TOO_LARGE`. */
const OUTGROWN = /SQLITE_TOOBIG|string or blob too big/i

/** Whether a statement failed because a result is too large to be one text. */
export function isOutgrown(error: unknown): boolean {
  return OUTGROWN.test(String(error))
}

/** The rows of a reading as one text, a line of JSON for each; null: there is none; `TOO_LARGE`: they are too many. */
export function textOfRows(reading: Reading, prefix: string): RawBuilder<unknown> {
  return sql`(select iif(sum(octet_length(line)) > ${sql.lit(TEXT_MAX_BYTES)}, ${sql.lit(TOO_LARGE)},
    group_concat(line, char(10))) from (${reading.select('line', prefix)}))`
}

/**
 * The rows of a reading as columns, as many as together hold at most `ROWS_MAX_BYTES` bytes, or the first one alone. Every
 * row also says in `is_followed` whether another one follows it, within the bound or not.
 * @param condition without which there are no rows
 */
export function boundedRows(
  reading: Reading,
  prefix: string,
  condition: RawBuilder<unknown>,
): RawBuilder<ResultRow> {
  const fields = reading.fields.map((field) => name(field))
  const bytes = reading.fields.map((field) => sql`ifnull(octet_length(${name(field)}), 4)`)
  return sql<ResultRow>`
    select ${sql.join(fields)}, is_followed from (
      select *, sum(${sql.join(bytes, sql` + `)}) over (rows between unbounded preceding and current row) as running_bytes,
        row_number() over (rows between unbounded preceding and current row) as nth, lead(1, 1, 0) over (rows unbounded preceding) as is_followed
      from (${reading.select('columns', prefix)})
    )
    where ${condition} and (running_bytes <= ${sql.lit(ROWS_MAX_BYTES)} or nth = 1)`
}

/** Takes `is_followed` off rows in place. Whether the bound has cut them short. */
export function takeIsFollowed(rows: readonly Record<string, unknown>[]): boolean {
  const isCutShort = rows.at(-1)?.is_followed === 1
  for (const row of rows) delete row.is_followed
  return isCutShort
}
