import type { Administration, HashCounts } from '../../ports/organizations.ts'
import type { Secrets } from './secrets.ts'

/** How many hashes were made under each root secret. */
interface HashesBySecret {
  readonly current: HashCounts
  /** Zero when no rotation is under way. */
  readonly previous: HashCounts
  /** Hashes made under a root secret that is no longer configured. No key and no password fits them. */
  readonly lost: HashCounts
}

const NONE: HashCounts = { keys: 0, formPasswords: 0 }

/** No hashes at all. */
export const NO_HASHES: HashesBySecret = { current: NONE, previous: NONE, lost: NONE }

/** The counts of two databases together. */
export function sumOfHashes(left: HashesBySecret, right: HashesBySecret): HashesBySecret {
  return {
    current: sumOfCounts(left.current, right.current),
    previous: sumOfCounts(left.previous, right.previous),
    lost: sumOfCounts(left.lost, right.lost),
  }
}

/** Where there are no webhooks, nothing is said of them. */
function webhookSecrets(count: number): Pick<HashCounts, 'webhookSecrets'> {
  return count === 0 ? {} : { webhookSecrets: count }
}

function sumOfCounts(left: HashCounts, right: HashCounts): HashCounts {
  return {
    keys: left.keys + right.keys,
    formPasswords: left.formPasswords + right.formPasswords,
    ...webhookSecrets((left.webhookSecrets ?? 0) + (right.webhookSecrets ?? 0)),
  }
}

/** Counts hashes over the whole storage. When none is left under the previous root secret, a rotation can be ended. */
export async function hashesBySecret(
  administration: Pick<Administration, 'countHashes'>,
  { current, previous }: Secrets,
): Promise<HashesBySecret> {
  const all = await administration.countHashes(null)
  const underCurrent = await administration.countHashes(current.version)
  const underPrevious = previous === null ? NONE : await administration.countHashes(previous.version)
  return {
    current: underCurrent,
    previous: underPrevious,
    lost: {
      keys: all.keys - underCurrent.keys - underPrevious.keys,
      formPasswords: all.formPasswords - underCurrent.formPasswords - underPrevious.formPasswords,
      ...webhookSecrets(
        Math.max(
          0,
          (all.webhookSecrets ?? 0) -
            (underCurrent.webhookSecrets ?? 0) -
            (underPrevious.webhookSecrets ?? 0),
        ),
      ),
    },
  }
}

/**
 * The name that operators use for the root secret of a version. Without the secrets, or for another version, it is the
 * version itself.
 */
export function secretName(version: string, secrets: Secrets | null): string {
  if (version === secrets?.current.version) return 'current'
  return version === secrets?.previous?.version ? 'previous' : version
}
