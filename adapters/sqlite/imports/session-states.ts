import {
  expressionBuilder,
  sql,
  type AliasedExpression,
  type Expression,
  type InferResult,
  type SqlBool,
} from 'kysely'
import { keysOf } from '../../../domain/text/encoding.ts'
import type {
  ImportSession,
  ImportState,
  ImportDirectory,
  ImportedFile,
  ImportProblem,
} from '../../../ports/import-sessions.ts'
import { parsed, type Database } from '../statement/database.ts'
import {
  db,
  slot,
  atMost,
  bind,
  eb,
  template,
  one,
  jsonEach,
  type JsonItem,
  exists,
} from '../statement/compiler.ts'
import { aliasesFor } from '../tables.ts'
import { slotsOf } from '../statement/insert.ts'
import { rowsOf, type Executor, resultsOf } from '../statement/executor.ts'

/** The columns of a session under the names of its fields. */
export const sessionColumns = aliasesFor([
  ...([
    'importId',
    'kind',
    'format',
    'totalBytes',
    'digest',
    'isDryRun',
    'mapping',
    'fields',
    'state',
  ] as const),
  ...(['openedAt', 'touchedAt', 'nextPart', 'receivedBytes', 'readRows', 'skippedRows', 'problems'] as const),
  ...(['warnings', 'reading', 'chunks', 'writtenChunks', 'writtenRows', 'changedRows'] as const),
  ...(['takesAttributes', 'listsProblems', 'matching', 'newRows', 'mergedRows'] as const),
])

const organizationId = slot<string>('organizationId')

/** The sessions of one organization. */
export const sessions = db
  .selectFrom('import_sessions')
  .select(sessionColumns)
  .where('organization_id', '=', organizationId)

/** A session as its row is selected. */
export type SessionRow = InferResult<typeof sessions>[number]

const ofImports = expressionBuilder<Database, 'import_sessions'>()

/** The condition that selects one session of one organization, or what is staged for it. */
export const ofSession = ofImports.and({ organization_id: organizationId, import_id: slot('importId') })

/** The condition that a session is in this state. */
export const isIn = (state: ImportState) => ofImports('state', '=', sql.lit(state))

/** The number of the next chunk to write; null unless the session is being written. */
export const nextNumber = sql<number>`${db
  .selectFrom('import_sessions')
  .select('written_chunks')
  .where(ofSession)
  .where(isIn('writing'))}`

/** The SQL of the state in which a session ends of which all is written, or compared. */
export const endState = sql<ImportState>`iif(is_dry_run, 'checked', 'done')`

/** Whether a session in each state is over. */
const overByState: Readonly<Record<ImportState, boolean>> = {
  receiving: false,
  writing: false,
  done: true,
  checked: true,
  refused: true,
  aborted: true,
}

/** The condition that a session is open. The index that allows one open session of a kind has this same condition. */
export const isOpen = hasState(false)

/**
 * The imports of an organization that have begun and not ended: the rows to which their rows refer were checked, and must
 * stay.
 */
export const openImports = db
  .selectFrom('import_sessions')
  .select('import_id as id')
  .where('organization_id', '=', organizationId)
  .where(isOpen)

/** The condition that a session is over: what is still staged for it is no longer needed. */
const isOver = hasState(true)

function hasState(isOverThen: boolean) {
  const states = keysOf(overByState).filter((state) => overByState[state] === isOverThen)
  return ofImports(
    'state',
    'in',
    states.map((state) => sql.lit(state)),
  )
}

export function sessionOf({
  fields,
  isDryRun,
  takesAttributes,
  listsProblems,
  mapping,
  ...row
}: SessionRow): ImportSession {
  const stagedFields = fields === null ? null : parsed(fields)
  return {
    ...row,
    isDryRun: isDryRun === 1,
    takesAttributes: takesAttributes === 1,
    listsProblems: listsProblems === 1,
    mapping: parsed(mapping),
    problems: parsed(row.problems),
    warnings: parsed(row.warnings),
    newRows: row.matching === 0 ? null : row.newRows,
    mergedRows: row.matching === 0 ? null : row.mergedRows,
    stagedFields,
  }
}

/** The place of one session. */
export interface SessionPlace {
  readonly organizationId: string
  readonly importId: string
}

/** The keys of a row of `import_keys` with the alias k, as rows with the alias entry. */
export const keysInFile: AliasedExpression<JsonItem<string>, 'entry'> = jsonEach<string, 'entry'>(
  sql.id('k', 'keys' satisfies keyof Database['import_keys']),
  'entry',
)

/** Inserts nothing while another session of the kind is open. */
const insert = template(
  db
    .insertInto('import_sessions')
    .values({
      ...slotsOf(['organizationId', 'importId', 'kind', 'format', 'totalBytes', 'digest', 'isDryRun']),
      ...slotsOf(['mapping', 'takesAttributes', 'listsProblems', 'fields', 'reading']),
      state: sql.lit('receiving'),
      opened_at: slot('now'),
      touched_at: slot('now'),
      next_part: sql.lit(1),
      received_bytes: sql.lit(0),
      read_rows: sql.lit(0),
      problems: sql.lit('[]'),
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
export async function openSession(executor: Executor, opening: Opening): Promise<ImportSession> {
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
export async function endSession(
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
export async function startSession(
  executor: Executor,
  place: SessionPlace & { readonly kind: string },
  serviceWide: boolean,
  now: string,
): Promise<ImportSession | null> {
  const statement = serviceWide ? startForms : start
  const [row] = await rowsOf(executor, bind(statement, { ...place, now }))
  return row === undefined ? null : sessionOf(row)
}

/** The number that SQLite gives each row of a table. */
const rowid = sql<number>`rowid`

/** How many rows of each staging table are removed in one step. */
const DROPPED_CHUNKS = 20
const DROPPED_KEYS = 2_000
const DROPPED_CONTACTS = 20_000

const isEnded = exists(db.selectFrom('import_sessions').where(ofSession).where(isOver))

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

/** Whether rows of a session are still staged. */
const isStaged = (organizationId: Expression<string>, importId: Expression<string>) =>
  eb.or(
    ['import_chunks', 'import_keys', 'import_contacts'].map(
      (table) => sql<SqlBool>`exists (select 1 from ${sql.table(table)} as t
        where t.organization_id = ${organizationId} and t.import_id = ${importId})`,
    ),
  )
const look = template(db.selectNoFrom(isStaged(organizationId, slot('importId')).as('left')))

/** Removes some of what is staged for a session that is over. False: nothing is left. */
export async function dropStaged(executor: Executor, place: SessionPlace): Promise<boolean> {
  const results = await resultsOf(executor, [
    bind(dropChunks, { ...place, limit: DROPPED_CHUNKS }),
    bind(dropKeys, { ...place, limit: DROPPED_KEYS }),
    bind(dropContacts, { ...place, limit: DROPPED_CONTACTS }),
    bind(dropParts, { ...place }),
    bind(look, { ...place }),
  ])
  return results[4].rows[0]?.left === 1
}

const untouched = template(
  db
    .selectFrom('import_sessions as s')
    .select(['s.organization_id as organizationId', 's.import_id as importId'])
    .where('s.state', '=', slot('state'))
    .where('s.touched_at', '<=', slot('since'))
    .orderBy('s.touched_at')
    .limit(atMost('limit')),
)

const ended = db.selectFrom('import_sessions as s').where(isOver)
const hasLeftovers = isStaged(sql.ref('s.organization_id'), sql.ref('s.import_id'))

const withLeftovers = template(
  ended
    .select(['organization_id as organizationId', 'import_id as importId'])
    .where(hasLeftovers)
    .limit(atMost('limit')),
)

const forgotten = ended
  .select(rowid.as('rowid'))
  .where('s.touched_at', '<=', slot('since'))
  .where(eb.not(hasLeftovers))
  .limit(atMost('limit'))
const forget = template(db.deleteFrom('import_sessions').where(rowid, 'in', forgotten))

/** The imports of all organizations. */
export function createImportDirectory(executor: Executor): ImportDirectory {
  return {
    untouched: (state, since, limit) => rowsOf(executor, bind(untouched, { state, since, limit })),
    withLeftovers: (limit) => rowsOf(executor, bind(withLeftovers, { limit })),
    async forget(since, limit) {
      await executor.batch([bind(forget, { since, limit })])
    },
  }
}
