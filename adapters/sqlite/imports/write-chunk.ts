import { sql } from '../statement/sql.ts'
import type { RawBuilder } from '../statement/sql.ts'
import type { ImportSession, StagedChunk, WrittenChunk } from '../../../ports/import-sessions.ts'
import type { StoredRow } from '../../../ports/query.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { encodedRows, givenFields, moveClock, upsertOf, writableTable } from '../write/upsert.ts'
import type { SessionPlace, SessionRow } from './session-row.ts'
import { ofSession, sessionColumns, sessionOf } from './session-row.ts'

/** The number of the chunk that is written next; null unless the session is being written. */
const nextNumber = sql`(select written_chunks from import_sessions where ${ofSession} and state = 'writing')`

const readNext = template(sql<{ readonly chunk: number; readonly rows: JsonText<readonly StoredRow[]> }>`
  select chunk, "rows" from import_chunks where ${ofSession} and chunk = ${nextNumber}`)

/**
 * Counts the chunk as written, with `changed` rows. It follows the statement that writes the rows, so that changes() is
 * of that one: how many rows it inserted or updated, without those that triggers wrote.
 */
function count(changed: RawBuilder<unknown>, condition = sql`true`): Template<SessionRow> {
  return template(sql<SessionRow>`
    update import_sessions set changed_rows = changed_rows + ${changed},
      written_rows = written_rows + (select c.row_count from import_chunks as c
        where c.organization_id = ${slot('organizationId')} and c.import_id = ${slot('importId')}
          and c.chunk = written_chunks),
      written_chunks = written_chunks + 1, touched_at = ${slot('now')},
      state = case when written_chunks + 1 = chunks then 'done' else state end
    where ${ofSession} and state = 'writing' and ${condition} returning ${sessionColumns}`)
}

const isNext = sql`written_chunks = ${slot('chunk')}`
const countChanges = count(sql`changes()`)
const countChangesOfNext = count(sql`changes()`, isNext)
const countGiven = count(slot('changed'), isNext)

/** What was written is no longer staged. */
const deleteWritten = template(sql`
  delete from import_chunks where ${ofSession}
    and chunk < (select written_chunks from import_sessions where ${ofSession})`)

/** The upserts of staged chunks, by table and fields. */
const upserts = new Map<string, Template>()

function upsertNext(collection: string, fields: readonly string[]): Template {
  const key = [collection, ...fields].join(' ')
  const staged = sql`(select "rows" from import_chunks where ${ofSession} and chunk = ${nextNumber})`
  const upsert = upserts.get(key) ?? template(upsertOf(writableTable(collection), fields, staged))
  upserts.set(key, upsert)
  return upsert
}

/** The upserts of rows that were given in place of staged ones, by table. */
const givenUpserts = new Map<string, Template>()

function upsertGiven(collection: string): Template {
  const table = writableTable(collection)
  const given = sql`case when ${nextNumber} = ${slot('chunk')} then ${slot('rows')} end`
  const upsert = givenUpserts.get(collection) ?? template(upsertOf(table, givenFields(table), given))
  givenUpserts.set(collection, upsert)
  return upsert
}

/** Writes the next staged chunk, from where it lies. */
export function writeStaged(
  executor: Executor,
  place: SessionPlace,
  { kind, stagedFields }: ImportSession,
  now: string,
): Promise<ImportSession | null> {
  if (stagedFields === null) throw new Error('Drafts must be completed before they are written')
  const values = { ...place, owner: place.organizationId, now }
  return counted(executor, place, [
    moveClock(writableTable(kind), place.organizationId, now),
    bind(upsertNext(kind, stagedFields), values),
    bind(countChanges, values),
  ])
}

/** Writes rows in place of the chunk that they were made from, or only counts it when they are kept elsewhere. */
export function writeGiven(
  executor: Executor,
  place: SessionPlace,
  { kind }: ImportSession,
  given: WrittenChunk,
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, owner: place.organizationId, chunk: given.chunk, now }
  if ('changed' in given)
    return counted(executor, place, [bind(countGiven, { ...values, changed: given.changed })])
  const table = writableTable(kind)
  const rows = JSON.stringify(encodedRows(table, givenFields(table), given.rows))
  return counted(executor, place, [
    moveClock(table, place.organizationId, now),
    bind(upsertGiven(kind), { ...values, rows }),
    bind(countChangesOfNext, values),
  ])
}

/** The rows of the chunk that is written next, as they were staged; null when there is none. */
export async function readNextChunk(executor: Executor, place: SessionPlace): Promise<StagedChunk | null> {
  const [row] = await rowsOf(executor, bind(readNext, { ...place }))
  return row === undefined ? null : { chunk: row.chunk, rows: parsed(row.rows) }
}

/** Runs a batch that ends with the count of a chunk, and removes the chunk. Null: none was counted. */
async function counted(
  executor: Executor,
  place: SessionPlace,
  statements: readonly [...Statement[], Statement<SessionRow>],
): Promise<ImportSession | null> {
  const results = await executor.batch([...statements, bind(deleteWritten, { ...place })])
  // The count returns the session; the batch as a whole does not say so of one of its statements.
  const [row] = (results[statements.length - 1]?.rows ?? []) as unknown as readonly SessionRow[]
  return row === undefined ? null : sessionOf(row)
}
