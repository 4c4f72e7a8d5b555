import type { Log } from '../../../ports/platform.ts'
import { toInstant } from '../../text/instant.ts'
import type { Overview } from '../../placement/operators/overview.ts'
import type { WholeStore } from '../../../ports/archives.ts'
import { openLocalSource } from '../archive/local-source.ts'
import { backUp, backupsIn, removeOld, type BackupWorld } from './back-up.ts'
import { startOfName } from './names.ts'

export interface BackupSweepWorld extends BackupWorld {
  readonly overview: Pick<Overview, 'organizations' | 'describe'>
  readonly whole: (organizationId: string) => WholeStore
  readonly log: Log
  /** After how many days backups are removed. */
  readonly keepDays: number
  /** When a backup of an organization failed last, as far as this process knows. Sweeps write it. */
  readonly failedAtMs: Map<string, number>
}

/** The hours of the day, in UTC, in which organizations are backed up. */
const FROM_HOUR = 2
const TO_HOUR = 6

/** The maximum duration of one sweep, in ms: less than the time between two. A backup that was begun is finished. */
const SWEEP_MS = 40_000

/** How long after a failure a backup is tried again, in ms: one that fails late would leave the others no time. */
const RETRY_MS = 3_600_000

const PAGE = 100

/**
 * Backs up every organization that has no backup of the present day yet, between two and six o'clock. One that fails
 * stops no other: it is logged, and tried again an hour later.
 */
export async function sweepBackups(world: BackupSweepWorld): Promise<void> {
  const nowMs = world.clock.nowMs()
  const now = toInstant(nowMs)
  const hour = new Date(nowMs).getUTCHours()
  if (hour < FROM_HOUR || hour >= TO_HOUR) return
  const done = new Set<string>()
  for await (const { organizationId } of backupsIn(world.archives, startOfName(now.slice(0, 10))))
    done.add(organizationId)
  const untilMs = nowMs + SWEEP_MS
  let afterId: string | null = null
  do {
    const { rows, next }: Awaited<ReturnType<Overview['organizations']>> = await world.overview.organizations(
      afterId,
      PAGE,
    )
    for (const { organizationId } of rows) {
      const failedAtMs = world.failedAtMs.get(organizationId) ?? -Infinity
      if (done.has(organizationId) || nowMs - failedAtMs < RETRY_MS) continue
      if (world.clock.nowMs() >= untilMs) return
      await backUpOne(organizationId, world)
    }
    afterId = next
  } while (afterId !== null)
  await removeOld(world.keepDays, world)
}

async function backUpOne(organizationId: string, world: BackupSweepWorld): Promise<void> {
  try {
    // Secrets are only kept where nobody but the holder of the key can read them.
    const withSecrets = world.seal !== null
    const local = { organizationId, store: world.whole(organizationId), withSecrets }
    const source = openLocalSource(
      local,
      async () => (await world.overview.describe(organizationId))?.place ?? null,
    )
    const { name, rows } = await backUp(organizationId, source, world)
    world.log.info('backed_up', { organizationId, name, rows })
  } catch (cause) {
    world.failedAtMs.set(organizationId, world.clock.nowMs())
    world.log.error('backup_failed', { organizationId }, cause)
  }
}
