import { reads } from '../../../domain/reads.ts'
import type { Resource } from '../../../domain/record/resource.ts'
import { resources } from '../../../domain/resources/index.ts'
import { columnName } from '../database/column-name.ts'
import { columnOf, tableName, tableOf } from '../table/tables.ts'
import { readIndexes } from './page-reads.ts'
import { OWNER } from './resource-tables.ts'
import type { IndexShape } from './shape.ts'
import { tallies } from './triggers/tallies.ts'

/**
 * The indexes that the records require: those for reading pages and groups, those of a resource's alternate keys, and
 * one for each tally, to find the rows that it counts.
 * @param more indexes that exist for other reasons and may serve a tally too
 */
export function resourceIndexes(more: readonly IndexShape[]): readonly IndexShape[] {
  const shapes = [...resources.flatMap(keyIndexes), ...pageIndexes(), ...groupIndexes()]
  const found = new Map(shapes.map((shape) => [shape.name, shape]))
  for (const { child, by } of tallies()) {
    const leads = [...found.values(), ...more].some(
      ({ table, columns }) => table === tableName(child.collection) && columns[1] === columnName(by),
    )
    const shape = tableIndex(child.collection, [by])
    // The primary key of list members already finds the rows of a list, so no index is needed.
    if (!leads && child.key[0] !== by) found.set(shape.name, shape)
  }
  return [...found.values()]
}

/**
 * An index of an organization's rows by some fields and then by id, named after the fields.
 * @param sought the fields that statements always compare with a value. A row in which one of them is null can never be
 *   found, so it is left out of the index and costs no write.
 */
function tableIndex(
  collection: string,
  fields: readonly string[],
  sought: readonly string[] = [],
): IndexShape {
  const table = tableOf(collection)
  const columns = fields.map((field) => columnOf(table, field).name)
  const nullable = sought.map((field) => columnOf(table, field)).filter((column) => column.nullable)
  return {
    name: [table.name, ...columns].join('_'),
    table: table.name,
    columns: [OWNER, ...columns, table.idColumn],
    unique: false,
    where: nullable.map(({ name }) => `${name} IS NOT NULL`).join(' AND ') || null,
  }
}

function keyIndexes({ collection, idField, alternateKey, serviceWideIds }: Resource): readonly IndexShape[] {
  const table = tableName(collection)
  const unique = (field: string, owner: readonly string[]): IndexShape => ({
    name: `${table}_${columnName(field)}`,
    table,
    columns: [...owner, columnName(field)],
    unique: true,
    where: null,
  })
  return [
    ...(serviceWideIds ? [unique(idField, [])] : []),
    ...(alternateKey === null ? [] : [unique(alternateKey, [OWNER])]),
  ]
}

/** The indexes for pages. What is tested in a walk comes after the id, because it orders nothing. */
function pageIndexes(): readonly IndexShape[] {
  return readIndexes().map(({ collection, narrowing, orderField, tested }) => {
    const shape = tableIndex(collection, [...narrowing, orderField], narrowing)
    const table = tableOf(collection)
    return { ...shape, columns: [...shape.columns, ...tested.map((field) => columnOf(table, field).name)] }
  })
}

/**
 * The indexes for groups, which are read from all rows of a time window, or only those of a parent where there is one.
 */
function groupIndexes(): readonly IndexShape[] {
  return reads.flatMap((endpoint) => {
    if (endpoint.kind !== 'groups') return []
    const { groups, parent } = endpoint
    return [tableIndex(groups.collection, [...(parent === null ? [] : [parent.param]), groups.at])]
  })
}
