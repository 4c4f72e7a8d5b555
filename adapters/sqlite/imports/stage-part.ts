import { expressionBuilder, sql } from 'kysely'
import type { ImportSession, StagedPart } from '../../../ports/import-sessions.ts'
import type { StoredRow } from '../../../ports/records.ts'
import type { Database } from '../database/database.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { rowsAmong, type Executor, type Statement } from '../statement/executor.ts'
import { countedJsonChunks, jsonChunks } from '../statement/json-chunks.ts'
import { encodedRows, writableTable } from '../write/upsert.ts'
import { jsonEach } from '../statement/words.ts'
import { isIn, ofSession, sessionColumns, sessionOf, type SessionPlace } from './session-row.ts'

/**
 * The maximum number of rows in a chunk, which is the least that one step writes. It bounds how long other requests
 * wait.
 */
const CHUNK_MAX_ROWS = 2_000

/** That this part is the session's next one: every write of the batch is made on this condition. */
const eb = expressionBuilder<Database, 'import_sessions'>()
const isAwaited = eb.and([ofSession, isIn('receiving'), eb('next_part', '=', slot('part'))])
const awaiting = db.selectFrom('import_sessions').select(['organization_id', 'import_id']).where(isAwaited)

const insertPart = template(
  db
    .insertInto('import_parts')
    .columns(['organization_id', 'import_id', 'part', 'digest'])
    .expression(awaiting.select(['next_part as part', slot('digest').as('digest')])),
)

const insertChunk = template(
  db
    .insertInto('import_chunks')
    .columns(['organization_id', 'import_id', 'chunk', 'row_count', 'rows'])
    .expression(
      awaiting
        .select(({ eb }) => eb('chunks', '+', slot('offset')).as('chunk'))
        .select([slot('rowCount').as('row_count'), slot('rows').as('rows')]),
    ),
)

const insertKeys = template(
  db
    .insertInto('import_keys')
    .columns(['organization_id', 'import_id', 'bucket', 'part', 'keys', 'lines'])
    .expression(
      db
        .selectFrom([jsonEach<never, 'entry'>(slot('keys'), 'entry'), 'import_sessions'])
        .select(({ ref }) => [
          'organization_id',
          'import_id',
          sql`${ref('entry.value')} ->> 0`.as('bucket'),
          'next_part as part',
          sql`${ref('entry.value')} -> 1`.as('keys'),
          sql`${ref('entry.value')} -> 2`.as('lines'),
        ])
        .where(isAwaited),
    ),
)

/** The last statement of the batch: after it, the part is no longer the next one. */
const advance = template(
  db
    .updateTable('import_sessions')
    .set(({ eb }) => ({
      next_part: eb('next_part', '+', sql.lit(1)),
      received_bytes: eb('received_bytes', '+', slot('bytes')),
      read_rows: eb('read_rows', '+', slot('readRows')),
      skipped_rows: eb('skipped_rows', '+', slot('skippedRows')),
      problems: slot('problems'),
      warnings: slot('warnings'),
      state: slot('state'),
      reading: slot('reading'),
      chunks: eb('chunks', '+', slot('chunks')),
      touched_at: slot('now'),
    }))
    .where(isAwaited)
    .returning(sessionColumns),
)

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
