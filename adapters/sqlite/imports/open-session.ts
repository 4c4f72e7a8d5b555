import { sql } from 'kysely'
import type { ImportedFile, ImportSession } from '../../../ports/import-sessions.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { isOpen, sessionOf, sessions } from './session-row.ts'

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
