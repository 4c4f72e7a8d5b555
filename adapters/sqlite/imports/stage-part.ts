import { sql } from 'kysely'
import type { ImportSession, StagedPart } from '../../../ports/records/import-sessions.ts'
import type { StoredRow } from '../../../ports/records/query.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsAmong } from '../statement/executor.ts'
import { countedJsonChunks, jsonChunks } from '../statement/json-chunks.ts'
import { encodedRows, writableTable } from '../write/upsert.ts'
import type { SessionPlace, SessionRow } from './session-row.ts'
import { ofSession, sessionColumns, sessionOf } from './session-row.ts'

/**
 * The maximum number of rows in a chunk, which is the least that one step writes. It bounds how long other requests
 * wait.
 */
const CHUNK_MAX_ROWS = 2_000

/** The session, if this part is its next one: every write of the batch is made on this condition. */
const awaiting = sql`import_sessions where ${ofSession} and state = 'receiving' and next_part = ${slot('part')}`

const insertPart = template(sql`
  insert into import_parts (organization_id, import_id, part, digest)
  select organization_id, import_id, next_part, ${slot('digest')} from ${awaiting}`)

const insertChunk = template(sql`
  insert into import_chunks (organization_id, import_id, chunk, row_count, "rows")
  select organization_id, import_id, chunks + ${slot('offset')}, ${slot('rowCount')}, ${slot('rows')} from ${awaiting}`)

const insertKeys = template(sql`
  insert into import_keys (organization_id, import_id, bucket, part, "keys", lines)
  select organization_id, import_id, entry.value ->> 0, next_part, entry.value -> 1, entry.value -> 2
  from json_each(${slot('keys')}) as entry, ${awaiting}`)

/** The last statement of the batch: after it, the part is no longer the next one. */
const advance = template(sql<SessionRow>`
  update import_sessions set next_part = next_part + 1, received_bytes = received_bytes + ${slot('bytes')},
    read_rows = read_rows + ${slot('readRows')}, skipped_rows = skipped_rows + ${slot('skippedRows')},
    problems = ${slot('problems')},
    warnings = ${slot('warnings')}, state = ${slot('state')},
    reading = ${slot('reading')}, chunks = chunks + ${slot('chunks')}, touched_at = ${slot('now')}
  where ${ofSession} and state = 'receiving' and next_part = ${slot('part')} returning ${sessionColumns}`)

/** Adds a part to its session in one batch. Null: it was not the next part of an open session. */
export async function stagePart(
  executor: Executor,
  organizationId: string,
  { importId, kind, stagedFields }: ImportSession,
  staged: StagedPart,
  now: string,
): Promise<ImportSession | null> {
  const { part, digest, bytes, readRows, skippedRows, state } = staged
  const reading = state === 'receiving' ? staged.reading : ''
  const to = { organizationId, importId, part }
  const chunks = chunksOf(staged.rows, kind, stagedFields)
  const [problems, warnings] = [JSON.stringify(staged.problems), JSON.stringify(staged.warnings)]
  const [row] = await rowsAmong(executor, {
    before: [
      bind(insertPart, { ...to, digest }),
      ...chunks.map((chunk, offset) => bind(insertChunk, { ...to, offset, ...chunk })),
      ...keyStatements(to, staged),
    ],
    giving: bind(advance, {
      ...to,
      bytes,
      readRows,
      skippedRows,
      state,
      reading,
      now,
      problems,
      warnings,
      chunks: chunks.length,
    }),
  })
  return row === undefined ? null : sessionOf(row)
}

function keyStatements(
  to: SessionPlace & { readonly part: number },
  { keys }: StagedPart,
): readonly Statement[] {
  const entries = keys.map(({ bucket, keys: held, lines }) => [bucket, held, lines])
  return jsonChunks(entries).map((chunk) => bind(insertKeys, { ...to, keys: chunk }))
}

interface Chunk {
  readonly rowCount: number
  readonly rows: string
}

function chunksOf(
  rows: readonly StoredRow[],
  collection: string,
  fields: readonly string[] | null,
): readonly Chunk[] {
  const encoded: readonly unknown[] =
    fields === null ? rows : encodedRows(writableTable(collection), fields, rows)
  return countedJsonChunks(encoded, CHUNK_MAX_ROWS).map(({ text, count }) => ({
    rowCount: count,
    rows: text,
  }))
}
