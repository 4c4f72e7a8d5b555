import type { Clock } from '../../ports/clock.ts'
import type { ImportDirectory, ImportRef } from '../../ports/import-sessions.ts'
import type { Log } from '../../ports/log.ts'
import { toInstant } from '../text/instant.ts'
import { ABANDONED_MS } from './limits.ts'
import { continueWriting, dropStaged } from './write-import.ts'
import type { ImportWorld } from './world.ts'

/** What the sweep of imports needs. */
export interface ImportSweepWorld {
  readonly imports: ImportDirectory
  /** The world of an organization's imports; null when there is no such organization any more. */
  readonly openImports: (organizationId: string) => Promise<ImportWorld | null>
  readonly clock: Clock
  readonly log: Log
}

/** How long nobody must have written a chunk of an import before the sweep takes it up. */
const STALLED_MS = 15_000

/** How long one sweep may take: less than the time between two. */
const SWEEP_MS = 20_000

/** Most imports of each sort that one sweep looks at. */
const REFS_MAX = 100

/**
 * The work on imports that nobody asks for: goes on writing those whose client or service was interrupted, gives up those
 * that received nothing for a day, and removes what is staged of imports that are over. One import that fails hinders no
 * other.
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
