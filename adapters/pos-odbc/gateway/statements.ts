import { sql, type Expression, type SqlBool, type AliasedExpression, type RawBuilder } from 'kysely'
import { foldBounds } from '../../../domain/read/query.ts'
import type { Predicate } from '../../../ports/records.ts'
import { bind, comparison, type Statement } from '../../sql/statement.ts'
import { COLLECTIONS, orderMayBeNull, type CollectionName, type PageParameters } from '../protocol.ts'
import type { Codec } from './codec.ts'
import { compiledOnce, db, where, parentId, type Dialect } from './dialect.ts'
import type { CollectionMapping, ChildMapping, SourceMapping, TableMapping } from './mappings.ts'
import type { ColumnType, RecordedValue, ColumnName } from './tables.ts'

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
  /** What the filter's value is compared as. */
  readonly bound: RecordedValue
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
  const shape = ['page', source.kind, name, branch, isAfter, ...comparisons.map(({ filter }) => filter)]
  const page = compiledOnce(dialect, shape.join(' '), () =>
    pageQuery(scope, name, { branch, isAfter, comparisons }),
  )
  return bind(page, {
    ...Object.fromEntries(comparisons.map(({ filter, bound }) => [slotOf(filter), bound])),
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
    ...comparisons.map(
      ({ filter, compared, operator, type }) =>
        sql<SqlBool>`${compared} ${comparison(operator)} ${dialect.value(slotOf(filter), type)}`,
    ),
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

/** The slot of a filter's value, which no other slot of the statement has. */
function slotOf(filter: string): string {
  return `filter ${filter}`
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
  const { columns, key, keyOf } = codecOf(mapping, field)
  const [{ name: column, type }] = columns
  const common = { filter, field, operator, type, value }
  return operator === 'equals'
    ? { ...common, compared: key, bound: keyOf(value) }
    : { ...common, compared: columnNamed(column), bound: String(value) }
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
