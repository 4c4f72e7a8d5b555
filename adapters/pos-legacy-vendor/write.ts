import { writtenPosResources } from '../../domain/pos/index.ts'
import { jsonChunks } from '../../domain/text/json-chunks.ts'
import type { PosWriter } from '../../ports/pos-writer.ts'
import type { StoredRow } from '../../ports/query.ts'
import type { Batch, Statement } from './batch.ts'
import type { Column } from './tables.ts'
import { columnName, tableOf } from './tables.ts'

/** Opens a tenant of the vendor for writing. An upsert is one batch, whatever its size: callers bound it. */
export function openLegacyVendorWriter(database: Batch, tenant: string): PosWriter {
  return {
    async upsert(collection, rows) {
      if (!writtenPosResources.some((resource) => resource.collection === collection))
        throw new Error(`${collection} cannot be written to the legacy vendor`)
      if (rows.length === 0) return { changed: 0 }
      const answers = await database.batch(upsertStatements(tenant, collection, rows))
      return { changed: answers.reduce((sum, { results }) => sum + results.length, 0) }
    },
  }
}

/** Rows travel as JSON arrays of values in column order. One whose content is the same is not touched nor returned. */
function upsertStatements(
  tenant: string,
  collection: string,
  rows: readonly StoredRow[],
): readonly Statement[] {
  const table = tableOf(collection)
  const columns = [...table.columns.values()]
  const names = columns.map(({ field }) => columnName(field))
  const content = names.filter((name) => name !== table.idColumn)
  const sql = `insert into ${table.name} (tenant_id, ${names.join(', ')})
    select ?, ${names.map((_, index) => `row.value ->> ${index}`).join(', ')} from json_each(?) as row where true
    on conflict (tenant_id, ${table.idColumn}) do update set
      ${content.map((name) => `${name} = excluded.${name}`).join(', ')}
    where (${content.map((name) => `${table.name}.${name}`).join(', ')})
      is not (${content.map((name) => `excluded.${name}`).join(', ')})
    returning 1 as changed`
  const encoded = rows.map((row) => columns.map((column) => encode(row[column.field] ?? null, column)))
  return jsonChunks(encoded).map((chunk) => ({ sql, parameters: [tenant.toWellFormed(), chunk] }))
}

/** JSON columns travel as text within the JSON of the chunk, so that they are kept as they were serialised. */
function encode(value: unknown, { storage }: Column): unknown {
  if (value === null) return null
  if (storage === 'json') return JSON.stringify(value)
  return typeof value === 'string' ? value.toWellFormed() : value
}
