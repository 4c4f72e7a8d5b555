import type { KeyBudget, KeyUpkeep, WorkingKey } from '../../ports/keys.ts'
import type { Scope } from '../record/operation/description.ts'
import type { Reply } from '../record/operation/reply.ts'
import type { RoutedRequest } from '../record/operation/routed-request.ts'
import type { PresentedKey } from './api-key.ts'
import { keepUp, type UpkeepWorld } from './key-upkeep.ts'
import { rateLimitHeaders, tooManyRequests } from './rate-limit/rate-limit-reply.ts'
import type { RateLimiter } from './rate-limit/rate-limiter.ts'
import { covers, outOfScope } from './scope.ts'

/** The part of a request that checking its key needs. */
export type KeyedRequest = Pick<RoutedRequest, 'request' | 'url' | 'identified'>

/** The ports that admitting a proven key needs. */
export interface AdmissionWorld extends UpkeepWorld {
  readonly keys: KeyUpkeep
  /** Kept across requests by the host, because it counts in memory. */
  readonly rateLimiter: RateLimiter
}

/** A key that a request has proven to hold. */
export interface ProvenKey {
  readonly presented: PresentedKey
  readonly stored: WorkingKey
  /**
   * What this instance knows of the key's budget, when it was used up before the key was proven; null: it was not known
   * to be.
   */
  readonly spent: KeyBudget | null
  /**
   * The budget as the storage that proved the key has counted it; null: that storage does not count, so this instance
   * does.
   */
  readonly counted: KeyBudget | null
}

/**
 * Decides whether a proven key may make a call, and notes once for each request that the key was used. The rate is
 * checked before the scope, so that requests out of scope count too.
 * @returns the refusal; null: the key may make the call
 */
export function admitKey(
  { presented, stored, spent, counted }: ProvenKey,
  scope: Scope,
  routed: KeyedRequest,
  world: AdmissionWorld,
): Reply | null {
  const { organizationId, keyId, ratePerMinute } = stored
  const counting = () =>
    spent ?? (ratePerMinute === null ? null : world.rateLimiter.take(keyId, ratePerMinute))
  const budget = counted ?? counting()
  if (counted?.isExceeded === true) world.rateLimiter.learn(keyId, counted)
  routed.identified({ organizationId, keyId }, budget === null ? {} : rateLimitHeaders(budget))
  keepUp(presented.text, stored, world.keys, world)
  if (budget?.isExceeded === true) return tooManyRequests(budget)
  return covers(stored.scope, scope) ? null : outOfScope(scope)
}
