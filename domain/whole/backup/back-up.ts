import type { Clock } from '../../../ports/platform.ts'
import type { OpenDigest, ArchiveSeal, ArchiveStore } from '../../../ports/archives.ts'
import { toInstant } from '../../text/instant.ts'
import type { ArchiveSource } from '../archive/source.ts'
import { ChangedMeanwhile, writeArchive } from '../archive/write-archive.ts'
import { backupName, readBackupName } from './names.ts'

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
