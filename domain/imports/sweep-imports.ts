import type { Clock, Log } from '../../ports/platform.ts'
import type { ImportDirectory, ImportRef } from '../../ports/import-sessions.ts'
import { toInstant } from '../text/instant.ts'
import { ABANDONED_MS } from './file/limits.ts'
import { continueWriting, dropStaged } from './write-import.ts'
import type { ImportWorld } from './world.ts'

/** The ports that the sweep of imports needs. */
export interface ImportSweepWorld {
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
