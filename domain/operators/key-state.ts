import type { StoredKey } from '../../ports/organizations.ts'
import type { Clock } from '../../ports/platform.ts'
import { toInstant } from '../text/instant.ts'

/** Whether a key works, and if not, why. */
export const keyStates = ['active', 'revoked', 'expired'] as const
export type KeyState = (typeof keyStates)[number]

/** The state of a key at this moment, by the same rule as the statement that proves keys. */
export function keyState(
  { revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>,
  clock: Clock,
): KeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= toInstant(clock.nowMs()) ? 'expired' : 'active'
}
