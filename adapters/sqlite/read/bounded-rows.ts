import { sql, type Expression, type RawBuilder } from 'kysely'
import { PAGE_MAX_BYTES, positionIn } from '../../../domain/read/pages/page-of-texts.ts'
import type { Order, Position } from '../../../ports/records.ts'
import { VALUE_MAX_BYTES } from '../statement/hosted-limits.ts'
import type { ResultRow } from '../statement/executor.ts'
import { STOPPED_AT } from './page-select.ts'
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
  const line = reading.mayStop() ? sql`ifnull(line, ${sql.id(STOPPED_AT)})` : sql`line`
  return sql`(select iif(sum(octet_length(line)) > ${sql.lit(TEXT_MAX_BYTES)}, ${sql.lit(TOO_LARGE)},
    group_concat(${line}, char(10))) from (${reading.select('line', prefix)}))`
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
  const more = reading.mayStop() ? sql`, ${sql.id(STOPPED_AT)}` : sql``
  const bytes = reading.fields.map((field) => sql`ifnull(octet_length(${sql.id(field)}), 4)`)
  return sql<ResultRow>`
    select ${sql.join(fields)}${more}, is_followed from (
      select *, sum(${sql.join(bytes, sql` + `)}) over (rows between unbounded preceding and current row) as running_bytes,
        row_number() over (rows between unbounded preceding and current row) as nth, lead(1, 1, 0) over (rows unbounded preceding) as is_followed
      from (${reading.select('columns', prefix)})
    )
    where ${condition} and (running_bytes <= ${sql.lit(ROWS_MAX_BYTES)} or nth = 1)`
}

/** Rows as lines of JSON, and the position at which no more were looked at; null: all were. */
export interface Lines {
  readonly text: string
  readonly stoppedAt: Position | null
}

/** The lines of a result, without that of the position. A row is an object, and the position is an array. */
export function linesOfText(text: string): Lines {
  const start = text.lastIndexOf('\n') + 1
  if (!text.startsWith('[', start)) return { text, stoppedAt: null }
  return { text: text.slice(0, Math.max(0, start - 1)), stoppedAt: parsedPosition(text.slice(start)) }
}

/**
 * Removes from bounded rows what is none of their fields, in place. Without an order they are no page. Returns the position at which they end early: that of
 * the last one when the bound has cut them short, or where no more were looked at. Null: they do not.
 */
export function takeStop(rows: Record<string, unknown>[], order: Order | null): Position | null {
  const last = rows.at(-1)
  const stopped = last?.stopped_at
  const cut = last?.is_followed === 1 && order !== null ? positionIn(last, order) : null
  if (typeof stopped === 'string') rows.pop()
  for (const row of rows) {
    delete row.is_followed
    delete row.stopped_at
  }
  return typeof stopped === 'string' ? parsedPosition(stopped) : cut
}

function parsedPosition(text: string): Position {
  const [value, id] = JSON.parse(text) as readonly [Position['value'], string]
  return { value, id }
}
