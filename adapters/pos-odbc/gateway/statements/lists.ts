import type { Expression, SqlBool } from 'kysely'
import { sql } from 'kysely'
import type { Statement } from '../../../sqlite/statement/executor.ts'
import { bind } from '../../../sqlite/statement/slot.ts'
import type { ChildMapping } from '../families/family.ts'
import type { ParentsAndChildren } from './dialect.ts'
import { parentId } from './dialect.ts'
import type { Place, Scope } from './scope.ts'
import { columnNamed, columnsOf, ofTenant } from './scope.ts'
import { compiledOnce, db, where } from './template.ts'

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
  const { order } = child
  const position = order.kind === 'position' ? [columnNamed(order.column, 'e').as('position')] : []
  return (order.kind === 'position' ? everyChild(place, child) : newestChildren(place, child, order))
    .select([
      columnNamed(child.parentColumn, 'e').as('parent'),
      ...position,
      ...columnsOf(child, dialect, 'e'),
    ])
    .limit(dialect.value('rowsMax', 'integer'))
}

function everyChild(place: Place, child: ChildMapping): ParentsAndChildren {
  const all = db.selectFrom(place.dialect.idList).crossJoin(`${child.table} as e` as const)
  return where(all, ofParent(place, child, 'e'))
}

function newestChildren(
  place: Place,
  child: ChildMapping,
  { columns, count }: Extract<ChildMapping['order'], { kind: 'latest' }>,
): ParentsAndChildren {
  const all = db.selectFrom(`${child.table} as x` as const)
  const ofOne = where(all, ofParent(place, child, 'x'))
  const newest = columns.reduce((query, each) => query.orderBy(columnNamed(each, 'x'), 'desc'), ofOne)
  return place.dialect.latest(child.table, newest.limit(sql.lit(count)))
}

function ofParent(
  place: Place,
  { parentColumn }: ChildMapping,
  alias: 'e' | 'x',
): readonly Expression<SqlBool>[] {
  return [...ofTenant(place, alias), sql`${columnNamed(parentColumn, alias)} = ${parentId}`]
}
