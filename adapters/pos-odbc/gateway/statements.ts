import type { CollectionName, PageParameters } from '../protocol.ts'
import { COLLECTIONS } from '../protocol.ts'
import type { Codec } from './codec.ts'
import type { Dialect } from './dialect.ts'
import type { ChildMapping, CollectionMapping, Family, TableMapping } from './family.ts'
import type { Fragment } from './sql.ts'
import { join, raw, sql } from './sql.ts'

/** Whose rows are read, and in which database's words. */
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
  const order = raw(mapping.orderColumn)
  const id = raw(mapping.idColumn)
  const kept = branch === 'valued' ? withoutBoundBehind(filters, after?.value ?? null) : filters
  const conditions = [
    ...ofTenant(scope),
    ...Object.entries(kept).map(([filter, value]) => condition(scope, name, filter, value)),
  ]
  if (branch === 'without_value') {
    conditions.push(sql`${order} is null`)
    if (after?.value === null) conditions.push(sql`${id} < ${dialect.value(after.id, 'text')}`)
  } else {
    if (COLLECTIONS[name].orderMayBeNull) {
      conditions.push(raw(dialect.isRecorded(mapping.orderColumn, 'instant')))
    }
    // Where a bound on the same side lies further than the position, it alone says where the page starts.
    if (typeof after?.value === 'string' && !isBoundBehind(filters, after.value)) {
      const position = [dialect.value(after.value, 'instant'), dialect.value(after.id, 'text')]
      conditions.push(sql`(${order}, ${id}) < (${join(position, ', ')})`)
    }
  }
  return sql`select ${columnsOf(mapping, dialect)} from ${raw(mapping.table)}
    ${whereOf(conditions)} order by ${order} desc, ${id} desc limit ${dialect.value(limit, 'integer')}`
}

function whereOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? raw('') : sql`where ${join(conditions, ' and ')}`
}

/** Whether `completedBefore` leaves out everything up to the position, and so replaces it. */
function isBoundBehind(filters: PageParameters['filters'], position: string): boolean {
  return typeof filters.completedBefore === 'string' && filters.completedBefore <= position
}

/** The filters without an upper bound that the position makes superfluous: an index is searched by one bound per side. */
function withoutBoundBehind(
  filters: PageParameters['filters'],
  position: string | null,
): PageParameters['filters'] {
  if (position === null || isBoundBehind(filters, position)) return filters
  return Object.fromEntries(Object.entries(filters).filter(([name]) => name !== 'completedBefore'))
}

function condition(
  { family, dialect }: Scope,
  name: CollectionName,
  filterName: string,
  value: string | boolean,
): Fragment {
  const mapping: CollectionMapping = family.collections[name]
  const filter = Object.entries(COLLECTIONS[name].filters).find(([key]) => key === filterName)?.[1]
  const codec = filter === undefined ? undefined : mapping.fields[filter.field]
  if (filter === undefined || codec === undefined) throw new Error(`No filter ${filterName} on ${name}`)
  if (filter.operator === 'equals') return codec.equals(value, dialect)
  const operator = raw(filter.operator === 'atLeast' ? '>=' : '<')
  return sql`${raw(columnOf(codec))} ${operator} ${dialect.value(String(value), 'instant')}`
}

function columnOf({ columns }: Codec): string {
  const [column] = columns
  if (column === undefined) throw new Error('A codec without columns')
  return column.name
}

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

/** The columns of every field, as `c0`, `c1`, … in the order in which `rowReader` takes them. */
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
