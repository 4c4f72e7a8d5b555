import type { ImportSession, StagedPart } from '../../ports/import-sessions.ts'
import type { StoredRow } from '../../ports/records.ts'
import { checkPart } from './check/check-part.ts'
import { importContext } from './context.ts'
import { existingRows } from './check/existing-rows.ts'
import { sha256, type ReceivedPart } from './file/file-parts.ts'
import type { ImportKind } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { FILE_PROBLEMS_MAX } from './file/limits.ts'
import { readPart } from './reading/read-part.ts'
import { bucketCount } from '../bounds/buckets.ts'
import { inBuckets } from './check/repetitions.ts'
import { sealReading, unsealReading } from './reading/sealed-reading.ts'
import { conflict, type ImportAnswer, type ImportWorld } from './world.ts'
import { GIVEN_UP } from './file/transfer-file.ts'

/**
 * Takes the next part of a file: reads and checks it, and stages its rows. A part that was taken before is accepted
 * again when it is the same, so that a sender who missed the reply can repeat it. The returned session contains the
 * problems of the file so far, and the number of the next part.
 */
export async function receivePart(
  importId: string,
  received: ReceivedPart,
  world: ImportWorld,
): Promise<ImportAnswer> {
  const { part, bytes, digest } = received
  if ((await sha256(bytes)) !== digest)
    return {
      kind: 'damaged',
      message: `Part ${part} does not have the digest that came with it. Send it again.`,
    }
  const session = await world.sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  if (part < session.nextPart) return answerAgain(session, received, world)
  const misfit = misfitOf(session, received)
  if (misfit !== null) return conflict(misfit)
  const staged = await stagedPart(session, received, world)
  if (typeof staged === 'string') {
    await world.sessions.end(importId, 'aborted', session.problems)
    return conflict(staged)
  }
  const taken = await world.sessions.addPart(session, staged)
  return taken === null ? afterRace(importId, received, world) : { kind: 'session', session: taken }
}

async function answerAgain(
  session: ImportSession,
  { part, digest }: ReceivedPart,
  { sessions }: ImportWorld,
): Promise<ImportAnswer> {
  // After the decision to write, parts have no effect, and their digests are no longer stored.
  if (session.state === 'writing' || session.state === 'done') return { kind: 'session', session }
  const digests = await sessions.digests(session.importId)
  if (digests[part - 1] === digest) return { kind: 'session', session }
  return conflict(
    `Part ${part} was taken before, with other content. The next one is part ${session.nextPart}.`,
  )
}

/** The reply when a concurrent call has changed the session, perhaps by sending the same part. */
async function afterRace(
  importId: string,
  received: ReceivedPart,
  world: ImportWorld,
): Promise<ImportAnswer> {
  const session = await world.sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  if (received.part < session.nextPart) return answerAgain(session, received, world)
  return conflict(misfitOf(session, received) ?? `Part ${received.part} was not taken. Send it again.`)
}

/** Why a part cannot be taken next; null: it can. */
function misfitOf(session: ImportSession, { part, bytes }: ReceivedPart): string | null {
  const { state, nextPart, receivedBytes, totalBytes } = session
  if (state === 'refused') return 'The import was refused because of what is wrong with its file.'
  if (state === 'aborted') return GIVEN_UP
  if (state !== 'receiving') return 'The whole file was received before.'
  if (part > nextPart) return `Part ${part} is out of order: the next one is part ${nextPart}.`
  if (bytes.length === 0) return `Part ${part} is empty.`
  const left = totalBytes - receivedBytes
  if (bytes.length > left)
    return `Part ${part} has ${bytes.length} bytes, but of ${totalBytes} bytes in all only ${left} are missing.`
  return null
}

/** Everything that a part adds to its session, or why the incomplete line before it can no longer be read. */
async function stagedPart(
  session: ImportSession,
  { part, bytes, digest }: ReceivedPart,
  world: ImportWorld,
): Promise<StagedPart | string> {
  const kind = kindOf(session.kind, world.tools)
  const isLast = session.receivedBytes + bytes.length === session.totalBytes
  const file = { format: session.format, columns: kind, mapping: session.mapping }
  const sealing = { secrets: world.tools.secrets, random: world.random }
  const before = await unsealReading(session.reading, session.importId, sealing)
  if (typeof before === 'string') return before
  const { entries, skippedRows, reading } = readPart(before, bytes, isLast, file)
  const checked = await checkPart(entries, kind, importContext(world.organization), world.lookup)
  const problems = [...session.problems, ...checked.problems].slice(0, FILE_PROBLEMS_MAX)
  const found = (await kind.warn?.(checked.rows, world.lookup)) ?? []
  return {
    part,
    digest,
    bytes: bytes.length,
    readRows: entries.length,
    skippedRows,
    problems,
    warnings: [...session.warnings, ...found].slice(0, FILE_PROBLEMS_MAX),
    state: problems.length === FILE_PROBLEMS_MAX ? 'refused' : 'receiving',
    reading: JSON.stringify(
      kind.secretField === null ? reading : await sealReading(reading, session.importId, sealing),
    ),
    rows: session.isDryRun || problems.length > 0 ? [] : await drafts(checked.rows, kind, world),
    keys: inBuckets(checked.keys, bucketCount(session.totalBytes)),
  }
}

/** The rows as they are staged: unchanged, or as drafts when the kind completes its rows only as they are written. */
async function drafts(
  rows: readonly StoredRow[],
  kind: ImportKind,
  { lookup }: ImportWorld,
): Promise<readonly StoredRow[]> {
  const { completion } = kind
  if (completion === null) return rows
  const existing = await existingRows(rows, kind, completion, lookup)
  const made: StoredRow[] = []
  for (const row of rows) made.push(await completion.draft(row, existing(row)))
  return made
}
