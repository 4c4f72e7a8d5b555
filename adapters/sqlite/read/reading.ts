import { sql, type RawBuilder, type Expression } from 'kysely'
import type {
  OneQuery,
  PageQuery,
  ReadQuery,
  Scalar,
  GroupPosition,
  GroupsQuery,
  Order,
  Position,
} from '../../../ports/records.ts'
import { slot } from '../statement/compiler.ts'
import { VALUE_MAX_BYTES, type BoundValue, type ResultRow } from '../statement/executor.ts'
import { indexOf, columnOf, tableOf, type TableSet } from '../tables.ts'
import { foldBounds, type PageBounds } from '../../../domain/read/query.ts'
import { mayStop, pageSelect, selectFrom, jsonLine, STOPPED_AT, type RowForm } from './page-select.ts'
import { comparison } from '../../sql/statement.ts'
import { PAGE_MAX_BYTES, positionIn } from '../../../domain/read/page.ts'

/** A read of one owner's rows before it is compiled, alone or as part of a larger statement. */
export interface Reading {
  /** Identifies the SQL: reads of the same shape differ only in their values. */
  readonly shape: string
  /** The fields of its rows, in order. */
  readonly fields: readonly string[]
  /** Whether its rows have the column `STOPPED_AT`. Throws as `select` does. */
  readonly mayStop: () => boolean
  /** The SQL of its rows, in the slot `owner` and slots of its own, whose names begin with the prefix. */
  readonly select: (form: RowForm, prefix: string) => RawBuilder<ResultRow>
  /** The values of its own slots, by their names without the prefix. */
  readonly values: Readonly<Record<string, BoundValue>>
}

/** Prepares a read. Throws for a collection or field that is not stored, when the SQL is made. */
export function readingOf(tables: TableSet, query: ReadQuery): Reading {
  switch (query.kind) {
    case 'one':
      return oneReading(tables, query)
    case 'page':
      return pageReading(tables, query)
    case 'groups':
      return {
        shape: groupsShape(query),
        fields: ['value', ...query.sums],
        mayStop: () => false,
        select: (form, prefix) => groupsSelect(query, form, prefix),
        values: {
          limit: query.limit,
          ...whereValues(query.where),
          ...(query.after === null ? {} : { afterSum: query.after.sum, afterValue: query.after.value }),
        },
      }
  }
}

function groupsShape({ collection, by, where, sums, order, after }: Extract<ReadQuery, { kind: 'groups' }>) {
  const start = after === null ? '' : after.value === null ? ' nulls' : ' seek'
  return `groups|${collection}|${by}|${operators(where)}|${sums.join()}|${order}${start}`
}

function oneReading(tables: TableSet, { collection, select, id }: OneQuery): Reading {
  return {
    shape: `one|${collection}|${select.join()}`,
    fields: select,
    mayStop: () => false,
    select: (form, prefix) => {
      const table = tables.tableOf(collection)
      return sql`${selectFrom(table, select, form)}
        where ${sql.id('t', table.ownerColumn)} = ${slot('owner')}
          and ${sql.id('t', table.idColumn)} = ${slot(`${prefix}id`)}`
    },
    values: { id },
  }
}

function pageReading(tables: TableSet, query: PageQuery): Reading {
  const bounds = foldBounds(query)
  const { where, seek } = bounds
  const { looksAtMax } = query
  const indexOfPage = () => tables.indexOf(tables.tableOf(query.collection), where, query.order.field)
  return {
    shape: pageShape(query, bounds),
    fields: query.select,
    mayStop: () => mayStop(indexOfPage(), query, bounds),
    select: (form, prefix) =>
      pageSelect(tables.tableOf(query.collection), indexOfPage(), query, bounds, form, prefix),
    values: {
      limit: query.limit,
      ...(looksAtMax === undefined ? {} : { looksAtMax }),
      ...whereValues(where),
      ...(seek === null ? {} : { seekValue: seek.value, seekId: seek.id }),
    },
  }
}

function pageShape(
  { collection, select, order, looksAtMax }: PageQuery,
  { where, seek }: PageBounds,
): string {
  const start = seek === null ? '' : seek.value === null ? ' nulls' : ' seek'
  const ordered = `${order.field} ${order.idField} ${order.direction}${start}`
  const kind = looksAtMax === undefined ? 'page' : 'walk'
  return `${kind}|${collection}|${select.join()}|${operators(where)}|${ordered}`
}

function operators(where: PageQuery['where']): string {
  return where.map(({ field, others = [], operator }) => [field, ...others, operator].join(' ')).join()
}

function whereValues(where: PageQuery['where']): Record<string, BoundValue> {
  const values: Record<string, BoundValue> = {}
  where.forEach(({ value }, index) => (values[`where${index}`] = scalar(value)))
  return values
}

function scalar(value: Scalar): BoundValue {
  return typeof value === 'boolean' ? Number(value) : value
}

/**
 * The SQL of a query for groups, in the slots of a page and `afterSum` and `afterValue`. Every row of the time window
 * is read by its index and added up, and the page is cut from the groups. Throws for a field that is not stored, and
 * for a query without a time window.
 */
function groupsSelect(
  { collection, by, where, sums, order, after }: GroupsQuery,
  form: RowForm,
  prefix: string,
): RawBuilder<ResultRow> {
  const table = tableOf(collection)
  const window = where.find(({ operator }) => operator !== 'equals')
  if (window === undefined) throw new Error(`Groups of all ${collection} there are`)
  const index = indexOf(table, where, window.field)
  const conditions = where.map(
    ({ field, operator }, position) =>
      sql`${sql.id(columnOf(table, field).name)} ${comparison(operator)} ${slot(`${prefix}where${position}`)}`,
  )
  const added = sums.map((field) => sql`sum(${sql.id(columnOf(table, field).name)}) as ${sql.id(field)}`)
  const [first] = sums
  const selected = form === 'columns' ? sql`*` : sql`${jsonLine(groupMembers(sums))} as line`
  return sql<ResultRow>`
    select ${selected} from (
      select ${sql.id(columnOf(table, by).name)} as value, ${sql.join(added)}
      from ${sql.id(table.name)} indexed by ${sql.id(index.name)}
      where organization_id = ${slot('owner')} and ${sql.join(conditions, sql` and `)}
      group by 1
    ) ${startOf(order, sql.id(first), after, prefix)}
    order by ${order === 'sum' ? sql`${sql.id(first)} desc, value is null, value` : sql`value desc`}
    limit +${slot(`${prefix}limit`)}`
}

function groupMembers(sums: GroupsQuery['sums']): Parameters<typeof jsonLine>[0] {
  const added = sums.map((field) => ({ field, storage: 'integer', value: sql.id(field) }) as const)
  return [{ field: 'value', storage: 'text', value: sql.id('value') }, ...added]
}

/** The condition on the groups that follow a position. In descending order, SQLite puts nulls last. */
function startOf(
  order: GroupsQuery['order'],
  first: Expression<unknown>,
  after: GroupPosition | null,
  prefix: string,
): Expression<unknown> {
  if (after === null) return sql``
  if (order === 'value') {
    return after.value === null
      ? sql`where false`
      : sql`where value < ${slot(`${prefix}afterValue`)} or value is null`
  }
  const tie =
    after.value === null ? sql`false` : sql`(value > ${slot(`${prefix}afterValue`)} or value is null)`
  return sql`where ${first} < ${slot(`${prefix}afterSum`)} or (${first} = ${slot(`${prefix}afterSum`)} and ${tie})`
}

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
interface Lines {
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
