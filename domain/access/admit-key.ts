import type { KeyUpkeep } from '../../ports/key-upkeep.ts'
import type { WorkingKey } from '../../ports/keyed-storage.ts'
import type { Scope } from '../record/description.ts'
import type { Reply } from '../record/reply.ts'
import type { RoutedRequest } from '../record/routed-request.ts'
import type { PresentedKey } from './api-key.ts'
import type { UpkeepWorld } from './key-upkeep.ts'
import { keepUp } from './key-upkeep.ts'
import { rateLimitHeaders, tooManyRequests } from './rate-limit-reply.ts'
import type { Budget, RateLimiter } from './rate-limiter.ts'
import { covers, outOfScope } from './scope.ts'

/** What of a request matters to its key. */
export type KeyedRequest = Pick<RoutedRequest, 'request' | 'identified'>

/** The ports that admitting a proven key needs. */
export interface AdmissionWorld extends UpkeepWorld {
  readonly keys: KeyUpkeep
  /** Kept across requests by the host. */
  readonly rateLimiter: RateLimiter
}

/** A key that a request has proven to hold. */
export interface ProvenKey {
  readonly presented: PresentedKey
  readonly stored: WorkingKey
  /** The budget of a key that had nothing left before it was proven; null: it may have. */
  readonly spent: Budget | null
}

/**
 * Decides whether a proven key may make a call, and notes that it was used: once for each request. The rate comes before
 * the scope, so that every request counts that costs the service something.
 * @returns the refusal; null: the key may
 */
export function admitKey(
  { presented, stored, spent }: ProvenKey,
  scope: Scope,
  routed: KeyedRequest,
  world: AdmissionWorld,
): Reply | null {
  const { organizationId, keyId, ratePerMinute } = stored
  const budget = spent ?? (ratePerMinute === null ? null : world.rateLimiter.take(keyId, ratePerMinute))
  routed.identified({ organizationId, keyId }, budget === null ? {} : rateLimitHeaders(budget))
  keepUp(presented.text, stored, world.keys, world)
  if (budget?.isExceeded === true) return tooManyRequests(budget)
  return covers(stored.scope, scope) ? null : outOfScope(scope)
}
