import { createR2Archives } from '../../adapters/archive-r2/index.ts'
import { sweepBackups, type BackupWorld } from '../../domain/organizations/backups.ts'
import type { OpenDigest } from '../../ports/organization-store.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock } from '../system.ts'
import { openStorage } from './all-storage.ts'

/** The platform's own stream for digests, which its types for browsers do not have. */
interface DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>
}
type PlatformCrypto = typeof crypto & { readonly DigestStream: new (algorithm: 'SHA-256') => DigestStream }

/** Digests by the platform, piece by piece. */
const openPlatformDigest: OpenDigest = () => {
  const stream = new (crypto as PlatformCrypto).DigestStream('SHA-256')
  const writer = stream.getWriter()
  return {
    update: (bytes) => writer.write(bytes),
    async end() {
      await writer.close()
      return [...new Uint8Array(await stream.digest)]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('')
    },
  }
}

/** The ports of backups; null: the service has no bucket for them. */
export async function openBackups({ backups }: Env): Promise<BackupWorld | null> {
  if (backups === null) return null
  const { bucket, recipient } = backups
  return {
    archives: createR2Archives(bucket),
    openDigest: openPlatformDigest,
    // Loaded on demand: encryption is a large library that nothing else needs.
    seal: recipient === null ? null : (await import('../../adapters/archive-age/index.ts')).sealTo(recipient),
    clock: systemClock,
  }
}

/** An isolate remembers what failed. Another one that does not know of it only tries once more. */
const failedAtMs = new Map<string, number>()

/** Backs up every organization once a day. */
export async function sweepBackupsOf(env: Env): Promise<void> {
  const world = await openBackups(env)
  if (world === null || env.backups === null) return
  const { overview, organizationStore } = openStorage(env).storage
  const { keepDays } = env.backups
  await sweepBackups({ ...world, overview, organizationStore, log: consoleLog, keepDays, failedAtMs })
}
