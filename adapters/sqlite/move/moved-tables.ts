import { sql, type Expression, type SqlBool } from 'kysely'
import type { MovedTable } from '../../../ports/moves.ts'
import type { Database } from '../statement/database.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'

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
export interface ColumnRow {
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
