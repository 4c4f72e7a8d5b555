import { resourceOf } from '../../../domain/resources/index.ts'
import { listFill, listTriggers, sideOf } from './triggers/list-triggers.ts'
import type { FilteredList } from './page-reads.ts'
import { OWNER, tableShape } from './resource-tables.ts'
import type { IndexShape, TableShape, TriggerShape } from './shape.ts'

interface ListTable {
  readonly table: TableShape
  readonly indexes: readonly IndexShape[]
  readonly triggers: readonly TriggerShape[]
}

/**
 * The side table of a list field, with a row for each value of each list; its indexes, one for each order of pages; and
 * the triggers that maintain it.
 */
export function listTable(list: FilteredList): ListTable {
  const of = sideOf(list)
  const { owner, side, orders } = of
  const known = new Map(
    tableShape(resourceOf(list.collection)).columns.map((column) => [column.name, column]),
  )
  const columns = [OWNER, 'value', owner.idColumn, ...orders].map((name) => {
    const { type, notNull } = known.get(name) ?? { type: 'TEXT', notNull: true }
    return { name, type, notNull, byDefault: null }
  })
  const key = [OWNER, owner.idColumn, 'value']
  return {
    table: { name: side, columns, key, withoutRowid: true, strict: true, fill: listFill(of) },
    indexes: orders.map((order) => ({
      name: `${side}_value_${order}`,
      table: side,
      columns: [OWNER, 'value', order, owner.idColumn],
      unique: false,
      where: null,
    })),
    triggers: listTriggers(of),
  }
}
