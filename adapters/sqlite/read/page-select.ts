import { sql, type Expression, type RawBuilder } from 'kysely'
import type { StorageType } from '../../../domain/record/field.ts'
import type { PageQuery, Predicate } from '../../../ports/records.ts'
import { comparison } from '../../sql/statement.ts'
import { slot } from '../statement/compiler.ts'
import { ARGUMENTS_MAX, type ResultRow } from '../statement/executor.ts'
import { columnOf, type PageIndex, type Table, type JoinedColumn } from '../tables.ts'
import type { PageBounds } from '../../../domain/read/query.ts'
import { columnName } from '../statement/database.ts'

/**
 * The column of a row that is none, the last one of a page for which no more rows are looked at: the position of the row
 * that was looked at last, as a JSON array. In the form of lines it is a line of its own.
 */
export const STOPPED_AT = 'stopped_at'

/** What of a page's query its SQL depends on. */
interface PageShape extends Pick<PageQuery, 'select' | 'order'> {
  readonly looksAtMax?: number | undefined
}

/**
 * The SQL for the rows of a page, in the slots `owner` and, with the prefix, `limit`, `where0`, `where1`, …, after a
 * position `seekValue` and `seekId`, and `looksAtMax` where the query has that. It walks one index from where the page
 * begins, or, when a filter that selects few rows has no index in this order, sorts what it selects. Filters that the
 * index does not narrow by are tested row by row.
 */
export function pageSelect(
  table: Table,
  by: PageIndex,
  { select, order, looksAtMax }: PageShape,
  { where, seek }: PageBounds,
  form: RowForm,
  prefix: string,
): RawBuilder<ResultRow> {
  const limit = slot<number>(`${prefix}limit`)
  const conditions = where.map((predicate, index) => ({
    predicate,
    on: (alias: string) => condition(table, alias, predicate, slot(`${prefix}where${index}`)),
  }))
  const isServed = servedBy(by, order)
  const served = conditions.filter(({ predicate }) => isServed(predicate)).map(({ on }) => on('t'))
  const tested = conditions.filter(({ predicate }) => !isServed(predicate))
  const indexed = sql`${sql.id(table.name)} as t indexed by ${sql.id(by.name)}`
  const isBounded = where.some(({ field }) => field === order.field)
  const ordered = (rows: RowsOf) => inOrder(rows, table, order, { seek, isBounded }, prefix)

  if (!mayStop(by, { order, looksAtMax }, { where })) {
    const all = [...served, ...tested.map(({ on }) => on('t'))]
    return ordered({ selected: selectFrom(table, select, form, indexed), conditions: all, most: limit })
  }

  const key = [table.ownerColumn, ...table.keyColumns]
  const walk = walkOf(table, order, key, tested, indexed)
  const most = slot<number>(`${prefix}looksAtMax`)
  const looked = ordered({ selected: walk, conditions: served, most })
  const isFound = sql.join(
    tested.map(({ on }) => on('w')),
    sql` and `,
  )
  const isOfKey = key.map((column) => sql`${sql.id('t', column)} = ${sql.id('w', column)}`)
  const found = sql`(select * from (${looked}) as w where ${isFound} limit +${limit}) as w
    cross join ${sql.id(table.name)} as t on ${sql.join(isOfKey, sql` and `)}`
  const columns = form === 'columns' ? select : ['line']
  const position = [order.field, order.idField].map((field) => sql.id('w', columnOf(table, field).name))
  return sql<ResultRow>`
    select * from (
      select *, null as ${sql.id(STOPPED_AT)} from (${selectFrom(table, select, form, found)})
    ) union all select * from (
      select ${sql.join(columns.map(() => sql`null`))}, json_array(${sql.join(position)})
      from (${looked}) as w limit 1 offset +${most} - 1
    ) limit +${limit}`
}

/**
 * Whether a page may end before its limit because enough rows were looked at: when some of its filters are tested row by
 * row. Rows that are sorted are few, and all of them are read.
 */
export function mayStop(
  by: PageIndex,
  { order, looksAtMax }: Pick<PageShape, 'order' | 'looksAtMax'>,
  { where }: Pick<PageBounds, 'where'>,
): boolean {
  return looksAtMax !== undefined && by.orderField === order.field && !where.every(servedBy(by, order))
}

/** Whether an index leads straight to the rows that satisfy a predicate. */
function servedBy(by: PageIndex, order: PageQuery['order']): (predicate: Predicate) => boolean {
  return ({ field }) => field === order.field || by.narrowing.includes(field)
}

/** Rows of a table in an order: what is selected of them, from where, on which conditions, and at most how many. */
interface RowsOf {
  readonly selected: RawBuilder<ResultRow>
  readonly conditions: readonly Expression<unknown>[]
  readonly most: Expression<unknown>
}

/**
 * What is looked at: the keys, the order and the tested fields of rows that an index holds, so that nothing else is read
 * of a row that is not found. At most `looksAtMax` rows are looked at. When fewer rows than the page's limit are found
 * among them, they are read once more, to learn where they end: that is cheaper than to number them, which D1 counts
 * three times.
 */
function walkOf(
  table: Table,
  order: PageQuery['order'],
  key: readonly string[],
  tested: readonly { readonly predicate: Predicate }[],
  indexed: Expression<unknown>,
): RawBuilder<ResultRow> {
  const compared = tested.flatMap(({ predicate: { field, others = [] } }) => [field, ...others])
  const fields = [order.field, order.idField, ...compared]
  const columns = new Set([...key, ...fields.map((field) => columnOf(table, field).name)])
  return sql<ResultRow>`select ${sql.join([...columns].map((column) => sql.id('t', column)))} from ${indexed}`
}

/**
 * The SQL for rows in the page's order, from where the page begins. Rows without a value in the order's field come last:
 * where such rows are possible, they are a second part, which is read only when the first one does not suffice.
 */
function inOrder(
  { selected, conditions, most }: RowsOf,
  table: Table,
  order: PageQuery['order'],
  { seek, isBounded }: Pick<PageBounds, 'seek'> & { readonly isBounded: boolean },
  prefix: string,
): RawBuilder<ResultRow> {
  const column = columnOf(table, order.field)
  const sort = sql.id('t', column.name)
  const tie = sql.id('t', columnOf(table, order.idField).name)
  const ascending = order.direction === 'ascending'
  const direction = sql.raw(ascending ? 'asc' : 'desc')
  const beyond = sql.raw(ascending ? '>' : '<')
  const owned = sql`${sql.id('t', table.ownerColumn)} = ${slot('owner')}`
  const rows = (...more: readonly Expression<unknown>[]) => sql<ResultRow>`
    ${selected} where ${sql.join([owned, ...conditions, ...more], sql` and `)}
    order by ${sort} ${direction}, ${tie} ${direction} limit +${most}`

  const seekId = slot(`${prefix}seekId`)
  if (seek?.value === null) return rows(sql`${sort} is null`, sql`${tie} ${beyond} ${seekId}`)
  const after = sql`(${sort}, ${tie}) ${beyond} (${slot(`${prefix}seekValue`)}, ${seekId})`
  const seeks = seek === null ? [] : [after]
  if (!column.nullable || isBounded) return rows(...seeks)

  // In ascending order the position is already a lower bound, and SQLite would scan for a second lower bound.
  const floor = ascending && seek !== null ? [] : [sql`${sort} >= ${sql.raw(FLOORS[column.storage])}`]
  return sql<ResultRow>`
    select * from (${rows(...seeks, ...floor)}) union all select * from (${rows(sql`${sort} is null`)})
    limit +${most}`
}

/**
 * A value that sorts before every value of the column. SQLite can seek to it, whereas for IS NOT NULL it would read all
 * rows with null.
 */
const FLOORS: Readonly<Record<StorageType, string>> = {
  text: "''",
  json: "''",
  integer: '-9223372036854775808',
  real: '-9e999',
  boolean: '0',
}

function condition(
  table: Table,
  alias: string,
  { field, others = [], operator }: Predicate,
  value: Expression<unknown>,
): Expression<unknown> {
  const named = (of: string) => sql.id(alias, columnOf(table, of).name)
  const column = named(field)
  if (operator === 'contains')
    return sql`exists (select 1 from json_each(${column}) as listed where listed.value = ${value})`
  if (operator === 'mentions') {
    const mentioned = [column, ...others.map(named)].map(
      (document) => sql`exists (select 1 from json_tree(${document}) as part
        where part.type in ('text', 'integer', 'real') and instr(lower(part.atom), ${value}) > 0)`,
    )
    return sql`(${sql.join(mentioned, sql` or `)})`
  }
  return sql`${column} ${comparison(operator)} ${value}`
}

/** How a row is selected: a column for each field under the field's name, or one column `line` of JSON. */
export type RowForm = 'columns' | 'line'

/** `select … from … as t`, with a left join for each pair of a joined collection and the reference to it. */
export function selectFrom(
  table: Table,
  select: readonly string[],
  form: RowForm,
  from: Expression<unknown> = sql`${sql.id(table.name)} as t`,
): RawBuilder<ResultRow> {
  const aliases = new Map<string, string>()
  const joins: Expression<unknown>[] = []
  const members = select.map((field): JsonMember => {
    const join = table.joins.get(field)
    if (join === undefined) return stored(table, field)
    const key = `${join.collection} ${join.by}`
    const alias = aliases.get(key) ?? `j${aliases.size}`
    if (!aliases.has(key)) joins.push(leftJoin(table, join, alias))
    aliases.set(key, alias)
    return { field, storage: join.storage, value: sql.id(alias, columnName(join.field)) }
  })
  const columns = members.map(({ field, value }) => sql`${value} as ${sql.id(field)}`)
  const selected = form === 'columns' ? sql.join(columns) : sql`${jsonLine(members)} as line`
  return sql<ResultRow>`select ${selected} from ${from} ${sql.join(joins, sql` `)}`
}

function stored(table: Table, field: string): JsonMember {
  const { name: column, storage, expression } = columnOf(table, field)
  return { field, storage, value: expression === null ? sql.id('t', column) : sql.raw(expression) }
}

function leftJoin(table: Table, join: JoinedColumn, alias: string): Expression<unknown> {
  return sql`left join ${sql.id(join.table)} as ${sql.id(alias)}
    on ${sql.id(alias, table.ownerColumn)} = ${sql.id('t', table.ownerColumn)}
    and ${sql.id(alias, join.idColumn)} = ${sql.id('t', columnOf(table, join.by).name)}`
}

/** One column of a row that is written as JSON: the member's name and the SQL of its value. */
interface JsonMember {
  readonly field: string
  readonly storage: StorageType
  readonly value: Expression<unknown>
}

/** The maximum number of members for one call of the function, of which one argument is the format. */
const MEMBERS_MAX = ARGUMENTS_MAX - 1

/**
 * The SQL for a row as the text of a JSON object. SQLite escapes text as `JSON.stringify` does, and JSON values are
 * stored as `JSON.stringify` wrote them. Fractions are written with 17 digits, which identify every double exactly.
 */
export function jsonLine(members: readonly JsonMember[]): Expression<unknown> {
  const parts: Expression<unknown>[] = []
  for (let start = 0; start < members.length; start += MEMBERS_MAX) {
    parts.push(formatted(members.slice(start, start + MEMBERS_MAX), start > 0))
  }
  return sql`'{' || ${sql.join(parts, sql` || `)} || '}'`
}

function formatted(members: readonly JsonMember[], continues: boolean): Expression<unknown> {
  const names = members.map(({ field }) => `"${field}":%s`).join()
  const format = sql.lit(continues ? `,${names}` : names)
  return sql`format(${format}, ${sql.join(members.map(written))})`
}

function written({ storage, value }: JsonMember): Expression<unknown> {
  switch (storage) {
    case 'text':
      return sql`json_quote(${value})`
    case 'integer':
    case 'json':
      return sql`ifnull(${value}, 'null')`
    case 'real':
      // format() takes null for the number 0.
      return sql`iif(${value} is null, 'null', format('%!.17g', ${value}))`
    case 'boolean':
      return sql`case ${value} when 1 then 'true' when 0 then 'false' else 'null' end`
  }
}
