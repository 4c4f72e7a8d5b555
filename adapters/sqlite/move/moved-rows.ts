import { sql, type Expression, type SqlBool } from 'kysely'
import type {
  MovedTable,
  MovedRow,
  RowsPage,
  RowsWanted,
  WantedKeys,
  MoveKey,
} from '../../../ports/placement.ts'
import { type Database, parsed, type JsonText } from '../statement/database.ts'
import { bind, slot, template, jsonChunks, type Template } from '../statement/compiler.ts'
import {
  rowsOf,
  type Executor,
  resultsOf,
  type BoundValue,
  type ResultRow,
  type Statement,
} from '../statement/executor.ts'
import { resources } from '../../../domain/resources/index.ts'
import { tableName } from '../tables.ts'
import { templateCache } from '../../sql/statement.ts'

/** Why rows of a table stay in their database when a family moves. */
type Reason = string

/** Tables that do not move, although some of them name organizations. */
export const stayingTables: { readonly [Table in keyof Database]?: Reason } = {
  operator_keys: 'operators belong to the service',
  audit: 'what operators did is a record of the service, kept in the shared database',
  people: 'who signs in is asked in the shared database, wherever an organization lives',
  sign_in_links: 'links that were sent to sign in are the service’s',
  sessions: 'who is signed in is asked in the shared database',
  families: 'the directory, which the switch of a move changes',
  placed_organizations: 'the directory',
  placed_slugs: 'the directory',
  placed_keys: 'the directory',
  placed_forms: 'the directory',
  erasures: 'who was erased is kept in the shared database, beyond the organization',
  write_pauses: 'pauses of writes in one database',
  moves: 'the record of moves, beside the directory',
  move_organizations: 'of moves by an earlier version',
  move_journal: 'of moves by an earlier version',
  move_targets: 'one side of a move',
  move_guards: 'never has rows',
}

/** A column of a table, as SQLite describes it. */
interface ColumnRow {
  readonly table: string
  readonly column: string
  /** The column's place in the primary key, from 1; 0: it is not part of the key. */
  readonly place: number
  /** The declared type. */
  readonly type: string
  readonly nullable: number
}

/** A table whose rows belong to organizations, with all its columns. */
export interface DescribedTable {
  readonly moved: MovedTable
  readonly columns: readonly ColumnRow[]
}

/** The columns of all tables, except those of SQLite and the platform. Generated columns are not included. */
const readColumns = template(sql<ColumnRow>`
  select t.name as "table", c.name as "column", c.pk as place, c.type, not c."notnull" as nullable
  from sqlite_master as t join pragma_table_info(t.name) as c
  where t.type = 'table' and t.name not glob 'sqlite_*' and t.name not glob '_cf_*'
    and (${slot('only')} is null or t.name = ${slot('only')}) order by t.name, c.cid`)

/**
 * The tables whose rows belong to organizations, read from the schema of a database.
 * @param only the name of one table; null: all
 */
export async function readDescribedTables(
  executor: Executor,
  only: string | null = null,
): Promise<readonly DescribedTable[]> {
  const byTable = Map.groupBy(await rowsOf(executor, bind(readColumns, { only })), ({ table }) => table)
  return [...byTable].flatMap(([name, columns]) => {
    const key = columns.filter(({ place }) => place > 0).sort((left, right) => left.place - right.place)
    const isOwned = name === 'api_keys' || key.some(({ column }) => column === OWNER)
    return isOwned && !(name in stayingTables) ? [{ moved: movedTable(name, columns, key), columns }] : []
  })
}

/**
 * The tables whose rows triggers change when rows of others are written, in this order after all others: what counts
 * rows comes after what it counts. An organization comes last of all: while its row is not there, nobody can use it, and
 * no trigger notes a removal for it.
 */
const WRITTEN_LAST: readonly string[] = [
  'automations',
  'checkout_links',
  'contact_lists',
  'links',
  'vouchers',
  'voucher_groups',
  'memberships',
  'membership_cohorts',
  'visible_reviews',
  'organizations',
]

/** The tables to move, in the order in which rows are written: those of `readDescribedTables`. */
export async function readMovedTables(executor: Executor): Promise<readonly MovedTable[]> {
  const tables = (await readDescribedTables(executor)).map(({ moved }) => moved)
  return tables.toSorted((left, right) => WRITTEN_LAST.indexOf(left.name) - WRITTEN_LAST.indexOf(right.name))
}

const OWNER = 'organization_id'

/**
 * A table to move. The key of its rows begins with the organization. That is also possible for `api_keys`, whose
 * primary key is the id alone, because a key never changes its organization.
 */
function movedTable(name: string, columns: readonly ColumnRow[], keyed: readonly ColumnRow[]): MovedTable {
  const key = [OWNER, ...keyed.map(({ column }) => column).filter((column) => column !== OWNER)]
  const others = columns.map(({ column }) => column).filter((column) => !key.includes(column))
  return { name, key, columns: [...key, ...others] }
}

/** The ids of a family's organizations by the rows of a database: `family(id)`, for a `with recursive`. */
const members = sql`family(id) as (
  select organization_id from organizations where organization_id = ${slot('familyId')}
  union select o.organization_id from organizations as o join family as f on o.parent_id = f.id)`

/** Whether an id is one of the family's organizations, by the rows of the database. */
export function inFamily(id: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`${id} in (with recursive ${members} select id from family)`
}

/** Whether every organization of the family has a pause of writes with the token in the shared database. */
export const isPaused = sql<SqlBool>`(exists (select 1 from write_pauses where token = ${slot('token')})
  and not exists (with recursive ${members} select 1 from family where not exists (
    select 1 from write_pauses as w where w.organization_id = family.id and w.token = ${slot('token')})))`

/** The maximum size of the rows of one page, in bytes. A single row may be larger. */
const PAGE_BYTES_MAX = 1_000_000

/** The column by which rows are found that were written since an instant. */
const CLOCK = 'updated_at'

type Found = ResultRow & { readonly rows_found: number }
const pages = templateCache<Template<Found>>()
const byKeys = templateCache<Template<ResultRow>>()
const counted = templateCache<Template<{ readonly counted: string }>>()

/**
 * Tables without an index that begins with the clock, because each of its entries would be billed at every write: what
 * stands before the clock in the index that there is; null: there is none, so all rows of an organization are looked at,
 * except of sends. Those tables are small, or their rows are: looking at a hundred thousand takes a tenth of a second.
 */
const FOUND_BY: Readonly<Record<string, string | null>> = {
  exit_survey_events: null,
  form_signs: null,
  memberships: 'is_cancellation',
  retention_offer_events: null,
  reviews: null,
  sends: null,
  spam_models: null,
  submission_marks: null,
  voucher_redemptions: null,
}

/**
 * The sends that were written since an instant: those that began since, and those that were written later than they
 * began. There is an index for each of the two, which SQLite leaves for the key unless it is named.
 */
const sendsSince = sql`(
  select * from sends indexed by sends_at
    where organization_id = ${slot('organizationId')} and at >= ${slot('since')} and updated_at >= ${slot('since')}
  union all select * from sends indexed by sends_written_later
    where organization_id = ${slot('organizationId')} and updated_at > at and updated_at >= ${slot('since')}
      and at < ${slot('since')})`

/** The columns by which rows are read, the organization's id first. */
function orderOf({ name, key }: MovedTable, since: string | null): readonly string[] {
  const [owner = '', ...rest] = key
  const before = FOUND_BY[name]
  if (since === null || before === null) return key
  return before === undefined ? [owner, CLOCK, ...rest] : [owner, before, CLOCK, ...rest]
}

/** Selects a page of rows, each with the number of rows among which the page was chosen by size. */
function pageTemplate(
  table: MovedTable,
  order: readonly string[],
  isSince: boolean,
  isBehind: boolean,
  isUpTo: boolean,
): Template<Found> {
  return pages(JSON.stringify([table, isSince, isBehind, isUpTo]), () => {
    const columns = order.map((column) => sql.id('t', column))
    const bounded = tuple(columns.slice(1))
    const bound = (name: string) => tuple(order.slice(1).map((_, index) => slot(`${name}${index + 1}`)))
    const behind = isBehind ? sql`and ${bounded} > ${bound('after')}` : sql``
    const before = FOUND_BY[table.name]
    const first = typeof before === 'string' ? sql`and ${sql.id('t', before)} in (0, 1)` : sql``
    // A bound beside that of the row value would keep SQLite from seeking it, so there is one only where that has none.
    const isFrom = isSince && (!isBehind || before !== undefined)
    const from = isFrom ? sql`${first} and ${sql.id('t', CLOCK)} >= ${slot('since')}` : sql``
    const upTo = isUpTo ? sql`and ${bounded} <= ${bound('upTo')}` : sql``
    const inOrder = sql.join(columns)
    const source = isSince && table.name === 'sends' ? sendsSince : sql.id(table.name)
    const running = sql`over (order by ${inOrder} rows between unbounded preceding and current row)`
    const keys = table.key.map((column) => sql.id('t', column))
    const bytes = table.columns.map((column) => sql`ifnull(octet_length(${sql.id('t', column)}), 4)`)
    // Only sizes are added up at first, without the texts, so that a few large rows do not fill the memory.
    return template(sql<Found>`
      with sized as materialized (
        select ${sql.join(keys)}, sum(row_bytes) ${running} as running_bytes,
          row_number() ${running} as nth, count(*) over () as rows_found
        from (select ${sql.join([...new Set([...table.key, ...order])].map((column) => sql.id('t', column)))},
            ${sql.join(bytes, sql` + `)} as row_bytes from ${source} as t
          where ${sql.id('t', 'organization_id')} = ${slot('organizationId')} ${from} ${behind} ${upTo}
          order by ${inOrder} limit +${slot('limit')}) as t
      )
      select ${columnsOf(table)}, s.rows_found from sized as s cross join ${sql.id(table.name)} as t
        on ${sql.join(
          table.key.map((column) => sql`${sql.id('t', column)} = ${sql.id('s', column)}`),
          sql` and `,
        )}
      where s.running_bytes <= ${sql.lit(PAGE_BYTES_MAX)} or s.nth = 1 order by ${inOrder}`)
  })
}

/** Reads a page of each of some rows, in one batch. */
export async function readPages(
  executor: Executor,
  wanted: readonly RowsWanted[],
): Promise<readonly RowsPage[]> {
  if (wanted.length === 0) return []
  const results = await resultsOf(executor, wanted.map(pageStatement))
  return wanted.map(({ table, since, rowsMax }, index) => {
    const found = results[index]?.rows ?? []
    const rows = found.map((row) => movedRow(table, row))
    const isCut = rows.length === rowsMax || rows.length < (found[0]?.rows_found ?? 0)
    // An organization's own row has no key but the organization, so no row can follow it.
    const last = isCut && table.key.length > 1 ? rows.at(-1) : undefined
    const order = orderOf(table, since).map((column) => table.columns.indexOf(column))
    return { rows, next: last === undefined ? null : order.map((place) => last[place] ?? null) }
  })
}

function pageStatement({ table, organizationId, since, after, upTo = null, rowsMax }: RowsWanted) {
  const order = orderOf(table, since)
  const values: Record<string, BoundValue> = {
    ...{ organizationId, since, limit: rowsMax },
    ...keyValues('after', after ?? []),
    ...keyValues('upTo', upTo ?? []),
  }
  return bind(pageTemplate(table, order, since !== null, after !== null, upTo !== null), values)
}

/** Selects the rows with some keys, which are a JSON array. */
function byKeysTemplate(table: MovedTable): Template<ResultRow> {
  return byKeys(JSON.stringify(table), () => {
    const isRow = table.key.map(
      (column, index) => sql`${sql.id('t', column)} = k.value ->> ${sql.lit(index)}`,
    )
    return template(sql<ResultRow>`
      select ${columnsOf(table)} from json_each(${slot('keys')}) as k cross join ${sql.id(table.name)} as t
        on ${sql.join(isRow, sql` and `)}`)
  })
}

/** Looks up rows by their keys, in one batch. */
export async function findRows(
  executor: Executor,
  wanted: readonly WantedKeys[],
): Promise<readonly (readonly MovedRow[])[]> {
  const lookups = wanted.flatMap(({ table, keys }, index) =>
    jsonChunks(keys).map((chunk) => ({
      table,
      index,
      statement: bind(byKeysTemplate(table), { keys: chunk }),
    })),
  )
  if (lookups.length === 0) return wanted.map(() => [])
  const results = await resultsOf(
    executor,
    lookups.map(({ statement }) => statement),
  )
  return wanted.map(({ table }, of) =>
    lookups.flatMap(({ index }, at) =>
      index === of ? (results[at]?.rows ?? []).map((row) => movedRow(table, row)) : [],
    ),
  )
}

/** Counts the rows of organizations in tables, in one batch. Versions of rows, which no clock tells, are added up. */
export async function countRows(
  executor: Executor,
  tables: readonly MovedTable[],
  organizationIds: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const statements = organizationIds.flatMap((organizationId) =>
    tables.map((table): Statement<{ readonly counted: string }> =>
      bind(countTemplate(table), { organizationId }),
    ),
  )
  const results = statements.length === 0 ? [] : await resultsOf(executor, statements)
  return organizationIds.map((_, of) =>
    tables.map((_table, index) => results[of * tables.length + index]?.rows[0]?.counted ?? ''),
  )
}

function countTemplate({ name, columns }: MovedTable): Template<{ readonly counted: string }> {
  const isVersioned = columns.includes('version')
  return counted(JSON.stringify([name, isVersioned]), () => {
    const versions = isVersioned ? sql`|| total(t.version)` : sql``
    return template(sql<{ readonly counted: string }>`
      select count(*) || ' ' ${versions} as counted from ${sql.id(name)} as t
      where t.organization_id = ${slot('organizationId')}`)
  })
}

/** The tables whose rows go with those of another, which a trigger sees to and of which no removal tells. */
const GOING_WITH: Readonly<Record<string, readonly string[]>> = { form_submissions: ['submission_marks'] }

/** The keys of the rows that removals name, by table, and of those that went with them. */
export function removedKeys(table: MovedTable, removals: readonly MovedRow[]) {
  const removed = removals.flatMap((row) => {
    const [owner, collection, id, parentId] = (
      ['organization_id', 'collection', 'id', 'parent_id'] as const
    ).map((column) => row[table.columns.indexOf(column)] ?? null)
    const of = resources.find(({ removal }) => removal?.collection === collection)
    if (of === undefined) return []
    // The id of a copy of a review consists of those of the review and of its organization.
    const rest = of.key.length > 1 ? [parentId, id] : [parentId === null ? id : `${id} ${parentId}`]
    const key = [owner ?? null, ...rest.map((value) => value ?? null)]
    const own = tableName(of.collection)
    return [own, ...(GOING_WITH[own] ?? [])].map((name) => ({ table: name, key }))
  })
  return [...Map.groupBy(removed, (one) => one.table)].map(([name, rows]) => ({
    table: name,
    keys: rows.map(({ key }) => key),
  }))
}

/** A row in the form in which it is moved: its values in the order of the table's columns. */
function movedRow(table: MovedTable, row: ResultRow): MovedRow {
  // The row has every column, because the statement selects those of this same table. No table of the schema has blobs.
  return table.columns.map((column) => row[column] as BoundValue)
}

/** The columns of a table with the alias `t`. */
function columnsOf(table: MovedTable): Expression<unknown> {
  return sql.join(table.columns.map((column) => sql.id('t', column)))
}

/** An SQL row value of these columns, or the column itself when there is only one. */
export function tuple(columns: readonly Expression<unknown>[]): Expression<unknown> {
  return columns.length === 1 ? sql.join(columns) : sql`(${sql.join(columns)})`
}

/** The values of a key for slots named `prefix0`, `prefix1` and so on. */
export function keyValues(prefix: string, key: MoveKey): Readonly<Record<string, BoundValue>> {
  return Object.fromEntries(key.map((value, index) => [`${prefix}${index}`, value]))
}

/** The names and texts of a table's triggers. */
type TriggerTexts = JsonText<readonly (readonly [name: string, sql: string])[]>

/**
 * The triggers of the schema. A move that the version 1.0.0 began may have left others, which have nothing to do with an
 * organization as a whole.
 */
const lasting = sql`type = 'trigger' and name not glob 'move_*'`
const triggerTexts = sql`json_group_array(json_array(name, sql) order by name)`

const readTriggers = template(sql<{ readonly table: string; readonly texts: TriggerTexts }>`
  select tbl_name as "table", ${triggerTexts} as texts from sqlite_master
  where ${lasting} and (${slot('only')} is null or tbl_name = ${slot('only')}) group by tbl_name`)

const knowsTriggers = template(sql`
  insert into move_guards (broken) select 'triggers' where ${slot('texts')} is not (
    select iif(count(*) > 0, ${triggerTexts}, null) from sqlite_master where ${lasting} and tbl_name = ${slot('table')})`)

/** Matches SQLite's message when the triggers are no longer those that were read. */
export const OTHER_TRIGGERS = /move_knows_triggers/

/** The triggers of a database, as they were when they were read. */
interface KnownTriggers {
  /**
   * Wraps statements in others that drop the triggers of the table and create them again. All of them must run in one
   * transaction, so that nobody else sees the table without its triggers. The batch fails with `OTHER_TRIGGERS` when
   * the table's triggers have changed since.
   */
  silenced(table: string, statements: readonly Statement[]): readonly Statement[]
}

/**
 * Reads the triggers of a database.
 * @param only the name of the only table whose triggers are needed; null: all
 */
export async function readKnownTriggers(
  executor: Executor,
  only: string | null = null,
): Promise<KnownTriggers> {
  const rows = await rowsOf(executor, bind(readTriggers, { only }))
  const known = new Map(rows.map((row) => [row.table, row.texts]))
  return {
    silenced(table, statements) {
      const all = known.get(table)
      const triggers = all === undefined ? [] : parsed(all)
      return [
        bind(knowsTriggers, { table, texts: all ?? null }),
        ...triggers.map(([trigger]) => bind(template(sql`drop trigger ${sql.id(trigger)}`), {})),
        ...statements,
        ...triggers.map(([, text]): Statement => ({ sql: text, parameters: [] })),
      ]
    },
  }
}
