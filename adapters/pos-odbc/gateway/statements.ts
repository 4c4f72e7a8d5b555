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
import {
  slot,
  slotName,
  templateCache,
  type Template,
  bind,
  comparison,
  type Statement,
} from '../../sql/statement.ts'
import type { DialectName, CollectionMapping, ChildMapping, SourceMapping, TableMapping } from './mappings.ts'
import type { ColumnType, RecordedValue, Database, Row, TableName, ColumnName } from './tables.ts'
import { foldBounds } from '../../../domain/read/query.ts'
import type { Predicate } from '../../../ports/records.ts'
import { COLLECTIONS, orderMayBeNull, type CollectionName, type PageParameters } from '../protocol.ts'
import type { Codec } from './codec.ts'

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

/** The tenant whose rows are read, and the dialect of the database. */
export interface Scope {
  readonly source: SourceMapping
  readonly dialect: Dialect
  readonly tenant: string
}

/** What the text of a statement depends on: everything of a scope but the tenant, whose name is bound. */
type Place = Omit<Scope, 'tenant'>

/** Part of a page: the rows that have a value in the order's field come first, then those without one. */
type PageBranch = 'valued' | 'without_value'

/** A filter and how the database compares it. Of these, only the values do not belong to the text of a statement. */
interface Comparison extends Predicate {
  readonly filter: string
  readonly compared: Expression<RecordedValue>
  readonly type: ColumnType
  /** What the filter's value is compared as: the rows that have one of these. */
  readonly bound: readonly RecordedValue[]
}

/** The statement of one branch of a page. `limit` is the most rows that it gives. */
export function pageStatement(
  scope: Scope,
  name: CollectionName,
  branch: PageBranch,
  { filters, after, limit }: PageParameters,
): Statement {
  const { source, dialect, tenant } = scope
  const mapping = source.collections[name]
  const asked = Object.entries(filters).map(([filter, value]) => comparisonOf(mapping, name, filter, value))
  const { where: kept, seek } =
    branch === 'valued'
      ? foldBounds({ where: asked, order: COLLECTIONS[name].order, after })
      : { where: asked, seek: after?.value === null ? after : null }
  const comparisons = kept.toSorted((left, right) => (left.filter < right.filter ? -1 : 1))
  const isAfter = seek !== null
  const shape = ['page', source.kind, name, branch, isAfter, ...comparisons.flatMap(slotsOf)]
  const page = compiledOnce(dialect, shape.join(' '), () =>
    pageQuery(scope, name, { branch, isAfter, comparisons }),
  )
  return bind(page, {
    ...Object.fromEntries(
      comparisons.flatMap((one) => slotsOf(one).map((name, index) => [name, one.bound[index] ?? null])),
    ),
    tenant,
    afterValue: seek?.value ?? null,
    afterId: seek?.id ?? null,
    limit,
  })
}

interface PageShape {
  readonly branch: PageBranch
  /** Whether rows up to a position are left out. */
  readonly isAfter: boolean
  readonly comparisons: readonly Comparison[]
}

function pageQuery(place: Place, name: CollectionName, { branch, isAfter, comparisons }: PageShape) {
  const { dialect, source } = place
  const mapping = source.collections[name]
  const order = columnNamed(codecOf(mapping, COLLECTIONS[name].order.field).columns[0].name)
  const id = columnNamed(mapping.idColumn)
  const afterId = dialect.value('afterId', 'text')
  const conditions = [
    ...ofTenant(place),
    ...comparisons.map((one) => {
      const values = slotsOf(one).map((name) => dialect.value(name, one.type))
      // An equality keeps the order of the index, and a list of values does not.
      return values.length > 1
        ? sql<SqlBool>`${one.compared} in (${sql.join(values)})`
        : sql<SqlBool>`${one.compared} ${comparison(one.operator)} ${values[0]}`
    }),
  ]
  if (branch === 'without_value') {
    conditions.push(sql`${order} is null`)
    if (isAfter) conditions.push(sql`${id} < ${afterId}`)
  } else {
    if (orderMayBeNull(COLLECTIONS[name])) conditions.push(dialect.isRecorded(order, 'instant'))
    if (isAfter) {
      conditions.push(sql`(${order}, ${id}) < (${dialect.value('afterValue', 'instant')}, ${afterId})`)
    }
  }
  return where(db.selectFrom(mapping.table), conditions)
    .select(columnsOf(mapping, dialect))
    .orderBy(order, 'desc')
    .orderBy(id, 'desc')
    .limit(dialect.value('limit', 'integer'))
}

/** The slots of a filter's values, which no other slot of the statement has. */
function slotsOf({ filter, bound }: Comparison): readonly string[] {
  return bound.map((_, index) => `filter ${filter} ${index}`)
}

function comparisonOf(
  mapping: CollectionMapping,
  name: CollectionName,
  filter: string,
  value: string | boolean,
): Comparison {
  const declared = COLLECTIONS[name].filters[filter]
  if (declared === undefined) throw new Error(`No filter ${filter} on ${name}`)
  const { field, operator } = declared
  const { columns, key, keysOf } = codecOf(mapping, field)
  const [{ name: column, type }] = columns
  const common = { filter, field, operator, type, value }
  return operator === 'equals'
    ? { ...common, compared: key, bound: keysOf(value) }
    : { ...common, compared: columnNamed(column), bound: [String(value)] }
}

function codecOf({ table, fields, compared }: CollectionMapping, field: string): Codec {
  const found: Codec | undefined = fields[field] ?? compared[field]
  if (found === undefined) throw new Error(`${table} has no column of ${field}`)
  return found
}

/** The statement of one row by its id. */
export function oneStatement(scope: Scope, name: CollectionName, id: string): Statement {
  const { dialect, source, tenant } = scope
  const one = compiledOnce(dialect, `one ${source.kind} ${name}`, () => oneQuery(scope, name))
  return bind(one, { tenant, id })
}

function oneQuery(place: Place, name: CollectionName) {
  const { dialect, source } = place
  const mapping = source.collections[name]
  const isOne = sql<SqlBool>`${columnNamed(mapping.idColumn)} = ${dialect.value('id', 'text')}`
  return where(db.selectFrom(mapping.table), [...ofTenant(place), isOne]).select(columnsOf(mapping, dialect))
}

/** The statement of the rows that belong to these rows. `rowsMax` is the most rows that it gives. */
export function childrenStatement(
  scope: Scope,
  child: ChildMapping,
  parentIds: readonly string[],
  rowsMax: number,
): Statement {
  const { dialect, tenant } = scope
  // Two kinds of sources never have a table of the same name.
  const list = compiledOnce(dialect, `list ${child.table}`, () => childrenQuery(scope, child))
  return bind(list, { tenant, ids: JSON.stringify(parentIds), rowsMax })
}

function childrenQuery(place: Place, child: ChildMapping) {
  const { dialect } = place
  const { table, parentColumn, order } = child
  const limit = dialect.value('rowsMax', 'integer')
  const selected = [columnNamed(parentColumn, 'e').as('parent'), ...columnsOf(child, dialect, 'e')]
  const ofParent = (alias: 'e' | 'x') => [
    ...ofTenant(place, alias),
    sql<SqlBool>`${columnNamed(parentColumn, alias)} = ${parentId}`,
  ]
  if (order.kind === 'position') {
    return where(db.selectFrom(dialect.idList).crossJoin(`${table} as e` as const), ofParent('e'))
      .select([...selected, columnNamed(order.column, 'e').as('position')])
      .limit(limit)
  }
  const newest = order.columns.reduce(
    (query, column) => query.orderBy(columnNamed(column, 'x'), 'desc'),
    where(db.selectFrom(`${table} as x` as const), ofParent('x')).limit(sql.lit(order.count)),
  )
  return dialect.latest(table, newest).select(selected).limit(limit)
}

/** A column; where a statement has several tables, with the alias of its table. */
export function columnNamed(name: ColumnName, alias?: 'e' | 'x'): RawBuilder<RecordedValue> {
  return sql.ref(alias === undefined ? name : `${alias}.${name}`)
}

/** The columns of every field, as `c0`, `c1`, … in the order in which `neutralRow` reads them. */
function columnsOf(
  { fields }: TableMapping,
  dialect: Dialect,
  alias?: 'e',
): readonly AliasedExpression<RecordedValue, string>[] {
  const codecs: readonly Codec[] = Object.values(fields)
  return codecs
    .flatMap(({ columns }) => columns)
    .map(({ name, type }, index) => dialect.column(columnNamed(name, alias), type).as(`c${index}`))
}

/** The condition that a row is the tenant's, whose name is in the slot `tenant`; none where nobody shares the database. */
function ofTenant({ source, dialect }: Place, alias?: 'e' | 'x'): readonly Expression<SqlBool>[] {
  const { tenantColumn } = source
  if (tenantColumn === null) return []
  return [sql`${columnNamed(tenantColumn, alias)} = ${dialect.value('tenant', 'text')}`]
}
