import { foldBounds } from '../../../domain/read/plan/page-bounds.ts'
import type { Predicate } from '../../../ports/records/query.ts'
import type { CollectionName } from '../collections.ts'
import { COLLECTIONS, orderMayBeNull } from '../collections.ts'
import type { PageParameters } from '../protocol.ts'
import type { Dialect } from './dialect.ts'
import type { ChildMapping, CollectionMapping, Family, TableMapping } from './family.ts'
import type { Fragment } from './sql.ts'
import { join, raw, sql } from './sql.ts'

/** The tenant whose rows are read, and the dialect of the database. */
export interface Scope {
  readonly family: Family
  readonly dialect: Dialect
  readonly tenant: string
}

/** Part of a page: the rows that have a value in the order's field come first, then those without one. */
export type PageBranch = 'valued' | 'without_value'

/** The statement of one branch of a page. `limit` is the most rows that it gives. */
export function pageStatement(
  scope: Scope,
  name: CollectionName,
  branch: PageBranch,
  { filters, after, limit }: PageParameters,
): Fragment {
  const { dialect, family } = scope
  const mapping = family.collections[name]
  const { order: pageOrder } = COLLECTIONS[name]
  const orderColumn = columnOf(mapping, pageOrder.field)
  const order = raw(orderColumn)
  const id = raw(mapping.idColumn)
  const all = {
    where: Object.entries(filters).map(([filter, value]) => predicateOf(name, filter, value)),
    seek: after,
  }
  const { where, seek } =
    branch === 'valued' ? foldBounds({ where: all.where, order: pageOrder, after }) : all
  const conditions = [...ofTenant(scope), ...where.map((predicate) => condition(scope, name, predicate))]
  if (branch === 'without_value') {
    conditions.push(sql`${order} is null`)
    if (seek?.value === null) conditions.push(sql`${id} < ${dialect.value(seek.id, 'text')}`)
  } else {
    if (orderMayBeNull(COLLECTIONS[name])) {
      conditions.push(raw(dialect.isRecorded(orderColumn, 'instant')))
    }
    if (seek !== null) {
      const values = [dialect.value(String(seek.value), 'instant'), dialect.value(seek.id, 'text')]
      conditions.push(sql`(${order}, ${id}) < (${join(values, ', ')})`)
    }
  }
  return sql`select ${columnsOf(mapping, dialect)} from ${raw(mapping.table)}
    ${whereOf(conditions)} order by ${order} desc, ${id} desc limit ${dialect.value(limit, 'integer')}`
}

function whereOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? raw('') : sql`where ${join(conditions, ' and ')}`
}

/** What a filter asks of a field. No collection is filtered by a number. */
interface AskedFor extends Predicate {
  readonly value: string | boolean
}

function predicateOf(name: CollectionName, filterName: string, value: string | boolean): AskedFor {
  const filter = COLLECTIONS[name].filters[filterName]
  if (filter === undefined) throw new Error(`No filter ${filterName} on ${name}`)
  return { field: filter.field, operator: filter.operator, value }
}

function condition(
  { family, dialect }: Scope,
  name: CollectionName,
  { field, operator, value }: AskedFor,
): Fragment {
  const mapping: CollectionMapping = family.collections[name]
  const codec = mapping.fields[field] ?? mapping.compared[field]
  if (operator === 'equals' && codec !== undefined) return codec.equals(value, dialect)
  const comparison = COMPARISONS[operator]
  const [column] = codec?.columns ?? []
  if (comparison === undefined || column === undefined)
    throw new Error(`No comparison ${operator} of ${field} on ${name}`)
  return sql`${raw(column.name)} ${raw(comparison)} ${dialect.value(String(value), column.type)}`
}

function columnOf({ table, fields }: TableMapping, field: string): string {
  const [column] = fields[field]?.columns ?? []
  if (column === undefined) throw new Error(`${table} has no column of ${field}`)
  return column.name
}

const COMPARISONS: Readonly<Record<string, string>> = { atLeast: '>=', below: '<' }

/** The statement of one row by its id. */
export function oneStatement(scope: Scope, name: CollectionName, id: string): Fragment {
  const { dialect, family } = scope
  const mapping = family.collections[name]
  const conditions = [...ofTenant(scope), sql`${raw(mapping.idColumn)} = ${dialect.value(id, 'text')}`]
  return sql`select ${columnsOf(mapping, dialect)} from ${raw(mapping.table)} where ${join(conditions, ' and ')}`
}

/** The statement of the rows that belong to these rows. `rowsMax` is the most rows that it gives. */
export function childrenStatement(
  scope: Scope,
  child: ChildMapping,
  parentIds: readonly string[],
  rowsMax: number,
): Fragment {
  const { dialect } = scope
  const columns = columnsOf(child, dialect, 'e')
  const parent = raw(`e.${child.parentColumn}`)
  const limit = dialect.value(rowsMax, 'integer')
  if (child.order.kind === 'latest') {
    const conditions = [...ofTenant(scope, 'x'), raw(`x.${child.parentColumn} = p.value`)]
    const latest = dialect.latest(parentIds, {
      table: child.table,
      condition: join(conditions, ' and '),
      orderColumns: child.order.columns,
      count: child.order.count,
    })
    return sql`select ${parent} as parent, ${columns} from ${latest} limit ${limit}`
  }
  const conditions = [...ofTenant(scope, 'e'), sql`${parent} = p.value`]
  const position = raw(`e.${child.order.column}`)
  return sql`select ${parent} as parent, ${position} as position, ${columns}
    from ${dialect.idList(parentIds)} cross join ${raw(child.table)} as e
    where ${join(conditions, ' and ')} limit ${limit}`
}

/** The columns of every field, as `c0`, `c1`, … in the order in which `neutralRow` reads them. */
function columnsOf({ fields }: TableMapping, dialect: Dialect, alias?: string): Fragment {
  const prefix = alias === undefined ? '' : `${alias}.`
  const columns = Object.values(fields).flatMap((codec) => codec.columns)
  return raw(
    columns
      .map(({ name, type }, index) => `${dialect.column(`${prefix}${name}`, type)} as c${index}`)
      .join(', '),
  )
}

function ofTenant({ family, dialect, tenant }: Scope, alias?: string): readonly Fragment[] {
  if (family.tenantColumn === null) return []
  const column = raw(alias === undefined ? family.tenantColumn : `${alias}.${family.tenantColumn}`)
  return [sql`${column} = ${dialect.value(tenant, 'text')}`]
}
