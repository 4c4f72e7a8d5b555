import { sql } from 'kysely'
import type { StoredRow } from '../../ports/query.ts'
import type { Template } from './compiler.ts'
import { bind, slot, template } from './compiler.ts'
import type { Statement } from './executor.ts'
import { jsonChunks } from '../../domain/text/json-chunks.ts'
import type { Column, Table } from './tables.ts'
import { name, tableOf } from './tables.ts'
import { advanceClock, advanceClocks } from './write-clock.ts'

/** Collections of which a parent organization keeps copies (0005_reviews.sql): its clock moves with them. */
const SEEN_BY_PARENT: ReadonlySet<string> = new Set(['reviews', 'sites'])

const templates = new Map<string, Template>()

/** The statements that insert or update rows of an organization: one batch, the first one moves its clock. */
export function upsertStatements(
  organizationId: string,
  collection: string,
  rows: readonly StoredRow[],
  now: string,
): readonly Statement[] {
  const table = tableOf(collection)
  if (table.isKept) throw new Error(`${collection} cannot be written: the store keeps it from other rows`)
  const given = givenColumns(table)
  const upsert = templates.get(collection) ?? compile(table)
  templates.set(collection, upsert)
  const chunks = jsonChunks(rows.map((row) => given.map(({ field, storage }) => encode(row[field], storage))))
  return [
    bind(SEEN_BY_PARENT.has(collection) ? advanceClocks : advanceClock, { organizationId, now }),
    ...chunks.map((chunk) => bind(upsert, { organizationId, rows: chunk })),
  ]
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
 * Rows come as a JSON array of arrays of values in column order. A row whose content is the same is not touched,
 * so its updated_at stays and it is not returned. The rows returned are those that changed: D1's own count takes in what
 * triggers wrote.
 */
function compile(table: Table): Template {
  const given = givenColumns(table)
  const content = given.filter((column) => !table.keyColumns.includes(column.name))
  const excluded = (column: string) => name('excluded', column)
  const values = given.map((_, index) => sql`row.value ->> ${sql.raw(String(index))}`)
  const versioned = table.columns.has('version')
  return template(sql`
    insert into ${name(table.name)} (organization_id, updated_at, ${versioned ? sql`version,` : sql``}
      ${sql.join(given.map((column) => name(column.name)))})
    select ${slot('organizationId')},
      (select clock_at from organizations where organization_id = ${slot('organizationId')}),
      ${versioned ? sql`1,` : sql``} ${sql.join(values)}
    from json_each(${slot('rows')}) as row where true
    on conflict (organization_id, ${sql.join(table.keyColumns.map((column) => name(column)))}) do update set
      updated_at = ${excluded('updated_at')}, ${versioned ? sql`version = ${name(table.name, 'version')} + 1,` : sql``}
      ${sql.join(content.map((column) => sql`${name(column.name)} = ${excluded(column.name)}`))}
    where (${sql.join(content.map((column) => name(table.name, column.name)))})
      is not (${sql.join(content.map((column) => excluded(column.name)))})
    returning 1 as changed`)
}
