import { sql } from '../statement/sql.ts'
import type { ImportSession } from '../../../ports/import-sessions.ts'
import { slot } from '../statement/compiler.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'

/** A session as its row is selected. */
export interface SessionRow extends Omit<ImportSession, 'problems' | 'stagedFields'> {
  readonly problems: JsonText<ImportSession['problems']>
  readonly fields: JsonText<readonly string[]> | null
}

/** The columns of a session under the names of its fields. */
export const sessionColumns = sql`import_id as "importId", kind, format, total_bytes as "totalBytes", digest, fields, state,
  opened_at as "openedAt", touched_at as "touchedAt", next_part as "nextPart", received_bytes as "receivedBytes",
  read_rows as "readRows", problems, reading, chunks, written_chunks as "writtenChunks", written_rows as "writtenRows",
  changed_rows as "changedRows"`

/** The condition that selects one session of one organization. */
export const ofSession = sql`organization_id = ${slot('organizationId')} and import_id = ${slot('importId')}`

export function sessionOf({ fields, ...row }: SessionRow): ImportSession {
  const stagedFields = fields === null ? null : parsed(fields)
  return { ...row, problems: parsed(row.problems), stagedFields }
}

/** The place of one session. */
export interface SessionPlace {
  readonly organizationId: string
  readonly importId: string
}
