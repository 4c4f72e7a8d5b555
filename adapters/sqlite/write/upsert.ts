import type { StoredRow } from '../../../ports/query.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { Statement } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'
import type { Column, Table } from '../table/tables.ts'
import { tableOf } from '../table/tables.ts'
import { advanceClock, advanceClocks } from './write-clock.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

const templates = new WeakMap<Table, Template>()

/** The statements that insert or update rows of an organization: one batch, the first one moves its clock. */
export function upsertStatements(
  organizationId: string,
  collection: string,
  rows: readonly StoredRow[],
  now: string,
): readonly Statement[] {
  const table = tableOf(collection)
  if (table.isKept) throw new Error(`${collection} cannot be written: the store keeps it from other rows`)
  return [
    bind(table.seenByParent ? advanceClocks : advanceClock, { organizationId, now }),
    ...upsertRows(table, organizationId, rows),
  ]
}

/** The statements that insert or update rows of an owner by their key. Each returns a row for every one that changed. */
export function upsertRows(table: Table, owner: string, rows: readonly StoredRow[]): readonly Statement[] {
  const given = givenColumns(table)
  const upsert = templates.get(table) ?? compile(table)
  templates.set(table, upsert)
  const chunks = jsonChunks(rows.map((row) => given.map(({ field, storage }) => encode(row[field], storage))))
  return chunks.map((chunk) => bind(upsert, { owner, rows: chunk }))
}

function givenColumns(table: Table): readonly Column[] {
  return [...table.columns.values()].filter(({ assigned }) => !assigned)
}

/** JSON columns travel as text within the JSON of the chunk, so that they are stored as they were serialised. */
function encode(value: unknown, storage: Column['storage']): unknown {
  if (value === null || value === undefined) return null
  if (storage === 'json') return JSON.stringify(value)
  // A lone surrogate has no UTF-8 form; SQLite would store bytes that no reader accepts.
  return typeof value === 'string' ? value.toWellFormed() : value
}

/**
 * Rows come as a JSON array of arrays of values in column order. A row with unchanged content is not written, so it
 * keeps its updated_at and is not returned. Changes are counted by the returned rows, because SQLite's own count
 * includes rows written by triggers. A table with `updatedAt` takes it from the organization's clock.
 */
function compile(table: Table): Template {
  const given = givenColumns(table)
  const content = given.filter((column) => !table.keyColumns.includes(column.name))
  const excluded = (column: string) => name('excluded', column)
  const values = given.map((_, index) => sql`row.value ->> ${sql.raw(String(index))}`)
  const when = (condition: boolean, text: RawBuilder<unknown>) => (condition ? text : sql``)
  const versioned = table.columns.has('version')
  const timed = table.columns.has('updatedAt')
  const clock = sql`(select clock_at from organizations where organization_id = ${slot('owner')}),`
  return template(sql`
    insert into ${name(table.name)} (${name(table.ownerColumn)}, ${when(timed, sql`updated_at,`)}
      ${when(versioned, sql`version,`)} ${sql.join(given.map((column) => name(column.name)))})
    select ${slot('owner')}, ${when(timed, clock)} ${when(versioned, sql`1,`)} ${sql.join(values)}
    from json_each(${slot('rows')}) as row where true
    on conflict (${name(table.ownerColumn)}, ${sql.join(table.keyColumns.map((column) => name(column)))}) do update set
      ${when(timed, sql`updated_at = ${excluded('updated_at')},`)}
      ${when(versioned, sql`version = ${name(table.name, 'version')} + 1,`)}
      ${sql.join(content.map((column) => sql`${name(column.name)} = ${excluded(column.name)}`))}
    where (${sql.join(content.map((column) => name(table.name, column.name)))})
      is not (${sql.join(content.map((column) => excluded(column.name)))})
    returning 1 as changed`)
}
