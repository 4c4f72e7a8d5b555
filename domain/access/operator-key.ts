import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { StoredOperatorKey } from '../../ports/keys.ts'
import { toInstant } from '../text/instant.ts'
import { drawKey, hasGoodChecksum, hashKey, KEY_TAIL } from './api-key.ts'
import type { Secrets } from './secrets.ts'

/** What the keys of operators begin with. */
export const OPERATOR_KEY_PREFIX = 'ok_live_'
/**
 * How many keys of each kind the record of a revocation names. A record has a maximum size, and more must not make the
 * revocation fail.
 */
export const REVOKED_NAMED_MAX = 1000

/** How many databases of families one revocation asks, because the platform limits the calls of a request. */
export const REVOKED_PLACES_MAX = 400

const OPERATOR_KEY = new RegExp(`^${OPERATOR_KEY_PREFIX}${KEY_TAIL}$`)

/** An operator key as it was presented: `ok_live_{keyId}{secret}{checksum}`, with the same parts as every other key. */
export interface PresentedOperatorKey {
  readonly keyId: string
  /** The whole key. */
  readonly text: string
}

/** Splits a key into its parts; null when it is no operator key or its checksum is wrong. Does no look-up. */
export function readOperatorKey(text: string): PresentedOperatorKey | null {
  const keyId = hasGoodChecksum(text) ? OPERATOR_KEY.exec(text)?.[1] : undefined
  return keyId === undefined ? null : { keyId, text }
}

/** The operator for whom a new key is made. */
export type OperatorKeyGrant = Pick<StoredOperatorKey, 'operator' | 'role' | 'expiresAt' | 'issuedBy'>

/** Makes a new operator key. `key` is shown once and never stored; `stored` is what goes to the store. */
export async function issueOperatorKey(
  { operator, role, expiresAt, issuedBy }: OperatorKeyGrant,
  { current }: Pick<Secrets, 'current'>,
  random: RandomSource,
  clock: Clock,
): Promise<{ readonly key: string; readonly stored: StoredOperatorKey }> {
  const { keyId, key } = drawKey(OPERATOR_KEY_PREFIX, random)
  const stored: StoredOperatorKey = {
    keyId,
    operator,
    role,
    hash: await hashKey(key, current),
    secretVersion: current.version,
    createdAt: toInstant(clock.nowMs()),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    issuedBy,
  }
  return { key, stored }
}
