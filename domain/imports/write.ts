import type { ImportSession, StagedChunk, ImportDirectory, ImportRef } from '../../ports/import-sessions.ts'
import type { StoredRow } from '../../ports/records.ts'
import { importContext, type ImportWorld, type Lookup } from './check.ts'
import { isStagedAsDrafts, isKeptAtPos, kindOf, type ImportKind, type Completion } from './kinds.ts'
import { matchKeysOf, matchRows, placeInFile } from './contacts.ts'
import type { Clock, Log } from '../../ports/platform.ts'
import { toInstant } from '../text/instant.ts'
import { ABANDONED_MS } from './file/transfer.ts'

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
async function dropStaged(
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
  if (session.matching > 0) return writeMatched(session, world)
  if (!isStagedAsDrafts(kind)) return sessions.writeNext(session, chunksMax)
  const chunk = await sessions.nextChunk(session)
  if (chunk === null) return null
  return isKeptAtPos(kind.collection)
    ? writeToPos(session, chunk, world)
    : sessions.writeChunk(session, { chunk: chunk.chunk, rows: await completed(chunk, kind, world) })
}

/** The contacts of a step may have this size, as an answer of any storage may. */
export const MATCHES_MAX_BYTES = 4 * 1024 * 1024

/**
 * Writes a chunk to the contacts that its rows are of, or as many of its first rows as have contacts that fit into memory.
 * When one of the contacts was changed meanwhile, it is done again.
 */
async function writeMatched(
  session: ImportSession,
  { sessions }: ImportWorld,
): Promise<ImportSession | null> {
  const staged = await sessions.nextChunk(session)
  if (staged === null) return null
  const { chunk, rows } = staged
  let taken = rows.length
  for (;;) {
    const some = rows.slice(0, taken)
    const keys = matchKeysOf(some)
    const found = await sessions.findMatches(session, keys, taken === 1 ? Infinity : MATCHES_MAX_BYTES)
    if (!('bytes' in found)) {
      const matched = matchRows(session, { rows: some, place: placeInFile(chunk, rows.length) }, found, keys)
      return sessions.writeChunk(session, { chunk, taken, of: rows.length, matched })
    }
    const fitting = Math.floor((taken * MATCHES_MAX_BYTES) / found.bytes)
    taken = Math.max(1, Math.min(taken - 1, fitting))
  }
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

/** How long one step of writing should take, in ms. The database serves nothing else meanwhile. */
const STEP_MS = 200

/** The size of a request's first step, when the speed of the database is not yet known. */
export const FIRST_STEP_CHUNKS = 4

/** The bounds of a step's size, however long steps take. */
const STEP_MIN_CHUNKS = 2
const STEP_MAX_CHUNKS = 8

/**
 * How many chunks the next step should write, when a step of `chunks` took `tookMs`. Large steps are cheaper per row,
 * because rows share pages of the database and one commit. So a step is as large as the time allows.
 */
export function nextStepChunks(chunks: number, tookMs: number): number {
  const fitting = Math.round((chunks * STEP_MS) / Math.max(tookMs, 1))
  return Math.min(STEP_MAX_CHUNKS, chunks * 2, Math.max(STEP_MIN_CHUNKS, fitting))
}

/** Finds the stored rows that these rows will replace, with the fields that the completion needs. */
export async function existingRows(
  rows: readonly StoredRow[],
  { collection, keyField }: ImportKind,
  { carries }: Completion,
  lookup: Pick<Lookup, 'findMany'>,
): Promise<(row: StoredRow) => StoredRow | null> {
  const keys = rows.map((row) => String(row[keyField]))
  const found = await lookup.findMany(collection, [keyField, ...carries], keys, keyField)
  const byKey = new Map(found.map((row) => [String(row[keyField]), row]))
  return (row) => byKey.get(String(row[keyField])) ?? null
}

/** The ports that the sweep of imports needs. */
interface ImportSweepWorld {
  readonly imports: ImportDirectory
  /** The world of an organization's imports; null when the organization no longer exists. */
  readonly openImports: (organizationId: string) => Promise<ImportWorld | null>
  readonly clock: Clock
  readonly log: Log
}

/** How long no chunk of an import must have been written before the sweep continues it, in ms. */
const STALLED_MS = 15_000

/** The maximum duration of one sweep, in ms: less than the time between two sweeps. */
const SWEEP_MS = 20_000

/** The maximum number of imports of each sort in one sweep. */
const REFS_MAX = 100

/**
 * Continues imports whose client or service was interrupted while writing, aborts those that received nothing for a
 * day, and removes the staged rows of imports that have ended. An import that fails does not stop the others.
 */
export async function sweepImports(world: ImportSweepWorld): Promise<void> {
  const { imports, clock } = world
  const nowMs = clock.nowMs()
  const untilMs = nowMs + SWEEP_MS
  const since = (ms: number) => toInstant(nowMs - ms)
  await each(await imports.untouched('writing', since(STALLED_MS), REFS_MAX), world, async (of, importId) => {
    const session = await of.sessions.find(importId)
    if (session !== null) await continueWriting(session, untilMs, of)
  })
  await each(
    await imports.untouched('receiving', since(ABANDONED_MS), REFS_MAX),
    world,
    async (of, importId) => {
      await of.sessions.end(importId, 'aborted', [])
    },
  )
  await each(await imports.withLeftovers(REFS_MAX), world, (of, importId) =>
    dropStaged(importId, untilMs, of),
  )
  await imports.forget(since(ABANDONED_MS), REFS_MAX)
}

async function each(
  refs: readonly ImportRef[],
  { openImports, log }: ImportSweepWorld,
  work: (world: ImportWorld, importId: string) => Promise<void>,
): Promise<void> {
  for (const { organizationId, importId } of refs) {
    try {
      const world = await openImports(organizationId)
      if (world !== null) await work(world, importId)
    } catch (cause) {
      log.error('import_sweep_failed', { organizationId, importId }, cause)
    }
  }
}
