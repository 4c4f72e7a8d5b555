import { expressionBuilder, sql, type InferResult } from 'kysely'
import { keysOf } from '../../../domain/text/json.ts'
import type { ImportSession, ImportState } from '../../../ports/import-sessions.ts'
import type { Database } from '../database/database.ts'
import { db, slot } from '../statement/compiler.ts'
import { parsed } from '../database/json-text.ts'
import { aliasesFor } from '../table/field-columns.ts'

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
])

const organizationId = slot<string>('organizationId')

/** The sessions of one organization. */
export const sessions = db
  .selectFrom('import_sessions')
  .select(sessionColumns)
  .where('organization_id', '=', organizationId)

/** A session as its row is selected. */
export type SessionRow = InferResult<typeof sessions>[number]

const { and, eb } = expressionBuilder<Database, 'import_sessions'>()

/** The condition that selects one session of one organization, or what is staged for it. */
export const ofSession = and({ organization_id: organizationId, import_id: slot('importId') })

/** The condition that a session is in this state. */
export const isIn = (state: ImportState) => eb('state', '=', sql.lit(state))

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
  return eb(
    'state',
    'in',
    states.map((state) => sql.lit(state)),
  )
}

export function sessionOf({ fields, isDryRun, mapping, ...row }: SessionRow): ImportSession {
  const stagedFields = fields === null ? null : parsed(fields)
  return {
    ...row,
    isDryRun: isDryRun === 1,
    mapping: parsed(mapping),
    problems: parsed(row.problems),
    warnings: parsed(row.warnings),
    stagedFields,
  }
}

/** The place of one session. */
export interface SessionPlace {
  readonly organizationId: string
  readonly importId: string
}
