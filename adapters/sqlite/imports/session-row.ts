import { expressionBuilder, sql } from 'kysely'
import { keysOf } from '../../../domain/text/keys-of.ts'
import type { ImportSession, ImportState } from '../../../ports/records/import-sessions.ts'
import type { Database } from '../database/database.ts'
import { db, slot } from '../statement/compiler.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'
import type { FieldColumns } from '../table/field-columns.ts'
import { fieldList } from '../table/field-columns.ts'

/** A session as its row is selected. */
export interface SessionRow extends Omit<
  ImportSession,
  'isDryRun' | 'mapping' | 'problems' | 'warnings' | 'stagedFields'
> {
  readonly isDryRun: number
  readonly mapping: JsonText<ImportSession['mapping']>
  readonly problems: JsonText<ImportSession['problems']>
  readonly warnings: JsonText<ImportSession['warnings']>
  readonly fields: JsonText<readonly string[]> | null
}

/** The columns of `import_sessions`, without the organization. */
export const sessionFieldColumns: FieldColumns<SessionRow> = {
  importId: 'import_id',
  kind: 'kind',
  format: 'format',
  totalBytes: 'total_bytes',
  digest: 'digest',
  isDryRun: 'is_dry_run',
  mapping: 'mapping',
  fields: 'fields',
  state: 'state',
  openedAt: 'opened_at',
  touchedAt: 'touched_at',
  nextPart: 'next_part',
  receivedBytes: 'received_bytes',
  readRows: 'read_rows',
  skippedRows: 'skipped_rows',
  problems: 'problems',
  warnings: 'warnings',
  reading: 'reading',
  chunks: 'chunks',
  writtenChunks: 'written_chunks',
  writtenRows: 'written_rows',
  changedRows: 'changed_rows',
}

/** The columns of a session under the names of its fields. */
export const sessionColumns = fieldList(sessionFieldColumns)

/** The condition that selects one session of one organization. */
export const ofSession = sql`organization_id = ${slot('organizationId')} and import_id = ${slot('importId')}`

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
  .where('organization_id', '=', slot('organizationId'))
  .where(isOpen)

/** The condition that a session is over: what is still staged for it is no longer needed. */
export const isOver = hasState(true)

function hasState(isOverThen: boolean) {
  const states = keysOf(overByState).filter((state) => overByState[state] === isOverThen)
  return expressionBuilder<Database, 'import_sessions'>()(
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
