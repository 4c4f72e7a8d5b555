import { sql, type Expression, type SqlBool } from 'kysely'
import { foldBounds } from '../../../../domain/read/plan/page-bounds.ts'
import type { Predicate } from '../../../../ports/records.ts'
import { comparison } from '../../../sql/words.ts'
import { bind, type Statement } from '../../../sql/statement.ts'
import { COLLECTIONS, orderMayBeNull, type CollectionName } from '../../collections.ts'
import type { PageParameters } from '../../protocol.ts'
import type { CollectionMapping } from '../families/family.ts'
import type { ColumnType, RecordedValue } from '../tables/column.ts'
import type { Codec } from '../values/codec.ts'
import { columnNamed, columnsOf, ofTenant, type Place, type Scope } from './scope.ts'
import { compiledOnce, db, where } from './template.ts'

/** Part of a page: the rows that have a value in the order's field come first, then those without one. */
export type PageBranch = 'valued' | 'without_value'

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
  const { family, dialect, tenant } = scope
  const mapping = family.collections[name]
  const asked = Object.entries(filters).map(([filter, value]) => comparisonOf(mapping, name, filter, value))
  const { where: kept, seek } =
    branch === 'valued'
      ? foldBounds({ where: asked, order: COLLECTIONS[name].order, after })
      : { where: asked, seek: after?.value === null ? after : null }
  const comparisons = kept.toSorted((left, right) => (left.filter < right.filter ? -1 : 1))
  const isAfter = seek !== null
  const shape = ['page', family.kind, name, branch, isAfter, ...comparisons.map(({ filter }) => filter)]
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
  const { dialect, family } = place
  const mapping = family.collections[name]
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
  const { dialect, family, tenant } = scope
  const one = compiledOnce(dialect, `one ${family.kind} ${name}`, () => oneQuery(scope, name))
  return bind(one, { tenant, id })
}

function oneQuery(place: Place, name: CollectionName) {
  const { dialect, family } = place
  const mapping = family.collections[name]
  const isOne = sql<SqlBool>`${columnNamed(mapping.idColumn)} = ${dialect.value('id', 'text')}`
  return where(db.selectFrom(mapping.table), [...ofTenant(place), isOne]).select(columnsOf(mapping, dialect))
}
