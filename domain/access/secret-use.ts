import type { Administration, HashCounts } from '../../ports/administration.ts'
import type { Secrets } from './secrets.ts'

/** How many hashes were made under each root secret. */
export interface HashesBySecret {
  readonly current: HashCounts
  /** Zero when no rotation is under way. */
  readonly previous: HashCounts
  /** Made under a root secret that is no longer known: they fit no key and no password. */
  readonly lost: HashCounts
}

const NONE: HashCounts = { keys: 0, formPasswords: 0 }

/** Counts over the whole storage: when nothing is under the previous root secret, a rotation can be ended. */
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
    },
  }
}

/** What an operator calls the root secret of that version; without the secrets, or for another one, its own name. */
export function secretName(version: string, secrets: Secrets | null): string {
  if (version === secrets?.current.version) return 'current'
  return version === secrets?.previous?.version ? 'previous' : version
}
