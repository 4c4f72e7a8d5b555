import type { StoredKey } from '../../ports/organizations.ts'
import type { Clock } from '../../ports/platform.ts'
import { issueKey, type IssuedKey, type NewKey } from '../access/api-key.ts'
import { toInstant } from '../text/instant.ts'
import {
  IN_THE_PAST,
  isPastInstant,
  ISSUER_ENDED,
  type KeyIssuing,
  type RefusedSetting,
} from './issue-checked-key.ts'
import { keyState, type KeyState } from './key-state.ts'

/** An operator's request to replace a key. */
export interface RotationRequest {
  readonly keyId: string
  /** For how long the key works beside its successor. */
  readonly overlapMs: number
  /** The end of the successor; left out: that of the key. */
  readonly expiresAt?: string
}

/** A key that was replaced, and its successor. */
export interface Rotated extends IssuedKey {
  readonly kind: 'rotated'
  /** The instant at which the replaced key ends. */
  readonly endsAt: string
}

/** A key that cannot be replaced. */
export interface NotRotated {
  readonly kind: 'not_rotated'
  readonly isKnown: boolean
  /** The reason, in one sentence. */
  readonly reason: string
}

/**
 * Issues a successor with the attributes of a key. The key ends after the overlap, or at its own expiry if that comes
 * first. A key can have only one successor, so that the end of the overlap is never passed on as an expiry.
 */
export async function rotateKey(
  { keyId, overlapMs, expiresAt }: RotationRequest,
  { keys, secrets, random, clock, issuedBy }: KeyIssuing,
): Promise<Rotated | NotRotated | RefusedSetting> {
  if (expiresAt !== undefined && isPastInstant(expiresAt, clock))
    return { kind: 'refused', setting: 'expiresAt', problem: IN_THE_PAST }
  const replaced = await keys.findKey(keyId)
  if (replaced === null) return notRotated(keyId, null, clock)
  const issued = await issueKey({ ...successorOf(replaced, expiresAt), issuedBy }, secrets, random, clock)
  const overlapEnd = toInstant(clock.nowMs() + overlapMs)
  const isRotated = await keys.rotateKey({ keyId, successor: issued.stored, endsAt: overlapEnd })
  if (!isRotated) return notRotated(keyId, await keys.findKey(keyId), clock)
  const endsAt =
    replaced.expiresAt !== null && replaced.expiresAt < overlapEnd ? replaced.expiresAt : overlapEnd
  return { kind: 'rotated', endsAt, ...issued }
}

function successorOf(replaced: StoredKey, expiresAt = replaced.expiresAt): NewKey {
  return { ...replaced, expiresAt }
}

function notRotated(keyId: string, found: StoredKey | null, clock: Clock): NotRotated {
  if (found === null) return { kind: 'not_rotated', isKnown: false, reason: `There is no key ${keyId}.` }
  return { kind: 'not_rotated', isKnown: true, reason: reasonOf(found, keyState(found, clock)) }
}

function reasonOf({ keyId, successorId }: StoredKey, state: KeyState): string {
  if (successorId !== null) return `The key ${keyId} was replaced before. Its successor is ${successorId}.`
  return state === 'active' ? ISSUER_ENDED : `The key ${keyId} is ${state}. Issue a new one.`
}
