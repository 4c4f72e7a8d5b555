import type { Clock, Log } from '../../ports/platform.ts'
import type { ImportDirectory } from '../../ports/import-sessions.ts'
import type { OutboxStore } from '../../ports/messaging.ts'
import type { FamilyWithWork, OwnPlace, PlaceDirectory } from '../../ports/placement.ts'
import type { RetentionDirectory } from '../../ports/erasure.ts'
import { eachOf, CONNECTIONS_WIDTH } from '../limits/waiting.ts'
import { toInstant } from '../text/instant.ts'
import { ALARM_MS } from './alarm.ts'

/** The maximum number of families in one sweep. */
const SWEPT_MAX = 100

/** After how long a family is asked again when an import of it is being written, or when it has not answered, in ms. */
const SOON_MS = 60_000
const RETRY_MS = 120_000

/** The pending work in the database of one family. */
export interface FamilyWork {
  readonly outbox: Pick<OutboxStore, 'nextDue'>
  readonly imports: Pick<ImportDirectory, 'untouched' | 'withLeftovers'>
  readonly retention: Pick<RetentionDirectory, 'nextDue'>
  /** Does the work that is due: outbox entries, imports, and what is kept no longer. */
  work(): Promise<void>
}

/** The ports that the sweep of families needs. */
export interface FamilySweepWorld {
  readonly directory: Pick<PlaceDirectory, 'familiesWithWork' | 'settleWork'>
  readonly openWork: (place: OwnPlace) => FamilyWork
  readonly clock: Clock
  readonly log: Log
}

/**
 * Checks on families with databases of their own for which work was noted, and whose alarm should have done it by now.
 * A family is forgotten when it had no work at two checks, ten minutes apart. Work that arrives in between is noted
 * again, or is found by the second check.
 */
export async function sweepFamilies(world: FamilySweepWorld): Promise<void> {
  const { directory, clock, log } = world
  const families = await directory.familiesWithWork(toInstant(clock.nowMs()), SWEPT_MAX)
  await eachOf(families, CONNECTIONS_WIDTH, async (family) => {
    try {
      // A database may never answer. If its family were put off only afterwards, it would stay the longest waiting one,
      // and enough of such families would keep the cron from all others.
      await directory.settleWork(family, false, toInstant(clock.nowMs() + RETRY_MS))
      await lookAfter(family, world)
    } catch (cause) {
      log.error('family_sweep_failed', { familyId: family.place.familyId }, cause)
    }
  })
}

async function lookAfter(family: FamilyWithWork, { directory, openWork, clock }: FamilySweepWorld) {
  const open = openWork(family.place)
  await open.work()
  const next = await nextLook(open, clock)
  if (next !== null) return directory.settleWork(family, false, next)
  const again = family.wasIdle ? null : toInstant(clock.nowMs() + ALARM_MS)
  return directory.settleWork(family, true, again)
}

/** When a family is to be asked again; null: it has no work. */
async function nextLook({ outbox, imports, retention }: FamilyWork, clock: Clock): Promise<string | null> {
  const nowMs = clock.nowMs()
  const farthest = '9999-12-31T23:59:59.999Z'
  const isWriting = (await imports.untouched('writing', farthest, 1)).length > 0
  if (isWriting) return toInstant(nowMs + SOON_MS)
  const isLeft = (await imports.withLeftovers(1)).length > 0
  const isOpen = (await imports.untouched('receiving', farthest, 1)).length > 0
  const due = earlier(await outbox.nextDue(), await retention.nextDue())
  const dueMs = due === null ? null : Math.max(Date.parse(due), nowMs) + ALARM_MS
  if (isLeft || isOpen) return toInstant(Math.min(dueMs ?? Infinity, nowMs + ALARM_MS))
  return dueMs === null ? null : toInstant(dueMs)
}

/** The earlier of two instants; null: neither is given. */
function earlier(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right
  return left < right ? left : right
}
