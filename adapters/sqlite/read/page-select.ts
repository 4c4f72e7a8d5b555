import type { Expression, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { StorageType } from '../../../domain/record/field.ts'
import type { PageQuery, Predicate } from '../../../ports/records/query.ts'
import { comparison } from '../../sql/words.ts'
import { slot } from '../statement/compiler.ts'
import type { ResultRow } from '../statement/executor.ts'
import type { PageIndex } from '../table/indexes.ts'
import type { Table } from '../table/tables.ts'
import { columnOf, sideTableName } from '../table/tables.ts'
import type { PageBounds } from '../../../domain/read/plan/page-bounds.ts'
import type { RowForm } from './select.ts'
import { selectFrom } from './select.ts'

/**
 * The SQL for the rows of a page, in the slots `owner` and, with the prefix, `limit`, `where0`, `where1`, … and, after
 * a position, `seekValue` and `seekId`. It walks one index from where the page begins, or, when a filter that selects few
 * rows has no index in this order, sorts what it selects. Rows without a value in the
 * order's field come last: where such rows are possible, they are a second part, which is read only when the first one
 * does not fill the page.
 */
export function pageSelect(
  table: Table,
  by: PageIndex,
  { select, order }: Pick<PageQuery, 'select' | 'order'>,
  { where, seek }: PageBounds,
  form: RowForm,
  prefix: string,
): RawBuilder<ResultRow> {
  const column = columnOf(table, order.field)
  const sort = sql.id(by.orderAlias, column.name)
  const tie = sql.id(by.orderAlias, columnOf(table, order.idField).name)
  const ascending = order.direction === 'ascending'
  const direction = sql.raw(ascending ? 'asc' : 'desc')
  const beyond = sql.raw(ascending ? '>' : '<')
  const limit = slot(`${prefix}limit`)
  const narrowed = [
    sql`${sql.id(by.contained === null ? 't' : 'm', table.ownerColumn)} = ${slot('owner')}`,
    ...where.map((predicate, index) =>
      condition(table, by, order.field, predicate, slot(`${prefix}where${index}`)),
    ),
  ]
  const rows = (...more: readonly Expression<unknown>[]) => sql<ResultRow>`
    ${selectFrom(table, select, form, fromIndex(table, by))}
    where ${sql.join([...narrowed, ...more], sql` and `)}
    order by ${sort} ${direction}, ${tie} ${direction} limit +${limit}`

  const seekId = slot(`${prefix}seekId`)
  if (seek?.value === null) return rows(sql`${sort} is null`, sql`${tie} ${beyond} ${seekId}`)
  const after = sql`(${sort}, ${tie}) ${beyond} (${slot(`${prefix}seekValue`)}, ${seekId})`
  const seeks = seek === null ? [] : [after]
  const isBounded = where.some(({ field }) => field === order.field)
  if (!column.nullable || isBounded) return rows(...seeks)

  // In ascending order the position is already a lower bound, and SQLite would scan for a second lower bound.
  const floor = ascending && seek !== null ? [] : [sql`${sort} >= ${sql.raw(FLOORS[column.storage])}`]
  return sql<ResultRow>`
    select * from (${rows(...seeks, ...floor)}) union all select * from (${rows(sql`${sort} is null`)})
    limit +${limit}`
}

/**
 * A value that sorts before every value of the column. SQLite can seek to it, whereas for IS NOT NULL it would read all
 * rows with null.
 */
const FLOORS: Readonly<Record<StorageType, string>> = {
  text: "''",
  json: "''",
  integer: '-9223372036854775808',
  real: '-9e999',
  boolean: '0',
}

/** The table by its index, or by the index of a side table whose rows lead to the table's rows one by one. */
function fromIndex(table: Table, by: PageIndex): Expression<unknown> {
  const index = sql`indexed by ${sql.id(by.name)}`
  if (by.contained === null) return sql`${sql.id(table.name)} as t ${index}`
  return sql`${sql.id(sideTableName(table, by.contained.field))} as m ${index}
    cross join ${sql.id(table.name)} as t on ${sideKey(table, 'm')}`
}

function condition(
  table: Table,
  by: PageIndex,
  orderField: string,
  predicate: Predicate,
  value: Expression<unknown>,
): Expression<unknown> {
  const { field, operator } = predicate
  if (operator === 'contains') {
    if (predicate === by.contained) return sql`m.value = ${value}`
    return sql`exists (select 1 from ${sql.id(sideTableName(table, field))} as s
      where ${sideKey(table, 's')} and s.value = ${value})`
  }
  const alias = field === orderField ? by.orderAlias : 't'
  return sql`${sql.id(alias, columnOf(table, field).name)} ${comparison(operator)} ${value}`
}

/** Joins a row of a side table to the row of the table that it belongs to. */
function sideKey(table: Table, side: string): Expression<unknown> {
  return sql`${sql.id('t', table.ownerColumn)} = ${sql.id(side, table.ownerColumn)}
    and ${sql.id('t', table.idColumn)} = ${sql.id(side, table.idColumn)}`
}
