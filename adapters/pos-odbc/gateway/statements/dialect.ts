import {
  sql,
  type AliasedExpression,
  type Expression,
  type QueryCompiler,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'
import { slot } from '../../../sql/statement.ts'
import type { DialectName } from '../families/family.ts'
import type { ColumnType, RecordedValue } from '../tables/column.ts'
import type { Database, Row, TableName } from '../tables/database.ts'
import { db, OdbcPostgresCompiler, OdbcSqliteCompiler } from './template.ts'

/** The children `x` of the parent whose id is `parentId`, the newest few first. */
export type NewestChildren = SelectQueryBuilder<Database & { x: Row }, 'x', object>

/** Parents and their children: a row for each child. */
export type ParentsAndChildren = SelectQueryBuilder<
  Database & { p: { value: string }; e: Row },
  'p' | 'e',
  object
>

/** The id of a parent in a statement of `Dialect`'s lists. */
export const parentId = sql.ref<string>('p.value')

/** The differences between databases that matter to the gateway's statements. */
export interface Dialect {
  readonly name: DialectName
  readonly compiler: QueryCompiler
  /** A column as text, the same for every driver: instants in UTC ISO 8601 with milliseconds. */
  column(column: RawBuilder<RecordedValue>, type: ColumnType): RawBuilder<RecordedValue>
  /** The slot of a value that is compared with, or stored into, a column of this type. */
  value(name: string, type: ColumnType): Expression<never>
  /** The condition that a column has a value, which bounds a search of an index. */
  isRecorded(column: Expression<RecordedValue>, type: ColumnType): Expression<SqlBool>
  /** A table of the ids in the JSON array of the slot `ids`, as `p` with the column `value`. */
  readonly idList: AliasedExpression<{ value: string }, 'p'>
  /** `idList` joined with the newest few children of each id, as `e`; only those are read from the index. */
  latest(table: TableName, newest: NewestChildren): ParentsAndChildren
  /** Statements that are run first on each connection. They make it read-only and limit how long a statement runs. */
  session(deadlineMs: number): readonly string[]
}

const idsAsText = sql`cast(cast(${slot('ids')} as varchar) as json)`

const postgresql: Dialect = {
  name: 'postgresql',
  compiler: new OdbcPostgresCompiler(),
  column(column, type) {
    if (type === 'instant') return sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    // The driver would turn numeric into a floating-point number.
    return type === 'decimal' ? sql`cast(${column} as varchar)` : column
  },
  value(name, type) {
    if (type === 'integer') return sql`cast(${slot(name)} as integer)`
    const text = sql<never>`cast(${slot(name)} as varchar)`
    // When a placeholder is cast directly to a timestamp, psqlODBC binds it as one and drops its time of day.
    if (type === 'instant') return sql`cast(${text} as timestamp(3))`
    return type === 'decimal' ? sql`cast(${text} as numeric)` : text
  },
  isRecorded: (column) => sql`${column} is not null`,
  idList: sql<{ value: string }>`json_array_elements_text(${idsAsText})`.as<'p'>(sql`p(value)`),
  latest(_table, newest) {
    return db.selectFrom(this.idList).crossJoinLateral(newest.selectAll().as('e'))
  },
  session: (deadlineMs) => [
    'set session characteristics as transaction read only',
    `set statement_timeout = ${deadlineMs}`,
  ],
}

const sqlite: Dialect = {
  name: 'sqlite',
  compiler: new OdbcSqliteCompiler(),
  column: (column) => column,
  value: slot,
  // `is not null` bounds no search here: a page would read on through all rows without a value.
  isRecorded: (column, type) => (type === 'integer' ? sql`${column} is not null` : sql`${column} >= ''`),
  idList: sql<{ value: string }>`json_each(${slot('ids')})`.as('p'),
  // SQLite has no lateral join; a correlated list of row ids stops at the count just as well.
  latest(table, newest) {
    return db
      .selectFrom(this.idList)
      .crossJoin(`${table} as e` as const)
      .where(sql.ref('e.rowid'), 'in', newest.select(sql.ref('x.rowid').as('rowid')))
  },
  session: () => ['pragma query_only = on', 'pragma busy_timeout = 1000'],
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { postgresql, sqlite }
