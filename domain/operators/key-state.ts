import type { StoredKey } from '../../ports/administration.ts'
import type { Clock } from '../../ports/clock.ts'
import { toInstant } from '../text/instant.ts'

/** Whether a key works, and if not, why. */
export type KeyState = 'active' | 'revoked' | 'expired'

/** The state of a key at this moment, as the statement that proves keys sees it. */
export function keyState(
  { revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>,
  clock: Clock,
): KeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= toInstant(clock.nowMs()) ? 'expired' : 'active'
}
