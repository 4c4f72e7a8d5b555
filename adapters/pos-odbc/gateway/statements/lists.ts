import { sql, type SqlBool } from 'kysely'
import { bind, type Statement } from '../../../sql/statement.ts'
import type { ChildMapping } from '../families/family.ts'
import { parentId } from './dialect.ts'
import { columnNamed, columnsOf, ofTenant, type Place, type Scope } from './scope.ts'
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
