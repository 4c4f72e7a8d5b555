import type { Table } from '../table/tables.ts'
import { columnOf, sideTableName, tableOf } from '../table/tables.ts'
import type { FilteredList } from './page-reads.ts'
import { OWNER } from './resource-tables.ts'
import type { TriggerShape } from './shape.ts'

/** The tables and columns of a list field. */
export interface ListSide {
  readonly owner: Table
  /** The column of the list. */
  readonly list: string
  /** The name of the side table. */
  readonly side: string
  /** The columns that order pages, in both tables. */
  readonly orders: readonly string[]
  /** Whether one of the orders is a tally, which changes without a write of the row by a client. */
  readonly hasTally: boolean
}

export function sideOf({ collection, field, orders }: FilteredList): ListSide {
  const owner = tableOf(collection)
  return {
    owner,
    list: columnOf(owner, field).name,
    side: sideTableName(owner, field),
    orders: orders.map((order) => columnOf(owner, order).name),
    hasTally: orders.some((order) => columnOf(owner, order).assigned && order !== 'updatedAt'),
  }
}

/** The triggers that maintain the side table of a list field. */
export function listTriggers(of: ListSide): readonly TriggerShape[] {
  const { owner, list, side, orders, hasTally } = of
  const on = `ON ${owner.name}`
  const remove = `DELETE FROM ${side} WHERE ${isRow(owner, 'OLD')};`
  const anew = `${remove}\n  ${insertion(of)}\n  ${valuesOf(of, 'NEW', `json_each(NEW.${list})`)};`
  const trigger = (name: string, when: string, body: string): TriggerShape => ({
    name: `${side}_${name}`,
    sql: `CREATE TRIGGER ${side}_${name} AFTER ${when}\nBEGIN\n  ${body}\nEND`,
  })
  const unlisted = trigger('unlisted', `DELETE ${on}`, remove)
  if (!hasTally) {
    const listed = `${insertion(of)}\n  ${valuesOf(of, 'NEW', `json_each(NEW.${list})`)};`
    return [trigger('listed', `INSERT ${on}`, listed), trigger('listed_anew', `UPDATE ${on}`, anew), unlisted]
  }
  // Triggers that compute tallies of the new row may have run before, so NEW may be out of date.
  const listed = `${insertion(of)}\n  ${allValues(of)}\n  WHERE l.${OWNER} = NEW.${OWNER} AND l.${owner.idColumn} = NEW.${owner.idColumn};`
  const moves = orders.map((order) => `${order} = NEW.${order}`).join(', ')
  return [
    trigger('listed', `INSERT ${on}`, listed),
    trigger('listed_anew', `UPDATE ${on} WHEN OLD.${list} <> NEW.${list}`, anew),
    // A tally changes often, so only its column is updated, and the list is not written again.
    trigger(
      'moved',
      `UPDATE ${on} WHEN OLD.${list} = NEW.${list}`,
      `UPDATE ${side} SET ${moves}\n  WHERE ${isRow(owner, 'NEW')};`,
    ),
    unlisted,
  ]
}

/** The statement that fills the side table from the lists that are already stored. */
export function listFill(of: ListSide): string {
  return `${insertion(of)}\n  ${allValues(of)};`
}

function isRow({ idColumn }: Table, row: 'NEW' | 'OLD'): string {
  return `${OWNER} = ${row}.${OWNER} AND ${idColumn} = ${row}.${idColumn}`
}

function insertion({ side, owner, orders }: ListSide): string {
  return `INSERT INTO ${side} (${[OWNER, 'value', owner.idColumn, ...orders].join(', ')})`
}

function allValues(of: ListSide): string {
  return valuesOf(of, 'l', `${of.owner.name} AS l, json_each(l.${of.list})`)
}

/** The SQL for a row's entries in the side table, one for each value of its list. */
function valuesOf({ owner, orders }: ListSide, row: string, from: string): string {
  const columns = [OWNER, owner.idColumn, ...orders].map((column) => `${row}.${column}`)
  return `SELECT DISTINCT ${columns.toSpliced(1, 0, 'listed.value').join(', ')} FROM ${from} AS listed`
}
