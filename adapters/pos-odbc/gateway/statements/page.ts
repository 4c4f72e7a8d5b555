import type { Expression, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { foldBounds } from '../../../../domain/read/plan/page-bounds.ts'
import type { Predicate } from '../../../../ports/records/query.ts'
import { comparison } from '../../../sqlite/statement/comparison.ts'
import type { Statement } from '../../../sqlite/statement/executor.ts'
import { bind } from '../../../sqlite/statement/slot.ts'
import type { CollectionName } from '../../collections.ts'
import { COLLECTIONS, orderMayBeNull } from '../../collections.ts'
import type { PageParameters } from '../../protocol.ts'
import type { CollectionMapping } from '../families/family.ts'
import type { RecordedValue } from '../tables/column.ts'
import type { Codec } from '../values/codec.ts'
import type { Place, Scope } from './scope.ts'
import { columnNamed, columnsOf, ofTenant } from './scope.ts'
import { compiledOnce, db, where } from './template.ts'

/** Part of a page: the rows that have a value in the order's field come first, then those without one. */
export type PageBranch = 'valued' | 'without_value'

/** What the text of a page's statement depends on. */
interface PageShape {
  readonly name: CollectionName
  readonly branch: PageBranch
  readonly filters: readonly string[]
  /** Whether rows up to a position are left out. */
  readonly isAfter: boolean
}

/** The statement of one branch of a page. `limit` is the most rows that it gives. */
export function pageStatement(
  scope: Scope,
  name: CollectionName,
  branch: PageBranch,
  { filters, after, limit }: PageParameters,
): Statement {
  const asked = Object.entries(filters).map(([filter, value]) => ({
    ...declaredOf(name, filter),
    filter,
    value,
  }))
  const { where: kept, seek } =
    branch === 'valued'
      ? foldBounds({ where: asked, order: COLLECTIONS[name].order, after })
      : { where: asked, seek: after?.value === null ? after : null }
  const shape: PageShape = {
    name,
    branch,
    filters: kept.map(({ filter }) => filter).sort(),
    isAfter: seek !== null,
  }
  const { family, dialect, tenant } = scope
  const text = ['page', family.kind, name, branch, shape.isAfter, ...shape.filters].join(' ')
  const mapping = family.collections[name]
  return bind(
    compiledOnce(dialect, text, () => pageQuery(scope, shape)),
    {
      ...Object.fromEntries(
        kept.map(({ filter, value }) => [slotOf(filter), comparedTo(mapping, name, filter, value)]),
      ),
      tenant,
      afterValue: seek?.value ?? null,
      afterId: seek?.id ?? null,
      limit,
    },
  )
}

function pageQuery(place: Place, { name, branch, filters, isAfter }: PageShape) {
  const { dialect, family } = place
  const mapping = family.collections[name]
  const ordering = codecOf(mapping, COLLECTIONS[name].order.field).columns[0]
  const order = columnNamed(ordering.name)
  const id = columnNamed(mapping.idColumn)
  const afterId = dialect.value('afterId', 'text')
  const conditions = [...ofTenant(place), ...filters.map((filter) => condition(place, name, filter))]
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

/** What a filter compares: a field, and how. */
function declaredOf(name: CollectionName, filter: string): Pick<Predicate, 'field' | 'operator'> {
  const declared = COLLECTIONS[name].filters[filter]
  if (declared === undefined) throw new Error(`No filter ${filter} on ${name}`)
  const { field, operator } = declared
  return { field, operator }
}

/** A filter of a collection: the codec of its field, and how they are compared. */
function filterOf(mapping: CollectionMapping, name: CollectionName, filter: string) {
  const { field, operator } = declaredOf(name, filter)
  return { codec: codecOf(mapping, field), operator }
}

function condition({ family, dialect }: Place, name: CollectionName, filter: string): Expression<SqlBool> {
  const { codec, operator } = filterOf(family.collections[name], name, filter)
  const [column] = codec.columns
  const compared = operator === 'equals' ? codec.key : columnNamed(column.name)
  return sql`${compared} ${comparison(operator)} ${dialect.value(slotOf(filter), column.type)}`
}

/** What a filter's value is compared as. */
function comparedTo(
  mapping: CollectionMapping,
  name: CollectionName,
  filter: string,
  value: string | boolean,
): RecordedValue {
  const { codec, operator } = filterOf(mapping, name, filter)
  return operator === 'equals' ? codec.keyOf(value) : String(value)
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
