import { expressionBuilder, sql } from 'kysely'
import type {
  ImportSession,
  StagedPart,
  RepeatedKey,
  StagedChunk,
  Touch,
  Matching,
  ImportSessions,
} from '../../../ports/import-sessions.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { isJsonObject } from '../../../domain/text/encoding.ts'
import { parsed, type Database } from '../statement/database.ts'
import {
  bind,
  db,
  slot,
  template,
  atMost,
  jsonEach,
  textsOf,
  countedJsonChunks,
  jsonChunks,
  nowOf,
} from '../statement/compiler.ts'
import { LATEST, paged } from '../statement/list.ts'
import { rowsAmong, rowsOf, type BoundValue, type Executor, type Statement } from '../statement/executor.ts'
import { encodedRows, writableTable, givenFields } from '../write/tenant-writer.ts'
import {
  isIn,
  nextNumber,
  ofSession,
  sessionColumns,
  sessionOf,
  type SessionPlace,
  keysInFile,
  sessions,
  openSession,
  endSession,
  startSession,
  dropStaged,
} from './session-states.ts'
import { decodeRows, type Table } from '../tables.ts'
import type { Clock } from '../../../ports/platform.ts'
import { writeGiven, writeStaged, findMatches } from './writing.ts'

const find = template(sessions.where('import_id', '=', slot('importId')))
const list = paged(sessions, ['opened_at', 'import_id'], 'desc')
const readDigests = template(db.selectFrom('import_parts').select('digest').where(ofSession).orderBy('part'))

/** The imports of one organization. */
export function createImportSessions(
  executor: Executor,
  clock: Clock,
  organizationId: string,
): ImportSessions {
  const placeOf = (importId: string) => ({ organizationId, importId })
  return {
    open: (importId, file, staging, reading) => {
      const fields = staging === 'drafts' ? null : givenFields(writableTable(file.kind))
      return openSession(executor, { organizationId, importId, file, fields, reading, now: nowOf(clock) })
    },
    async find(importId) {
      const [row] = await rowsOf(executor, bind(find, placeOf(importId)))
      return row === undefined ? null : sessionOf(row)
    },
    async list(after, limit) {
      const page = bind(list, { organizationId, ...(after ?? LATEST), limit })
      return (await rowsOf(executor, page)).map(sessionOf)
    },
    async digests(importId) {
      return (await rowsOf(executor, bind(readDigests, placeOf(importId)))).map(({ digest }) => digest)
    },
    addPart: (session, part) => stagePart(executor, organizationId, session, part, nowOf(clock)),
    repeatedKeys: (importId, bucket, limit) =>
      repeatedKeys(executor, { ...placeOf(importId), bucket }, limit),
    async markRepeated(importId, bucket) {
      await executor.batch([bind(markRepeated, { ...placeOf(importId), bucket })])
    },
    keysIn: (importId, bucket) => keysWithLines(executor, { ...placeOf(importId), bucket }, null),
    end: (importId, state, problems) =>
      endSession(executor, placeOf(importId), state, problems, nowOf(clock)),
    startWriting: ({ importId, kind }, serviceWideIds) =>
      startSession(executor, { ...placeOf(importId), kind }, serviceWideIds, nowOf(clock)),
    writeNext: async (session, chunksMax) =>
      writeStaged(executor, placeOf(session.importId), session, chunksMax, nowOf(clock)),
    nextChunk: (session) => readNextChunk(executor, placeOf(session.importId), session),
    findMatches: (session, keys, bytesMax) =>
      findMatches(executor, placeOf(session.importId), session, keys, bytesMax),
    writeChunk: (session, written) =>
      writeGiven(executor, placeOf(session.importId), session, written, nowOf(clock)),
    dropStaged: (importId) => dropStaged(executor, placeOf(importId)),
  }
}

/**
 * The maximum number of rows in a chunk, which is the least that one step writes. It bounds how long other requests
 * wait.
 */
const CHUNK_MAX_ROWS = 2_000

/**
 * The same for rows that are matched, of which a step writes one chunk in five calls: a part of a list is mostly two
 * chunks. It is less than the least step of other rows.
 */
const MATCHED_CHUNK_MAX_ROWS = 2_500

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
      matching: sql<Matching>`max(${eb.ref('matching')}, ${slot('matching')})`,
      chunks: eb('chunks', '+', slot('chunks')),
      touched_at: slot('now'),
    }))
    .where(isAwaited)
    .returning(sessionColumns),
)

/** Adds a part to its session in one batch. Null: it was not the next part of an open session. */
async function stagePart(
  executor: Executor,
  organizationId: string,
  { importId, kind, stagedFields }: ImportSession,
  staged: StagedPart,
  now: string,
): Promise<ImportSession | null> {
  const { part, digest, bytes, readRows, skippedRows, state, matching } = staged
  const reading = state === 'receiving' ? staged.reading : ''
  const to = { organizationId, importId, part }
  const rowsMax = matching === 0 ? CHUNK_MAX_ROWS : MATCHED_CHUNK_MAX_ROWS
  const chunks = chunksOf(staged.rows, kind, stagedFields, rowsMax)
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
      matching,
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
  rowsMax: number,
): readonly Chunk[] {
  const encoded: readonly unknown[] =
    fields === null ? rows : encodedRows(writableTable(collection), fields, rows).map(withMembers(rows))
  return countedJsonChunks(encoded, rowsMax).map(({ text, count }) => ({
    rowCount: count,
    rows: text,
  }))
}

/** Puts the members of documents that a row names (`attributes.birthday`) behind its values; most rows name none. */
function withMembers(rows: readonly StoredRow[]) {
  return (values: readonly unknown[], index: number): readonly unknown[] => {
    const members = Object.entries(rows[index] ?? {}).filter(([name]) => name.includes('.'))
    return members.length === 0 ? values : [...values, Object.fromEntries(members)]
  }
}

/** Staged rows as they were before. */
function decodedRows(
  table: Table,
  fields: readonly string[],
  staged: readonly (readonly BoundValue[])[],
): readonly StoredRow[] {
  const named = staged.map((values) => {
    const row: Record<string, unknown> = {}
    for (const [index, field] of fields.entries()) row[field] = values[index] ?? null
    return row
  })
  return decodeRows(table, fields, named).map((row, index) => {
    const members: unknown = staged[index]?.[fields.length]
    return isJsonObject(members) ? { ...row, ...members } : row
  })
}

const bucket = db
  .selectFrom(['import_keys as k', keysInFile])
  .select('entry.value as key')
  .where(ofSession)
  .where('k.bucket', '=', slot('bucket'))

const repeated = template(
  bucket
    .groupBy('entry.value')
    .having(({ fn }) => fn.countAll(), '>', sql.lit(1))
    .limit(atMost('limit')),
)

const NOT_MET: Touch = -1

/** After the decision, marks would be counts that are not known any more. */
const markRepeated = template(sql`
  insert into import_contacts (organization_id, import_id, contact_id, touch)
  select ${slot('organizationId')}, ${slot('importId')}, entry.value, ${sql.lit(NOT_MET)}
  from import_keys as k, ${keysInFile}
  where k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
    and k.bucket = ${slot('bucket')} and exists (select 1 from import_sessions where ${ofSession} and ${isIn('receiving')})
  group by entry.value having count(*) > 1
  on conflict (organization_id, import_id, contact_id) do nothing`)

/** In a stored row, `keys` and `lines` are parallel lists. */
const linesOfKeys = template(
  bucket
    .select(({ ref }) => sql<number>`${ref('k.lines')} ->> ${ref('entry.key')}`.as('line'))
    .where(({ eb, or }) =>
      or([eb(slot<string | null>('wanted'), 'is', null), eb('entry.value', 'in', textsOf(slot('wanted')))]),
    )
    .orderBy('line'),
)

interface Bucket {
  readonly organizationId: string
  readonly importId: string
  readonly bucket: number
}

/** The keys of a bucket that occur in several lines. The lines are looked up for those keys only. */
async function repeatedKeys(executor: Executor, of: Bucket, limit: number): Promise<readonly RepeatedKey[]> {
  const found = await rowsOf(executor, bind(repeated, { ...of, limit }))
  if (found.length === 0) return []
  return keysWithLines(executor, of, JSON.stringify(found.map(({ key }) => key)))
}

/**
 * The keys of a bucket with their lines.
 * @param wanted only these keys, as a JSON array; null: all
 */
async function keysWithLines(
  executor: Executor,
  of: Bucket,
  wanted: string | null,
): Promise<readonly RepeatedKey[]> {
  const lines = new Map<string, number[]>()
  for (const { key, line } of await rowsOf(executor, bind(linesOfKeys, { ...of, wanted }))) {
    const known = lines.get(key)
    if (known === undefined) lines.set(key, [line])
    else known.push(line)
  }
  return [...lines].map(([key, held]) => ({ key, lines: held }))
}

const readNext = template(
  db.selectFrom('import_chunks').select(['chunk', 'rows']).where(ofSession).where('chunk', '=', nextNumber),
)

/** The staged rows of the next chunk to write; null when there is none. */
async function readNextChunk(
  executor: Executor,
  place: SessionPlace,
  { kind, stagedFields }: ImportSession,
): Promise<StagedChunk | null> {
  const [row] = await rowsOf(executor, bind(readNext, { ...place }))
  if (row === undefined) return null
  const staged: readonly unknown[] = parsed(row.rows)
  if (stagedFields === null) return { chunk: row.chunk, rows: staged as readonly StoredRow[] }
  const table = writableTable(kind)
  const rows = decodedRows(table, stagedFields, staged as readonly (readonly BoundValue[])[])
  return { chunk: row.chunk, rows }
}
