import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { ImportSession, StagedChunk, WrittenChunk } from '../../../ports/records/import-sessions.ts'
import type { StoredRow } from '../../../ports/records/query.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsAmong, rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'
import { encodedRows, givenFields, moveClock, upsertOf, writableTable } from '../write/upsert.ts'
import type { Table } from '../table/tables.ts'
import { columnOf } from '../table/tables.ts'
import type { SessionPlace, SessionRow } from './session-row.ts'
import { ofSession, sessionColumns, sessionOf } from './session-row.ts'

/** The number of the next chunk to write; null unless the session is being written. */
const nextNumber = sql`(select written_chunks from import_sessions where ${ofSession} and state = 'writing')`

const readNext = template(sql<{ readonly chunk: number; readonly rows: JsonText<readonly StoredRow[]> }>`
  select chunk, "rows" from import_chunks where ${ofSession} and chunk = ${nextNumber}`)

/**
 * Counts chunks as written, at most `chunksMax` of them, with `changed` rows. It must follow the statement that writes
 * the rows, so that changes() is how many rows that statement inserted or updated, without those that triggers wrote.
 */
function count(changed: Expression<unknown>, condition = sql`true`): Template<SessionRow> {
  const after = sql`min(chunks, written_chunks + ${slot('chunksMax')})`
  return template(sql<SessionRow>`
    update import_sessions set changed_rows = changed_rows + ${changed},
      written_rows = written_rows + (select coalesce(sum(c.row_count), 0) from import_chunks as c
        where c.organization_id = ${slot('organizationId')} and c.import_id = ${slot('importId')}
          and c.chunk >= written_chunks and c.chunk < written_chunks + ${slot('chunksMax')}),
      written_chunks = ${after}, touched_at = ${slot('now')},
      state = case when ${after} = chunks then 'done' else state end
    where ${ofSession} and state = 'writing' and ${condition} returning ${sessionColumns}`)
}

const isNext = sql`written_chunks = ${slot('chunk')}`
const countChanges = count(sql`changes()`)
const countChangesOfNext = count(sql`changes()`, isNext)
const countGiven = count(slot('changed'), isNext)

/** Removes the chunks that have been written. */
const deleteWritten = template(sql`
  delete from import_chunks where ${ofSession}
    and chunk < (select written_chunks from import_sessions where ${ofSession})`)

/** The upserts of staged chunks, by table and fields. */
const upserts = new Map<string, Template>()

/** The next chunks, each with its rows in `row.value`. */
const stagedRows = sql`import_chunks as c, json_each(c."rows") as row
  where c.organization_id = ${slot('organizationId')} and c.import_id = ${slot('importId')}
    and c.chunk >= ${nextNumber} and c.chunk < ${nextNumber} + ${slot('chunksMax')}`

function upsertNext(collection: string, fields: readonly string[]): Template {
  const key = [collection, ...fields].join(' ')
  const table = writableTable(collection)
  const upsert = upserts.get(key) ?? template(upsertOf(table, fields, inOrderOfTime(table, fields)))
  upserts.set(key, upsert)
  return upsert
}

/**
 * The staged rows in the order of their time, if they have one. The result does not depend on it, but files are often
 * sorted by id. Sorted by time, neighbours in an index by time are written together, so each page of the index is
 * touched once.
 */
function inOrderOfTime(table: Table, fields: readonly string[]): Expression<unknown> {
  const time = fields.findIndex((field) => field.endsWith('At') && !columnOf(table, field).nullable)
  return time === -1 ? stagedRows : sql`${stagedRows} order by row.value ->> ${sql.raw(String(time))}`
}

/** The upserts of rows that were given in place of staged ones, by table. */
const givenUpserts = new Map<string, Template>()

function upsertGiven(collection: string): Template {
  const table = writableTable(collection)
  const given = sql`json_each(${slot('rows')}) as row where ${nextNumber} = ${slot('chunk')}`
  const upsert = givenUpserts.get(collection) ?? template(upsertOf(table, givenFields(table), given))
  givenUpserts.set(collection, upsert)
  return upsert
}

/** Writes the next staged chunks inside the database. */
export function writeStaged(
  executor: Executor,
  place: SessionPlace,
  { kind, stagedFields }: ImportSession,
  chunksMax: number,
  now: string,
): Promise<ImportSession | null> {
  if (stagedFields === null) throw new Error('Drafts must be completed before they are written')
  const values = { ...place, owner: place.organizationId, chunksMax, now }
  return counted(executor, place, bind(countChanges, values), [
    moveClock(writableTable(kind), place.organizationId, now),
    bind(upsertNext(kind, stagedFields), values),
  ])
}

/**
 * Writes rows in place of the chunk that they were made from. When those rows are stored elsewhere, it only counts the
 * chunk.
 */
export function writeGiven(
  executor: Executor,
  place: SessionPlace,
  { kind }: ImportSession,
  given: WrittenChunk,
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, owner: place.organizationId, chunk: given.chunk, chunksMax: 1, now }
  if ('changed' in given)
    return counted(executor, place, bind(countGiven, { ...values, changed: given.changed }))
  const table = writableTable(kind)
  const rows = JSON.stringify(encodedRows(table, givenFields(table), given.rows))
  return counted(executor, place, bind(countChangesOfNext, values), [
    moveClock(table, place.organizationId, now),
    bind(upsertGiven(kind), { ...values, rows }),
  ])
}

/** The staged rows of the next chunk to write; null when there is none. */
export async function readNextChunk(executor: Executor, place: SessionPlace): Promise<StagedChunk | null> {
  const [row] = await rowsOf(executor, bind(readNext, { ...place }))
  return row === undefined ? null : { chunk: row.chunk, rows: parsed(row.rows) }
}

/** Writes chunks, counts them by the statement `count`, and removes them, in one batch. Null: none was counted. */
async function counted(
  executor: Executor,
  place: SessionPlace,
  count: Statement<SessionRow>,
  writes: readonly Statement[] = [],
): Promise<ImportSession | null> {
  const after = [bind(deleteWritten, { ...place })]
  const [row] = await rowsAmong(executor, { before: writes, giving: count, after })
  return row === undefined ? null : sessionOf(row)
}
