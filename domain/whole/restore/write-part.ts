import type { StoredValue } from '../../../ports/placement/move.ts'
import type { ArchivedColumn, ArchivedTable } from '../../../ports/archives.ts'
import { membersOf, parsedOr } from '../../text/json.ts'
import { copyFiles, tableOfFile } from '../archive/format.ts'
import { rowOfMembers } from '../archive/line.ts'
import { rowCheck } from './check-rows.ts'
import { withFormIds } from './new-form-ids.ts'
import { progressOf, UNREADABLE } from './progress.ts'
import type { RestoreAnswer, RestoreWorld } from './world.ts'

/** A part of an archive as it was sent. */
export interface SentPart {
  readonly organizationId: string
  readonly restoreId: string
  /** Counts from 1. */
  readonly part: number
  readonly file: string
  readonly lines: readonly string[]
}

type Row = readonly StoredValue[]

/** Writes the next part of an archive. One that was written before is accepted again. */
export async function writePart(sent: SentPart, world: RestoreWorld): Promise<RestoreAnswer | null> {
  const { organizationId, restoreId, part, file, lines } = sent
  const store = world.whole(organizationId)
  const restoration = await store.restoration()
  if (restoration?.restoreId !== restoreId) return null
  if (part < restoration.nextPart) return { restoration }
  if (restoration.endedAt !== null || part > restoration.nextPart)
    return { refusal: `Part ${part} is out of order: the next one is part ${restoration.nextPart}.` }
  const progress = progressOf(restoration)
  if (progress === null) return { refusal: UNREADABLE }
  const archived = progress.files.find((known) => known.file === file)
  const copied = copyFiles[file]
  const table = await store.table(copied ?? tableOfFile(file) ?? '')
  if (archived === undefined || table === null) return { refusal: `The archive has no file ${file}.` }
  const came = (progress.rows[file] ?? 0) + lines.length
  if (came > archived.rows) return { refusal: `${file} has more rows than the manifest says.` }
  const fields = copied === undefined ? archived.columns : table.columns.map(({ field }) => field)
  const columns = columnsOf(table, fields)
  const check = rowCheck(table.name, fields, world.clock.nowMs())
  const rows: Row[] = []
  for (const [index, line] of copied === undefined ? lines.entries() : []) {
    const reading = rowOfMembers(parsedOr(line, undefined), columns)
    const problem = 'problem' in reading ? reading.problem : check(reading.row)
    if (problem !== null) return { refusal: `Line ${came - lines.length + index + 1} of ${file} ${problem}.` }
    if ('problem' in reading) continue
    rows.push(withFormIds(table.name, fields, reading.row, progress.formIds))
  }
  const formIds = table.name === 'forms' ? rows.map((row) => String(row[fields.indexOf('formId')])) : []
  if (!(await world.restorePlaces.reserve(organizationId, formIds)))
    return {
      refusal: 'Another organization has one of the forms, or imports forms. Try again, or look which it is.',
    }
  const isKeyKept = (version: StoredValue) =>
    progress.isSameId && world.secrets.find(String(version)) !== null
  const kept = keptRows(table.name, fields, rows, isKeyKept)
  const keysLeft = progress.keysLeft + (table.isSecret ? rows.length - kept.length : 0)
  const changedAt = latestOf(rows, fields.indexOf('updatedAt'), progress.changedAt)
  const now = { ...progress, changedAt, rows: { ...progress.rows, [file]: came }, keysLeft }
  const next = { ...restoration, nextPart: part + 1, progress: JSON.stringify(now) }
  const outcome = await store.write({
    restoreId,
    part,
    table: table.name,
    fields,
    rows: kept,
    progress: next.progress,
  })
  if (outcome === 'unfit')
    return {
      refusal: `A line of part ${part}, of ${file}, cannot be stored: it lacks a value, is too large, or has an id that is taken.`,
    }
  return outcome === 'written' ? { restoration: next } : writtenMeanwhile(sent, world)
}

/** The latest change of these rows and of those before. */
function latestOf(rows: readonly Row[], index: number, before: string): string {
  return rows.reduce((latest, row) => {
    const at = String(row[index] ?? '')
    return at > latest ? at : latest
  }, before)
}

/** The answer when another call of the same restoration was faster. */
async function writtenMeanwhile(
  { organizationId, restoreId, part }: SentPart,
  world: RestoreWorld,
): Promise<RestoreAnswer | null> {
  const restoration = await world.whole(organizationId).restoration()
  if (restoration?.restoreId !== restoreId) return null
  return part < restoration.nextPart
    ? { restoration }
    : { refusal: `Part ${part} was not written. Send it again.` }
}

/** The columns of the fields that an archive has, in its order. */
export function columnsOf(table: ArchivedTable, fields: readonly string[]): readonly ArchivedColumn[] {
  return fields.flatMap((field) => table.columns.find((column) => column.field === field) ?? [])
}

/**
 * The rows that are stored of those of an archive. Nothing is sent twice: work that waited is held until an operator
 * retries it, and what only told when it may be sent is left out. A key is kept when it was made for this organization
 * under a root secret of this service; no other could be proven.
 */
function keptRows(
  table: string,
  fields: readonly string[],
  rows: readonly Row[],
  isKeyKept: (secretVersion: StoredValue) => boolean,
): readonly Row[] {
  const at = (field: string) => fields.indexOf(field)
  if (table === 'outbox') {
    const [status, lease, waiting] = [at('status'), at('leaseToken'), at('waitingSince')]
    return rows.map((row) =>
      row.map((value, index) => {
        if (index === lease || index === waiting) return null
        return index === status && value === 'pending' ? 'held' : value
      }),
    )
  }
  if (table === 'forms') {
    const definition = at('definition')
    return rows.map((row) => row.map((value, index) => (index === definition ? completed(value) : value)))
  }
  if (table === 'automation_messages') return rows.filter((row) => row[at('isSent')] === 1)
  if (table !== 'api_keys') return rows
  return rows.filter((row) => isKeyKept(row[at('secretVersion')] ?? null))
}

/** A definition that names no addresses for notifications has none. */
function completed(definition: StoredValue): StoredValue {
  const members = membersOf(parsedOr(String(definition), null))
  return 'notificationEmails' in members ? definition : JSON.stringify({ ...members, notificationEmails: [] })
}
