import { sql } from '../statement/sql.ts'
import type { ImportedFile, ImportSession } from '../../../ports/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { SessionRow } from './session-row.ts'
import { sessionColumns, sessionOf } from './session-row.ts'

/** Nothing is inserted beside another open session of the kind. */
const insert = template(sql`
  insert into import_sessions (organization_id, import_id, kind, format, total_bytes, digest, fields, state, opened_at,
    touched_at, next_part, received_bytes, read_rows, problems, reading, chunks, written_chunks, written_rows, changed_rows)
  values (${slot('organizationId')}, ${slot('importId')}, ${slot('kind')}, ${slot('format')}, ${slot('totalBytes')},
    ${slot('digest')}, ${slot('fields')}, 'receiving', ${slot('now')}, ${slot('now')}, 1, 0, 0, '[]', ${slot('reading')},
    0, 0, 0, 0)
  on conflict (organization_id, kind) where state in ('receiving', 'writing') do nothing`)

const findOpen = template(sql<SessionRow>`select ${sessionColumns} from import_sessions
  where organization_id = ${slot('organizationId')} and kind = ${slot('kind')} and state in ('receiving', 'writing')`)

export interface Opening {
  readonly organizationId: string
  readonly importId: string
  readonly file: ImportedFile
  /** The fields of staged rows; null: they are staged as objects. */
  readonly fields: readonly string[] | null
  readonly reading: string
  readonly now: string
}

/** Opens a session, and returns the one of its kind that is open then. */
export async function openSession(executor: Executor, opening: Opening): Promise<ImportSession> {
  const { kind, format, totalBytes, digest } = opening.file
  const { organizationId, importId, reading, now } = opening
  const fields = opening.fields === null ? null : JSON.stringify(opening.fields)
  const values = { organizationId, importId, kind, format, totalBytes, digest, fields, reading, now }
  const [, found] = await resultsOf(executor, [
    bind(insert, values),
    bind(findOpen, { organizationId, kind }),
  ])
  const [row] = found.rows
  if (row === undefined) throw new Error('An import was neither opened nor found')
  return sessionOf(row)
}
