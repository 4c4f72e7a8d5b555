import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OneQuery, PageQuery, Predicate, ReadQuery, Scalar } from '../../ports/query.ts'
import type { StorageType } from '../../domain/contract/field.ts'
import type { BoundValue, Template } from './compiler.ts'
import { bind, slot, template } from './compiler.ts'
import type { Statement } from './executor.ts'
import { groupsStatement } from './groups-query.ts'
import type { PageIndex } from './indexes.ts'
import { indexOf } from './indexes.ts'
import type { PageBounds } from '../../domain/paging/page-bounds.ts'
import { foldBounds } from '../../domain/paging/page-bounds.ts'
import { columnName, columnOf, name, sideTableName, tableName, tableOf } from './tables.ts'
import type { Table } from './tables.ts'

const COMPARISONS = { equals: '=', atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const

/** Most compiled shapes kept. Endpoints have a few hundred between them; the bound is for callers gone wrong. */
const SHAPES_MAX = 1000
const shapes = new Map<string, Template>()

/** The statement of a read, of one organization. Throws for a collection or field that is not stored. */
export function readStatement(organizationId: string, query: ReadQuery): Statement {
  if (query.kind === 'one') {
    const shape = `one|${query.collection}|${query.select.join()}`
    return bind(
      cached(shape, () => one(query)),
      { organizationId, id: query.id },
    )
  }
  if (query.kind === 'groups') return groupsStatement(organizationId, query)
  const bounds = foldBounds(query)
  const shape = pageShape(query, bounds)
  const values: Record<string, BoundValue> = { organizationId, limit: query.limit }
  bounds.where.forEach(({ value }, index) => (values[`where${index}`] = scalar(value)))
  if (bounds.seek !== null) {
    values.seekValue = bounds.seek.value
    values.seekId = bounds.seek.id
  }
  return bind(
    cached(shape, () => page(query, bounds)),
    values,
  )
}

function cached(shape: string, compile: () => Template): Template {
  const known = shapes.get(shape)
  if (known !== undefined) return known
  if (shapes.size >= SHAPES_MAX) shapes.clear()
  const compiled = compile()
  shapes.set(shape, compiled)
  return compiled
}

function pageShape({ collection, select, order }: PageQuery, { where, seek }: PageBounds): string {
  const predicates = where.map(({ field, operator }) => `${field} ${operator}`).join()
  const behind = seek?.value === null ? 'nulls' : 'seek'
  const direction = seek === null ? order.direction : `${order.direction} ${behind}`
  return `page|${collection}|${select.join()}|${predicates}|${order.field} ${order.idField} ${direction}`
}

function one({ collection, select }: OneQuery): Template {
  const table = tableOf(collection)
  return template(sql`
    ${selectFrom(table, select)}
    where ${name('t', 'organization_id')} = ${slot('organizationId')} and ${name('t', table.idColumn)} = ${slot('id')}`)
}

function page({ collection, select, order }: PageQuery, { where, seek }: PageBounds): Template {
  const table = tableOf(collection)
  const by = indexOf(table, where, order.field)
  const column = columnOf(table, order.field)
  const sort = name(by.alias, column.name)
  const tie = name(by.alias, columnOf(table, order.idField).name)
  const ascending = order.direction === 'ascending'
  const direction = sql.raw(ascending ? 'asc' : 'desc')
  const beyond = sql.raw(ascending ? '>' : '<')
  const narrowed = [
    sql`${name(by.alias, 'organization_id')} = ${slot('organizationId')}`,
    ...where.map((predicate, index) => condition(table, by, predicate, slot(`where${index}`))),
  ]
  const rows = (...more: readonly RawBuilder<unknown>[]) => sql`
    ${selectFrom(table, select, fromBy(table, by))}
    where ${sql.join([...narrowed, ...more], sql` and `)}
    order by ${sort} ${direction}, ${tie} ${direction} limit ${slot('limit')}`

  const behind = sql`(${sort}, ${tie}) ${beyond} (${slot('seekValue')}, ${slot('seekId')})`
  if (seek?.value === null)
    return template(rows(sql`${sort} is null`, sql`${tie} ${beyond} ${slot('seekId')}`))
  const seeks = seek === null ? [] : [behind]
  const isBounded = where.some(({ field }) => field === order.field)
  if (!column.nullable || isBounded) return template(rows(...seeks))

  // Going up, a seek is a bound on the side of the floor already, and SQLite would scan for a second one.
  const floor = ascending && seek !== null ? [] : [sql`${sort} >= ${sql.raw(FLOORS[column.storage])}`]
  return template(sql`
    select * from (${rows(...seeks, ...floor)}) union all select * from (${rows(sql`${sort} is null`)})
    limit ${slot('limit')}`)
}

/** What no value of a column lies below: SQLite seeks by it, where it would walk through the nulls for IS NOT NULL. */
const FLOORS: Readonly<Record<StorageType, string>> = {
  text: "''",
  json: "''",
  integer: '-9223372036854775808',
  real: '-9e999',
  boolean: '0',
}

/** The table by its index, or by the index of a side table, which the rows follow one by one. */
function fromBy(table: Table, by: PageIndex): RawBuilder<unknown> {
  const index = sql`indexed by ${name(by.name)}`
  if (by.contained === null) return sql`${name(table.name)} as t ${index}`
  return sql`${name(sideTableName(table, by.contained.field))} as m ${index}
    cross join ${name(table.name)} as t on ${sideKey(table, 'm')}`
}

function condition(
  table: Table,
  by: PageIndex,
  predicate: Predicate,
  value: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { field, operator } = predicate
  if (operator === 'contains') {
    if (predicate === by.contained) return sql`m.value = ${value}`
    return sql`exists (select 1 from ${name(sideTableName(table, field))} as s
      where ${sideKey(table, 's')} and s.value = ${value})`
  }
  const alias = field === by.orderField ? by.alias : 't'
  return sql`${name(alias, columnOf(table, field).name)} ${sql.raw(COMPARISONS[operator])} ${value}`
}

/** A row of a side table belongs to a row of the table. */
function sideKey(table: Table, side: string): RawBuilder<unknown> {
  return sql`${name('t', 'organization_id')} = ${name(side, 'organization_id')}
    and ${name('t', table.idColumn)} = ${name(side, table.idColumn)}`
}

/** `select … from … as t` with a left join for each joined field, one per pair of collection and reference. */
export function selectFrom(
  table: Table,
  select: readonly string[],
  from: RawBuilder<unknown> = sql`${name(table.name)} as t`,
): RawBuilder<unknown> {
  const aliases = new Map<string, string>()
  const joins: RawBuilder<unknown>[] = []
  const columns = select.map((field) => {
    const join = table.joins.get(field)
    if (join === undefined) return sql`${name('t', columnOf(table, field).name)} as ${name(field)}`
    const key = `${join.collection} ${join.by}`
    const alias = aliases.get(key) ?? `j${aliases.size}`
    if (!aliases.has(key)) joins.push(leftJoin(table, join.collection, join.by, alias))
    aliases.set(key, alias)
    return sql`${name(alias, columnName(join.field))} as ${name(field)}`
  })
  return sql`select ${sql.join(columns)} from ${from} ${sql.join(joins, sql` `)}`
}

function leftJoin(table: Table, collection: string, by: string, alias: string): RawBuilder<unknown> {
  const other = tableOf(collection)
  return sql`left join ${name(tableName(collection))} as ${name(alias)}
    on ${name(alias, 'organization_id')} = ${name('t', 'organization_id')}
    and ${name(alias, other.idColumn)} = ${name('t', columnOf(table, by).name)}`
}

function scalar(value: Scalar): BoundValue {
  return typeof value === 'boolean' ? Number(value) : value
}
