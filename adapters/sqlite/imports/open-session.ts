import { sql } from 'kysely'
import type { ImportedFile, ImportSession } from '../../../ports/records/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { columnList, valueList } from '../table/field-columns.ts'
import type { SessionRow } from './session-row.ts'
import { isOpen, sessionColumns, sessionFieldColumns, sessionOf } from './session-row.ts'

const opened = valueList(sessionFieldColumns, {
  state: sql`'receiving'`,
  openedAt: slot('now'),
  touchedAt: slot('now'),
  nextPart: sql`1`,
  receivedBytes: sql`0`,
  readRows: sql`0`,
  skippedRows: sql`0`,
  problems: sql`'[]'`,
  warnings: sql`'[]'`,
  chunks: sql`0`,
  writtenChunks: sql`0`,
  writtenRows: sql`0`,
  changedRows: sql`0`,
})

/** Inserts nothing while another session of the kind is open. */
const insert = template(sql`
  insert into import_sessions (organization_id, ${columnList(sessionFieldColumns)})
  values (${slot('organizationId')}, ${opened})
  on conflict (organization_id, kind) where ${isOpen} do nothing`)

const findOpen = template(sql<SessionRow>`select ${sessionColumns} from import_sessions
  where organization_id = ${slot('organizationId')} and kind = ${slot('kind')} and ${isOpen}`)

export interface Opening {
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
  const { organizationId, importId, reading, now } = opening
  const fields = opening.fields === null ? null : JSON.stringify(opening.fields)
  const values = {
    ...{ organizationId, importId, kind, format, totalBytes, digest, fields, reading, now },
    isDryRun: Number(isDryRun),
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
