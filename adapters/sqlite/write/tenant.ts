import { sql, type SqlBool } from 'kysely'
import type { Clock } from '../../../ports/platform.ts'
import { storedRowsOf } from '../../../domain/read/pages/query-result.ts'
import { resourceOf } from '../../../domain/resources/index.ts'
import type { TenantWriter } from '../../../ports/records.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { decodeRows } from '../table/decode.ts'
import { resultsOf, rowsAmong, type ResultRow } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'
import { readBoundedPage } from '../read/read-page.ts'
import { pageStatements } from '../read/rows-statements.ts'
import { selectFrom } from '../read/select.ts'
import type { TenantExecutors } from './submission.ts'
import { createSubmissionWriter } from './submission-writer.ts'
import { serviceTables } from '../table/table-set.ts'
import { columnOf, tableOf, type Table } from '../table/tables.ts'
import { CONDITION_HELD, failsWhen } from './fail-when.ts'
import { upsertStatements, writableTable } from './upsert.ts'
import { nowOf } from './write-clock.ts'

const pageStatementsOf = pageStatements(serviceTables)

/**
 * Matches SQLite's error for a form id that another organization has. That is the only unique index across
 * organizations.
 */
const FOREIGN_FORM_ID = /UNIQUE constraint failed: forms\.form_id/

function refusalOf(error: unknown): unknown {
  if (!FOREIGN_FORM_ID.test(String(error))) return error
  return new Error('A form id belongs to another organization', { cause: error })
}

/**
 * The statements around a change of rows: the first fails when one of them is not as it is expected, the last gives their
 * `updated_at`. The slot `expected` has, for each, its id and the `updated_at` that it replaces.
 */
function changeTemplates({ idColumn, name, columns }: Table) {
  if (!columns.has('updatedAt')) throw new Error(`${name} does not say when a row was changed`)
  const those = sql`json_each(${slot('expected')}) as e left join ${sql.id(name)} as t
    on t.organization_id = ${slot('organizationId')} and ${sql.id('t', idColumn)} = e.value ->> 0`
  return {
    guard: failsWhen(sql<SqlBool>`exists (select 1 from ${those} where t.updated_at is not e.value ->> 1)`),
    find: template(sql<{ readonly at: string }>`select t.updated_at as at from ${those} order by e.key`),
  }
}

/**
 * Opens one organization for writing. An upsert is one batch whatever its size, so callers must bound it (a batch may
 * take 30 s).
 */
export function createTenantWriter(
  executors: TenantExecutors,
  clock: Clock,
  organizationId: string,
): TenantWriter {
  const { executor } = executors
  return {
    ...createSubmissionWriter(executors, clock, organizationId),

    async upsert(collection, rows) {
      if (rows.length === 0) return { changed: 0 }
      const statements = upsertStatements(organizationId, collection, rows, nowOf(clock))
      const [, ...upserts] = await executor.batch(statements).catch((error: unknown) => {
        throw refusalOf(error)
      })
      return { changed: upserts.reduce((sum, { rows: changed }) => sum + changed.length, 0) }
    },

    async change(collection, changes) {
      if (changes.length === 0) return []
      const { guard, find } = changeTemplates(writableTable(collection))
      const { idField } = resourceOf(collection)
      const expected = changes.map(({ row, replaces }) => [row[idField], replaces])
      const values = { organizationId, expected: JSON.stringify(expected) }
      const rows = changes.map(({ row }) => row)
      try {
        const written = await rowsAmong(executor, {
          before: [bind(guard, values), ...upsertStatements(organizationId, collection, rows, nowOf(clock))],
          giving: bind(find, values),
        })
        return written.map(({ at }) => at)
      } catch (error) {
        if (CONDITION_HELD.test(String(error))) return null
        throw refusalOf(error)
      }
    },

    async foreignIds(collection, ids) {
      const { name: table, idColumn, serviceWideIds } = tableOf(collection)
      if (!serviceWideIds || ids.length === 0) return []
      const foreign = template(sql<{ readonly id: string }>`
        select ${sql.id(idColumn)} as id from ${sql.id(table)}
        where ${sql.id(idColumn)} in (select value from json_each(${slot('ids')}))
          and organization_id <> ${slot('organizationId')}`)
      const results = await resultsOf(
        executor,
        jsonChunks(ids).map((chunk) => bind(foreign, { organizationId, ids: chunk })),
      )
      return results.flatMap(({ rows }) => rows.map(({ id }) => id))
    },

    async findMany(collection, select, keys, by) {
      if (keys.length === 0) return []
      const table = tableOf(collection)
      const keyColumn = by === undefined ? table.idColumn : columnOf(table, by).name
      const find = template(sql<ResultRow>`
        ${selectFrom(table, select, 'columns')} where ${sql.id('t', 'organization_id')} = ${slot('organizationId')}
          and ${sql.id('t', keyColumn)} in (select value from json_each(${slot('keys')}))`)
      const distinct = [...new Set(keys)]
      const results = await resultsOf(
        executor,
        jsonChunks(distinct).map((chunk) => bind(find, { organizationId, keys: chunk })),
      )
      return results.flatMap(({ rows }) => decodeRows(table, select, rows))
    },

    async findPage(query) {
      const found = await readBoundedPage(executor, pageStatementsOf(organizationId, query))
      const { stoppedAt } = found
      if (found.kind === 'lines') return { rows: storedRowsOf(found), stoppedAt }
      return { rows: decodeRows(tableOf(query.collection), query.select, found.rows), stoppedAt }
    },
  }
}
