import type { ImportedFile, ImportSession } from '../../ports/import-sessions.ts'
import { randomBase62 } from '../text/encoding.ts'
import type { ImportKind } from './kinds/kind.ts'
import { readMapping } from './reading/mapping.ts'
import { isKeptAtPos, kindOf } from './kinds/kinds.ts'
import { IDLE_MS } from './file/limits.ts'
import { startOfFile } from './reading/read-part.ts'
import { conflict, type ImportAnswer, type ImportWorld } from './world.ts'

const ID_LENGTH = 22

/**
 * Opens an import, or finds the open import of the same file. An organization has one open import of a kind at a time:
 * another file waits until that one is written, or has received nothing for a while.
 */
export async function openImport(given: ImportedFile, world: ImportWorld): Promise<ImportAnswer> {
  const mapped = readMapping(given, kindOf(given.kind, world.tools))
  if ('problem' in mapped) return { kind: 'invalid', message: mapped.problem }
  const file = { ...given, ...mapped }
  const destination = isKeptAtPos(file.kind) ? world.pos() : null
  if (destination !== null && 'refusal' in destination) return conflict(destination.refusal)
  const first = await open(file, world)
  if (isOf(first, file)) return { kind: 'session', session: first }
  if (!isIdle(first, world)) return busy(first, world)
  await world.sessions.end(first.importId, 'aborted', first.problems)
  const second = await open(file, world)
  return isOf(second, file) ? { kind: 'session', session: second } : busy(second, world)
}

async function open(file: ImportedFile, { sessions, tools, random }: ImportWorld): Promise<ImportSession> {
  const kind = kindOf(file.kind, tools)
  const importId = `imp_${randomBase62(ID_LENGTH, (length) => random.bytes(length))}`
  return sessions.open(
    importId,
    file,
    isStagedAsDrafts(kind) ? 'drafts' : 'rows',
    JSON.stringify(startOfFile),
  )
}

/**
 * Whether rows are staged as drafts, because this service must handle them again when they are written: to complete
 * them, or to send them to a point of sale.
 */
export function isStagedAsDrafts(kind: ImportKind): boolean {
  return kind.completion !== null || isKeptAtPos(kind.collection)
}

function isOf(
  session: ImportSession,
  { kind, format, totalBytes, digest, isDryRun = false, mapping = {} }: ImportedFile,
): boolean {
  return (
    session.kind === kind &&
    session.format === format &&
    session.totalBytes === totalBytes &&
    session.digest === digest &&
    session.isDryRun === isDryRun &&
    JSON.stringify(session.mapping) === JSON.stringify(mapping)
  )
}

function isIdle({ state, touchedAt }: ImportSession, { clock }: ImportWorld): boolean {
  return state === 'receiving' && clock.nowMs() - Date.parse(touchedAt) >= IDLE_MS
}

function busy({ kind, importId, state }: ImportSession, { organization }: ImportWorld): ImportAnswer {
  const until =
    state === 'writing'
      ? 'Wait until it is written.'
      : `Wait until it ends, or abort it; when nothing comes for it for ${IDLE_MS / 1000} seconds, another may take its place.`
  return conflict(
    `Another file of ${kind} is being imported into ${organization.organizationId} (${importId}). ${until}`,
  )
}
