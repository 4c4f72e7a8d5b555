import { expressionBuilder, sql, type Expression } from 'kysely'
import type { ImportSession, ImportState, StagedChunk, WrittenChunk } from '../../../ports/import-sessions.ts'
import { bind, db, slot, template, type Template } from '../statement/compiler.ts'
import { rowsAmong, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import type { Database } from '../database/database.ts'
import { parsed } from '../database/json-text.ts'
import { encodedRows, givenFields, moveClock, upsertOf, writableTable } from '../write/upsert.ts'
import { columnOf, type Table } from '../table/tables.ts'
import {
  isIn,
  ofSession,
  sessionColumns,
  sessionOf,
  type SessionPlace,
  type SessionRow,
} from './session-row.ts'

const thisSession = db.selectFrom('import_sessions').where(ofSession)
const nextOf = thisSession.select('written_chunks').where(isIn('writing'))

/** The number of the next chunk to write; null unless the session is being written. */
const nextNumber = sql<number>`${nextOf}`

const readNext = template(
  db.selectFrom('import_chunks').select(['chunk', 'rows']).where(ofSession).where('chunk', '=', nextNumber),
)

/**
 * Counts chunks as written, at most `chunksMax` of them, with `changed` rows. It must follow the statement that writes
 * the rows, so that changes() is how many rows that statement inserted or updated, without those that triggers wrote.
 */
function count(changed: Expression<number>) {
  const { eb, ref } = expressionBuilder<Database, 'import_sessions'>()
  const end = eb('written_chunks', '+', slot<number>('chunksMax'))
  const after = sql<number>`min(${ref('chunks')}, ${end})`
  const rows = db
    .selectFrom('import_chunks as c')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('c.row_count'), sql.lit(0)).as('sum'))
    .where('c.organization_id', '=', slot('organizationId'))
    .where('c.import_id', '=', slot('importId'))
    .where('c.chunk', '>=', sql<number>`${ref('written_chunks')}`)
    .where('c.chunk', '<', sql<number>`${end}`)
  return db
    .updateTable('import_sessions')
    .set({
      changed_rows: eb('changed_rows', '+', changed),
      written_rows: eb('written_rows', '+', rows.$asScalar()),
      written_chunks: after,
      touched_at: slot('now'),
      state: sql<ImportState>`iif(${after} = ${ref('chunks')}, 'done', ${ref('state')})`,
    })
    .where(ofSession)
    .where(isIn('writing'))
    .returning(sessionColumns)
}

const countWritten = count(sql`changes()`)
const countChanges = template(countWritten)
const countChangesOfNext = template(countWritten.where('written_chunks', '=', slot('chunk')))
const countGiven = template(count(slot('changed')).where('written_chunks', '=', slot('chunk')))

/** Removes the chunks that have been written. */
const deleteWritten = template(
  db.deleteFrom('import_chunks').where(ofSession).where('chunk', '<', thisSession.select('written_chunks')),
)

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
