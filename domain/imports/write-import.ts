import type { ImportSession, StagedChunk } from '../../ports/import-sessions.ts'
import type { StoredRow } from '../../ports/records.ts'
import { importContext } from './context.ts'
import { existingRows } from './check/existing-rows.ts'
import type { ImportKind } from './kinds/kind.ts'
import { isKeptAtPos, kindOf } from './kinds/kinds.ts'
import { isStagedAsDrafts } from './open-import.ts'
import { FIRST_STEP_CHUNKS, nextStepChunks } from './step-size.ts'
import type { ImportWorld } from './world.ts'

/**
 * Writes an import step by step until it is complete or the time is over, and removes the staged rows when it has
 * ended. It may be interrupted at any point, and several calls may run at once, because a step writes chunks and counts
 * them as written in one transaction. Returns the latest session.
 */
export async function continueWriting(
  session: ImportSession,
  untilMs: number,
  world: ImportWorld,
): Promise<ImportSession> {
  const { sessions, clock } = world
  const kind = kindOf(session.kind, world.tools)
  let current = session
  let chunksMax = FIRST_STEP_CHUNKS
  while (current.state === 'writing' && clock.nowMs() < untilMs) {
    const startedMs = clock.nowMs()
    const next = await writeStep(current, chunksMax, kind, world)
    chunksMax = nextStepChunks(chunksMax, clock.nowMs() - startedMs)
    // A concurrent call wrote the chunk, unless the organization is being deleted, with its imports.
    const found = next ?? (await sessions.find(current.importId))
    if (found === null) return current
    current = found
  }
  if (current.state !== 'writing') await dropStaged(current.importId, untilMs, world)
  return current
}

/** Removes the staged rows of an import that has ended, as far as the time allows. */
export async function dropStaged(
  importId: string,
  untilMs: number,
  { sessions, clock }: Pick<ImportWorld, 'sessions' | 'clock'>,
): Promise<void> {
  let isLeft = true
  while (isLeft && clock.nowMs() < untilMs) isLeft = await sessions.dropStaged(importId)
}

async function writeStep(
  session: ImportSession,
  chunksMax: number,
  kind: ImportKind,
  world: ImportWorld,
): Promise<ImportSession | null> {
  const { sessions } = world
  if (!isStagedAsDrafts(kind)) return sessions.writeNext(session, chunksMax)
  const chunk = await sessions.nextChunk(session.importId)
  if (chunk === null) return null
  return isKeptAtPos(kind.collection)
    ? writeToPos(session, chunk, world)
    : sessions.writeChunk(session, { chunk: chunk.chunk, rows: await completed(chunk, kind, world) })
}

/**
 * Writes a chunk to a point of sale, which is another database. When the process ends before the chunk is counted, the
 * chunk is written again, which changes nothing and counts as unchanged.
 */
async function writeToPos(
  session: ImportSession,
  { chunk, rows }: StagedChunk,
  { sessions, pos }: ImportWorld,
): Promise<ImportSession | null> {
  const destination = pos()
  if ('refusal' in destination)
    throw new Error(`An import cannot be written any more: ${destination.refusal}`)
  const { changed } = await destination.writer.upsert(session.kind, rows)
  return sessions.writeChunk(session, { chunk, changed })
}

async function completed(
  { rows }: StagedChunk,
  kind: ImportKind,
  { lookup, organization }: ImportWorld,
): Promise<readonly StoredRow[]> {
  const { completion } = kind
  if (completion === null) return rows
  const existing = await existingRows(rows, kind, completion, lookup)
  const context = importContext(organization)
  const made: StoredRow[] = []
  for (const row of rows) made.push(await completion.complete(row, context, existing(row)))
  return made
}
