import {
  sql,
  createQueryId,
  NOOP_QUERY_EXECUTOR,
  PostgresQueryCompiler,
  QueryCreator,
  SqliteQueryCompiler,
  type AliasedExpression,
  type Expression,
  type QueryCompiler,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  type OperationNodeSource,
  type RootOperationNode,
} from 'kysely'
import { slot, slotName, templateCache, type Template } from '../../sql/statement.ts'
import type { DialectName } from './mappings.ts'
import type { ColumnType, RecordedValue, Database, Row, TableName } from './tables.ts'

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

/** The children `x` of the parent whose id is `parentId`, the newest few first. */
type NewestChildren = SelectQueryBuilder<Database & { x: Row }, 'x', object>

/** Parents and their children: a row for each child. */
type ParentsAndChildren = SelectQueryBuilder<Database & { p: { value: string }; e: Row }, 'p' | 'e', object>

/** The id of a parent in a statement of `Dialect`'s lists. */
export const parentId = sql.ref<string>('p.value')

/** PostgreSQL's SQL with the parameters of ODBC, which have no numbers. */
class OdbcPostgresCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '?'
  }
}

/**
 * SQLite's SQL with names in backticks. Where SQLite finds no column of a name in double quotes, it takes the name for a
 * text: the values of a missing column would be its name.
 */
class OdbcSqliteCompiler extends SqliteQueryCompiler {
  protected override getLeftIdentifierWrapper(): string {
    return '`'
  }

  protected override getRightIdentifierWrapper(): string {
    return '`'
  }
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

/** Kysely's query builder over the tables of every kind of source. It builds statements and runs nothing. */
export const db = new QueryCreator<Database>({ executor: NOOP_QUERY_EXECUTOR })

/** A query with all of these conditions; none: the query itself. */
export function where<Query extends { where(condition: Expression<SqlBool>): Query }>(
  query: Query,
  conditions: readonly Expression<SqlBool>[],
): Query {
  return conditions.reduce((before, condition) => before.where(condition), query)
}

const templates = templateCache<Template>()

/**
 * A statement that is built and compiled once for each shape, whatever its values. A value in it throws: each is bound
 * later, through its slot.
 */
export function compiledOnce(
  { name, compiler }: { readonly name: DialectName; readonly compiler: QueryCompiler },
  shape: string,
  build: () => OperationNodeSource,
): Template {
  return templates(`${name} ${shape}`, () => {
    // A query builder declares the node of any expression; what is compiled here is a whole statement.
    const node = build().toOperationNode() as RootOperationNode
    const { sql, parameters } = compiler.compileQuery(node, createQueryId())
    return { sql, slots: parameters.map(slotName) }
  })
}
