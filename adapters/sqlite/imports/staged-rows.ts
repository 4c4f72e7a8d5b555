import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely'
import type {
  ImportSession,
  StagedPart,
  RepeatedKey,
  ImportState,
  StagedChunk,
  WrittenChunk,
  MatchedRows,
  Matching,
} from '../../../ports/import-sessions.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { forms } from '../../../domain/resources/forms.ts'
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
  failsWhen,
  CONDITION_HELD,
  type Template,
} from '../statement/compiler.ts'
import { rowsAmong, rowsOf, type BoundValue, type Executor, type Statement } from '../statement/executor.ts'
import {
  versionStatements,
  encodedRows,
  writableTable,
  givenFields,
  moveClock,
  upsertOf,
} from '../write/tenant-writer.ts'
import { countOfUpsert, noteStatements } from './preview.ts'
import {
  endState,
  isIn,
  nextNumber,
  ofSession,
  sessionColumns,
  sessionOf,
  type SessionPlace,
  type SessionRow,
} from './session-row.ts'
import { columnOf, decodeRows, type Table } from '../tables.ts'

/**
 * The maximum number of rows in a chunk, which is the least that one step writes. It bounds how long other requests
 * wait.
 */
const CHUNK_MAX_ROWS = 2_000

/**
 * The same for rows that are matched, of which a step writes one chunk in three calls: a part of a list is mostly two
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
export async function stagePart(
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

/** The keys of a row of `import_keys` with the alias k, as rows with the alias entry. */
export const keysInFile = jsonEach<string, 'entry'>(
  sql.id('k', 'keys' satisfies keyof Database['import_keys']),
  'entry',
)

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
export async function repeatedKeys(
  executor: Executor,
  of: Bucket,
  limit: number,
): Promise<readonly RepeatedKey[]> {
  const found = await rowsOf(executor, bind(repeated, { ...of, limit }))
  if (found.length === 0) return []
  return keysWithLines(executor, of, JSON.stringify(found.map(({ key }) => key)))
}

/**
 * The keys of a bucket with their lines.
 * @param wanted only these keys, as a JSON array; null: all
 */
export async function keysWithLines(
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

const thisSession = db.selectFrom('import_sessions').where(ofSession)

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
      state: sql<ImportState>`iif(${after} = ${ref('chunks')}, ${endState}, ${ref('state')})`,
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
  // Contacts are given as they are stored, with what the rows change.
  const areWhole = collection === contacts.collection
  const upsert =
    givenUpserts.get(collection) ?? template(upsertOf(table, givenFields(table), given, areWhole))
  givenUpserts.set(collection, upsert)
  return upsert
}

/** The counts of a dry run, which stand in place of upserts, by what they count. */
const comparisons = new Map<string, Template<SessionRow>>()

function comparisonOf(name: string, changed: () => Expression<number>): Template<SessionRow> {
  const compared =
    comparisons.get(name) ?? template(count(changed()).where('written_chunks', '=', slot('chunk')))
  comparisons.set(name, compared)
  return compared
}

/** Writes the next staged chunks inside the database, or compares them. */
export function writeStaged(
  executor: Executor,
  place: SessionPlace,
  { kind, stagedFields, isDryRun, writtenChunks }: ImportSession,
  chunksMax: number,
  now: string,
): Promise<ImportSession | null> {
  if (stagedFields === null) throw new Error('Drafts must be completed before they are written')
  const values = { ...place, owner: place.organizationId, chunksMax, now }
  if (isDryRun) {
    const compared = comparisonOf([kind, ...stagedFields].join(' '), () =>
      countOfUpsert(writableTable(kind), stagedFields, stagedRows),
    )
    return counted(executor, place, bind(compared, { ...values, chunk: writtenChunks }))
  }
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
  session: ImportSession,
  given: WrittenChunk,
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, owner: place.organizationId, chunk: given.chunk, chunksMax: 1, now }
  if ('changed' in given)
    return counted(executor, place, bind(countGiven, { ...values, changed: given.changed }))
  const { kind } = session
  const table = writableTable(kind)
  if ('matched' in given) return writeMatched(executor, session, place, given, now)
  const { organizationId } = place
  const rows = JSON.stringify(encodedRows(table, givenFields(table), given.rows))
  if (session.isDryRun) {
    const compared = comparisonOf(kind, () => countOfUpsert(table, givenFields(table)))
    return counted(executor, place, bind(compared, { ...values, rows }))
  }
  // What an import changes of a form is a version of nobody, as a person's save is one of theirs.
  const formIds = kind === forms.collection ? given.rows.map(({ formId }) => String(formId)) : []
  const versions = formIds.length === 0 ? null : versionStatements(organizationId, formIds, null)
  const written = bind(upsertGiven(kind), { ...values, rows })
  return counted(
    executor,
    place,
    bind(countChangesOfNext, values),
    [moveClock(table, organizationId, now), ...(versions?.before ?? []), written],
    versions?.after,
  )
}

/** That a contact was changed since those were read to which the rows of a chunk were matched. */
const isOutdated = failsWhen(sql<SqlBool>`exists (select 1 from contacts
  where organization_id = ${slot('organizationId')} and updated_at > ${slot('at')})`)

const countMatched = template(
  count(slot('changedRows'))
    .set(({ eb }) => ({
      new_rows: eb('new_rows', '+', slot('newRows')),
      merged_rows: eb('merged_rows', '+', slot('mergedRows')),
      warnings: slot('warnings'),
    }))
    .where('written_chunks', '=', slot('chunk')),
)

const touch = template(sql`
  insert into import_contacts (organization_id, import_id, contact_id, touch)
  select ${slot('organizationId')}, ${slot('importId')}, entry.value ->> 0, entry.value ->> 1
  from json_each(${slot('touched')}) as entry where ${nextNumber} = ${slot('chunk')}
  on conflict (organization_id, import_id, contact_id) do update set touch = excluded.touch`)

/**
 * Writes contacts as the rows of a chunk leave them; a dry run notes them for its next chunks. Null also when a contact
 * was changed since they were read.
 */
async function writeMatched(
  executor: Executor,
  session: ImportSession,
  place: SessionPlace,
  { chunk, matched }: { readonly chunk: number; readonly matched: MatchedRows },
  now: string,
): Promise<ImportSession | null> {
  const { organizationId } = place
  const table = writableTable('contacts')
  const values = { ...place, owner: organizationId, chunk, chunksMax: 1, now, ...matched.counts }
  const rows = encodedRows(table, givenFields(table), matched.rows)
  const changes = session.isDryRun
    ? noteStatements(place, session, { chunk, matched }, now)
    : [
        bind(isOutdated, { organizationId, at: matched.at }),
        moveClock(table, organizationId, now),
        ...jsonChunks(rows).map((some) => bind(upsertGiven('contacts'), { ...values, rows: some })),
      ]
  const writes = [
    ...changes,
    ...jsonChunks(matched.touched).map((some) => bind(touch, { ...place, chunk, touched: some })),
  ]
  const counting = bind(countMatched, { ...values, warnings: JSON.stringify(matched.warnings) })
  try {
    return await counted(executor, place, counting, writes)
  } catch (error) {
    if (CONDITION_HELD.test(String(error))) return null
    throw error
  }
}

/** The staged rows of the next chunk to write; null when there is none. */
export async function readNextChunk(
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

/** Writes chunks, counts them by the statement `count`, and removes them, in one batch. Null: none was counted. */
async function counted(
  executor: Executor,
  place: SessionPlace,
  count: Statement<SessionRow>,
  writes: readonly Statement[] = [],
  following: readonly Statement[] = [],
): Promise<ImportSession | null> {
  const after = [...following, bind(deleteWritten, { ...place })]
  const [row] = await rowsAmong(executor, { before: writes, giving: count, after })
  return row === undefined ? null : sessionOf(row)
}
