import { sql } from 'kysely'
import type { Clock } from '../../ports/clock.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { bind, slot, template } from './compiler.ts'
import { decodeRows } from './decode.ts'
import type { Executor } from './executor.ts'
import { jsonChunks } from '../../domain/text/json-chunks.ts'
import { selectFrom } from './read-query.ts'
import { saveSubmission } from './submission.ts'
import { columnOf, name, tableOf } from './tables.ts'
import { upsertStatements } from './upsert.ts'
import { nowOf } from './write-clock.ts'

/** Collections whose ids are unique across the service; in the others two organizations may use the same id. */
const SERVICE_WIDE_IDS: ReadonlySet<string> = new Set(['forms'])

/** How SQLite names the violation of the one unique index that spans organizations. */
const FOREIGN_FORM_ID = /UNIQUE constraint failed: forms\.form_id/

const replaceHash = template(sql`
  update forms set password_hash = ${slot('to')}
  where organization_id = ${slot('organizationId')} and form_id = ${slot('formId')} and password_hash = ${slot('from')}`)

/** Opens one organization for writing. An upsert is one batch whatever its size: callers bound it (30 s a batch). */
export function createTenantWriter(executor: Executor, clock: Clock, organizationId: string): TenantWriter {
  return {
    saveSubmission: (submission) => saveSubmission(executor, organizationId, submission, nowOf(clock)),

    async upsert(collection, rows) {
      if (rows.length === 0) return { changed: 0 }
      const statements = upsertStatements(organizationId, collection, rows, nowOf(clock))
      const [, ...upserts] = await executor.batch(statements).catch((error: unknown) => {
        if (!FOREIGN_FORM_ID.test(String(error))) throw error
        throw new Error('A form id belongs to another organization', { cause: error })
      })
      return { changed: upserts.reduce((sum, { results }) => sum + results.length, 0) }
    },

    async replacePasswordHash(formId, from, to) {
      await executor.batch([bind(replaceHash, { organizationId, formId, from, to })])
    },

    async foreignIds(collection, ids) {
      if (!SERVICE_WIDE_IDS.has(collection) || ids.length === 0) return []
      const { name: table, idColumn } = tableOf(collection)
      const foreign = template(sql`
        select ${name(idColumn)} as id from ${name(table)}
        where ${name(idColumn)} in (select value from json_each(${slot('ids')}))
          and organization_id <> ${slot('organizationId')}`)
      const results = await executor.batch(
        jsonChunks(ids).map((chunk) => bind(foreign, { organizationId, ids: chunk })),
      )
      return results.flatMap((result) => result.results.map((row) => row.id as string))
    },

    async findMany(collection, select, keys, by) {
      if (keys.length === 0) return []
      const table = tableOf(collection)
      const keyColumn = by === undefined ? table.idColumn : columnOf(table, by).name
      const find = template(sql`
        ${selectFrom(table, select)} where ${name('t', 'organization_id')} = ${slot('organizationId')}
          and ${name('t', keyColumn)} in (select value from json_each(${slot('keys')}))`)
      const distinct = [...new Set(keys)]
      const results = await executor.batch(
        jsonChunks(distinct).map((chunk) => bind(find, { organizationId, keys: chunk })),
      )
      return results.flatMap((result) => decodeRows(collection, select, result.results))
    },
  }
}
