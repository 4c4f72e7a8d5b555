import type { Table } from '../../table/tables.ts'
import { columnOf, sideTableName, tableOf } from '../../table/tables.ts'
import type { FilteredList } from '../page-reads.ts'
import { OWNER } from '../resource-tables.ts'
import type { TriggerShape } from '../shape.ts'

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
  // Triggers that compute tallies of the new row may have run before, so that NEW may be out of date.
  const listed = hasTally
    ? `${allValues(of)}\n  WHERE l.${OWNER} = NEW.${OWNER} AND l.${owner.idColumn} = NEW.${owner.idColumn};`
    : `${valuesOf(of, 'NEW', `json_each(NEW.${list})`)};`
  const moves = orders.map((order) => `${order} = NEW.${order}`).join(', ')
  const isMoved = orders.map((order) => `OLD.${order} IS NOT NEW.${order}`).join(' OR ')
  return [
    trigger('listed', `INSERT ${on}`, `${insertion(of)}\n  ${listed}`),
    trigger('listed_anew', `UPDATE ${on} WHEN OLD.${list} <> NEW.${list}`, anew),
    // Most changes leave the list as it is, so that it need not be written again.
    trigger(
      'moved',
      `UPDATE ${on} WHEN OLD.${list} = NEW.${list} AND (${isMoved})`,
      `UPDATE ${side} SET ${moves}\n  WHERE ${isRow(owner, 'NEW')};`,
    ),
    trigger('unlisted', `DELETE ${on}`, remove),
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
