import type { Clock } from '../../../ports/platform.ts'
import type {
  ImportSessions,
  ImportedFile,
  ImportSession,
  ImportProblem,
  ImportState,
} from '../../../ports/import-sessions.ts'
import { atMost, bind, db, slot, template, eb, one, rowid, nowOf } from '../statement/compiler.ts'
import { rowsOf, resultsOf, type Executor } from '../statement/executor.ts'
import { givenFields, writableTable } from '../write/tenant-writer.ts'
import {
  keysWithLines,
  repeatedKeys,
  keysInFile,
  stagePart,
  readNextChunk,
  writeGiven,
  writeStaged,
} from './staged-rows.ts'
import { findMatches } from './matching.ts'
import {
  ofSession,
  sessionOf,
  sessions,
  isOpen,
  isIn,
  isOver,
  endState,
  sessionColumns,
  type SessionPlace,
} from './session-row.ts'
import { sql } from 'kysely'

const find = template(sessions.where('import_id', '=', slot('importId')))
const latestFirst = sessions.orderBy('opened_at', 'desc').orderBy('import_id', 'desc').limit(atMost('limit'))
const first = template(latestFirst)
const next = template(
  latestFirst.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('opened_at', 'import_id'), '<', tuple(slot<string>('openedAt'), slot<string>('importId'))),
  ),
)
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
      const statement =
        after === null
          ? bind(first, { organizationId, limit })
          : bind(next, { ...placeOf(after.importId), limit, openedAt: after.openedAt })
      return (await rowsOf(executor, statement)).map(sessionOf)
    },
    async digests(importId) {
      return (await rowsOf(executor, bind(readDigests, placeOf(importId)))).map(({ digest }) => digest)
    },
    addPart: (session, part) => stagePart(executor, organizationId, session, part, nowOf(clock)),
    repeatedKeys: (importId, bucket, limit) =>
      repeatedKeys(executor, { ...placeOf(importId), bucket }, limit),
    keysIn: (importId, bucket) => keysWithLines(executor, { ...placeOf(importId), bucket }, null),
    end: (importId, state, problems) =>
      endSession(executor, placeOf(importId), state, problems, nowOf(clock)),
    startWriting: ({ importId, kind }, serviceWideIds) =>
      startSession(executor, { ...placeOf(importId), kind }, serviceWideIds, nowOf(clock)),
    writeNext: async (session, chunksMax) =>
      writeStaged(executor, placeOf(session.importId), session, chunksMax, nowOf(clock)),
    nextChunk: (session) => readNextChunk(executor, placeOf(session.importId), session),
    findMatches: (session, keys) => findMatches(executor, placeOf(session.importId), session, keys),
    writeChunk: (session, written) =>
      writeGiven(executor, placeOf(session.importId), session, written, nowOf(clock)),
    dropStaged: (importId) => dropStaged(executor, placeOf(importId)),
  }
}

/** Inserts nothing while another session of the kind is open. */
const insert = template(
  db
    .insertInto('import_sessions')
    .values({
      organization_id: slot('organizationId'),
      import_id: slot('importId'),
      kind: slot('kind'),
      format: slot('format'),
      total_bytes: slot('totalBytes'),
      digest: slot('digest'),
      is_dry_run: slot('isDryRun'),
      mapping: slot('mapping'),
      takes_attributes: slot('takesAttributes'),
      lists_problems: slot('listsProblems'),
      fields: slot('fields'),
      state: sql.lit('receiving'),
      opened_at: slot('now'),
      touched_at: slot('now'),
      next_part: sql.lit(1),
      received_bytes: sql.lit(0),
      read_rows: sql.lit(0),
      problems: sql.lit('[]'),
      reading: slot('reading'),
      chunks: sql.lit(0),
      written_chunks: sql.lit(0),
      written_rows: sql.lit(0),
      changed_rows: sql.lit(0),
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'kind']).where(isOpen).doNothing()),
)

const findOpen = template(sessions.where('kind', '=', slot('kind')).where(isOpen))

interface Opening {
  readonly organizationId: string
  readonly importId: string
  readonly file: ImportedFile
  /** The fields of staged rows; null: they are staged as objects. */
  readonly fields: readonly string[] | null
  readonly reading: string
  readonly now: string
}

/** Opens a session, unless one of its kind is open already. Returns the open session. */
async function openSession(executor: Executor, opening: Opening): Promise<ImportSession> {
  const { kind, format, totalBytes, digest, isDryRun = false, mapping = {} } = opening.file
  const { takesAttributes = false, listsProblems = false } = opening.file
  const { organizationId, importId, reading, now } = opening
  const fields = opening.fields === null ? null : JSON.stringify(opening.fields)
  const values = {
    ...{ organizationId, importId, kind, format, totalBytes, digest, fields, reading, now },
    isDryRun: Number(isDryRun),
    takesAttributes: Number(takesAttributes),
    listsProblems: Number(listsProblems),
    mapping: JSON.stringify(mapping),
  }
  const [, found] = await resultsOf(executor, [
    bind(insert, values),
    bind(findOpen, { organizationId, kind }),
  ])
  const [row] = found.rows
  if (row === undefined) throw new Error('An import was neither opened nor found')
  return sessionOf(row)
}

const organizationId = slot<string>('organizationId')

const ofOne = db.updateTable('import_sessions').where(ofSession)
const receiving = ofOne.where(isIn('receiving'))

const end = template(
  ofOne
    // A dry run that is being compared has written nothing.
    .where(({ and, eb, or }) =>
      or([isIn('receiving'), and([isIn('writing'), eb('is_dry_run', '=', sql.lit(1))])]),
    )
    .set({ state: slot('state'), problems: slot('problems'), reading: sql.lit(''), touched_at: slot('now') })
    .returning(sessionColumns),
)

/** Ends a session that is receiving, or a dry run that is being compared. Null: it is neither. */
async function endSession(
  executor: Executor,
  place: SessionPlace,
  state: 'checked' | 'refused' | 'aborted',
  problems: readonly ImportProblem[],
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, state, problems: JSON.stringify(problems), now }
  const [row] = await rowsOf(executor, bind(end, values))
  return row === undefined ? null : sessionOf(row)
}

const starting = receiving
  .set(({ ref }) => ({ state: sql<ImportState>`iif(${ref('chunks')} = 0, ${endState}, 'writing')` }))
  .set({ reading: sql.lit(''), touched_at: slot('now') })
  .returning(sessionColumns)

const start = template(starting)

/** The ids of the session's file. */
const ids = db
  .selectFrom(['import_keys as k', keysInFile])
  .select(one)
  .where('k.organization_id', '=', organizationId)
  .where('k.import_id', '=', slot('importId'))

/**
 * Starts writing forms, whose ids are unique in the whole service. Those ids are checked again, and nothing is started
 * while another organization's import of forms is being written, because that could contain the same ids. Those of
 * families with databases of their own are in `placed_forms`.
 */
const startForms = template(
  [
    db
      .selectFrom('import_sessions as s')
      .select(one)
      .where('s.state', '=', sql.lit('writing'))
      .where('s.is_dry_run', '=', sql.lit(0))
      .where('s.kind', '=', slot('kind'))
      .where('s.organization_id', '<>', organizationId),
    ids
      .innerJoin('forms as other', 'other.form_id', 'entry.value')
      .where('other.organization_id', '<>', organizationId),
    ids
      .innerJoin('placed_forms as placed', 'placed.form_id', 'entry.value')
      .where('placed.organization_id', '<>', organizationId),
  ].reduce((query, taken) => query.where(eb.not(eb.exists(taken))), starting),
)

/**
 * Starts writing a session. Null: it is not receiving, or an id that is unique in the whole service is taken.
 * @param serviceWide whether the ids are unique in the whole service, which are those of forms
 */
async function startSession(
  executor: Executor,
  place: SessionPlace & { readonly kind: string },
  serviceWide: boolean,
  now: string,
): Promise<ImportSession | null> {
  const statement = serviceWide ? startForms : start
  const [row] = await rowsOf(executor, bind(statement, { ...place, now }))
  return row === undefined ? null : sessionOf(row)
}

/** How many rows of each staging table are removed in one step. */
const DROPPED_CHUNKS = 20
const DROPPED_KEYS = 2_000
const DROPPED_CONTACTS = 20_000

const isEnded = eb.exists(db.selectFrom('import_sessions').select(one).where(ofSession).where(isOver))

function dropFrom(table: 'import_chunks' | 'import_keys') {
  const some = db.selectFrom(table).select(rowid.as('rowid')).where(ofSession).where(isEnded)
  return template(db.deleteFrom(table).where(rowid, 'in', some.limit(atMost('limit'))))
}
const dropChunks = dropFrom('import_chunks')
const dropKeys = dropFrom('import_keys')
const dropContacts = template(
  db
    .deleteFrom('import_contacts')
    .where(ofSession)
    .where(isEnded)
    .where(
      'contact_id',
      'in',
      db.selectFrom('import_contacts').select('contact_id').where(ofSession).limit(atMost('limit')),
    ),
)
const dropParts = template(db.deleteFrom('import_parts').where(ofSession).where(isEnded))
const look = template(
  db.selectNoFrom(
    eb
      .or([
        eb.exists(db.selectFrom('import_chunks').select(one).where(ofSession)),
        eb.exists(db.selectFrom('import_keys').select(one).where(ofSession)),
        eb.exists(db.selectFrom('import_contacts').select(one).where(ofSession)),
      ])
      .as('left'),
  ),
)

/** Removes some of what is staged for a session that is over. False: nothing is left. */
async function dropStaged(executor: Executor, place: SessionPlace): Promise<boolean> {
  const results = await resultsOf(executor, [
    bind(dropChunks, { ...place, limit: DROPPED_CHUNKS }),
    bind(dropKeys, { ...place, limit: DROPPED_KEYS }),
    bind(dropContacts, { ...place, limit: DROPPED_CONTACTS }),
    bind(dropParts, { ...place }),
    bind(look, { ...place }),
  ])
  return results[4].rows[0]?.left === 1
}
