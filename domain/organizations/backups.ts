import type { Clock, Log } from '../../ports/platform.ts'
import type {
  OpenDigest,
  ArchiveSeal,
  ArchiveStore,
  OrganizationStore,
} from '../../ports/organization-store.ts'
import { toInstant } from '../text/instant.ts'
import { openLocalSource, type ArchiveSource } from './archive.ts'
import { ChangedMeanwhile, writeArchive } from './write-archive.ts'
import { isOrganizationId } from '../access/keys.ts'
import type { Overview } from '../placement/operators/overview.ts'

/** The ports by which organizations are backed up. */
export interface BackupWorld {
  readonly archives: ArchiveStore
  readonly openDigest: OpenDigest
  /** Null: backups are not encrypted. */
  readonly seal: ArchiveSeal | null
  readonly clock: Clock
}

/** How often the archive of an organization is begun, when it keeps changing. */
const TRIES_MAX = 10

/**
 * Stores an archive of an organization.
 * @returns its name, and how many rows it has
 * @throws ChangedMeanwhile when the organization was changed during every attempt
 */
export async function backUp(
  organizationId: string,
  source: ArchiveSource,
  { archives, openDigest, seal, clock }: BackupWorld,
): Promise<{ readonly name: string; readonly rows: number }> {
  for (let tries = 1; ; tries += 1) {
    let rows = 0
    const onProgress = (pass: 'measuring' | 'writing', seen: number) => {
      if (pass === 'writing') rows = seen
    }
    const name = backupName({
      organizationId,
      at: toInstant(clock.nowMs()),
      isEncrypted: seal !== null,
    })
    try {
      const archive = writeArchive({ source, openDigest, onProgress })
      await archives.put(name, seal === null ? archive : seal(archive))
      return { name, rows }
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || tries === TRIES_MAX) throw error
    }
  }
}

const PAGE = 1_000
const DAY_MS = 86_400_000

/** Every backup in a store, oldest first. Other files are passed over. */
export async function* backupsIn(archives: ArchiveStore, after: string | null = null) {
  let last = after
  for (;;) {
    const page = await archives.list(last, PAGE)
    for (const archive of page) {
      const about = readBackupName(archive.name)
      if (about !== null) yield { ...archive, ...about }
    }
    if (page.length < PAGE) return
    last = page.at(-1)?.name ?? last
  }
}

/**
 * Removes the backups that are older than a number of days. The latest one of each organization stays, however old.
 * @returns the names of those removed
 */
export async function removeOld(days: number, { archives, clock }: BackupWorld): Promise<readonly string[]> {
  const before = toInstant(clock.nowMs() - days * DAY_MS)
  const latest = new Map<string, string>()
  const old: { readonly name: string; readonly organizationId: string }[] = []
  for await (const { name, organizationId, at } of backupsIn(archives)) {
    latest.set(organizationId, name)
    if (at < before) old.push({ name, organizationId })
  }
  const gone = old.filter(({ name, organizationId }) => latest.get(organizationId) !== name)
  for (const { name } of gone) await archives.remove(name)
  return gone.map(({ name }) => name)
}

/** What the name of a backup says. */
interface BackupName {
  readonly organizationId: string
  /** The UTC instant at which the backup was begun. */
  readonly at: string
  readonly isEncrypted: boolean
}

const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z)\.([A-Za-z0-9_-]+)\.tar(\.age)?$/

/** The name of a backup. Names sort by the instant, so that the oldest are listed first. */
function backupName({ organizationId, at, isEncrypted }: BackupName): string {
  return `${startOfName(at)}.${organizationId}.tar${isEncrypted ? '.age' : ''}`
}

/** The beginning of the names of backups from an instant. */
function startOfName(at: string): string {
  return at.replaceAll(/[:.]/g, '-')
}

/** Reads the name of a backup; null: it is none. */
export function readBackupName(name: string): BackupName | null {
  const [, at = '', organizationId = '', encrypted] = NAME.exec(name) ?? []
  if (!isOrganizationId(organizationId)) return null
  const instant = at.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, 'T$1:$2:$3.$4Z')
  return { organizationId, at: instant, isEncrypted: encrypted !== undefined }
}

interface BackupSweepWorld extends BackupWorld {
  readonly overview: Pick<Overview, 'organizations' | 'describe'>
  readonly organizationStore: (organizationId: string) => OrganizationStore
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

const ORGANIZATIONS_PAGE = 100

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
      ORGANIZATIONS_PAGE,
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
    const local = { organizationId, store: world.organizationStore(organizationId), withSecrets }
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
