import { expressionBuilder, sql, type InferResult } from 'kysely'
import { keysOf } from '../../../domain/text/encoding.ts'
import type { ImportSession, ImportState, ImportDirectory } from '../../../ports/import-sessions.ts'
import { parsed, type Database } from '../statement/database.ts'
import { db, slot, atMost, bind, eb, template, one, rowid } from '../statement/compiler.ts'
import { aliasesFor } from '../tables.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'

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
export const isOver = hasState(true)

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
const { exists, or, ref } = expressionBuilder<{ readonly s: Database['import_sessions'] }, 's'>()
const isStaged = or([
  exists(
    db
      .selectFrom('import_chunks as c')
      .select(one)
      .where('c.organization_id', '=', ref('s.organization_id'))
      .where('c.import_id', '=', ref('s.import_id')),
  ),
  exists(
    db
      .selectFrom('import_keys as k')
      .select(one)
      .where('k.organization_id', '=', ref('s.organization_id'))
      .where('k.import_id', '=', ref('s.import_id')),
  ),
  exists(
    db
      .selectFrom('import_contacts as m')
      .select(one)
      .where('m.organization_id', '=', ref('s.organization_id'))
      .where('m.import_id', '=', ref('s.import_id')),
  ),
])

const withLeftovers = template(
  ended
    .select(['organization_id as organizationId', 'import_id as importId'])
    .where(isStaged)
    .limit(atMost('limit')),
)

const forgotten = ended
  .select(rowid.as('rowid'))
  .where('s.touched_at', '<=', slot('since'))
  .where(eb.not(isStaged))
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
