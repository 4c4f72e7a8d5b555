import type { Administration, StoredKey } from '../../ports/administration.ts'
import type { Background } from '../../ports/background.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Scope } from '../record/description.ts'
import type { Reply } from '../record/reply.ts'
import type { RoutedRequest } from '../record/routed-request.ts'
import { toInstant } from '../text/instant.ts'
import type { PresentedKey } from './api-key.ts'
import { hashKey } from './api-key.ts'
import { rateLimitHeaders, tooManyRequests } from './rate-limit-reply.ts'
import type { Budget, RateLimiter } from './rate-limiter.ts'
import { covers, outOfScope } from './scope.ts'
import type { Secrets } from './secrets.ts'

/** What of a request matters to its key. */
export type KeyedRequest = Pick<RoutedRequest, 'request' | 'identified'>

/** The ports that admitting a proven key needs. */
export interface AdmissionWorld {
  readonly keys: Pick<Administration, 'rehashKey' | 'noteKeyUse'>
  readonly secrets: Secrets
  readonly background: Background
  readonly clock: Clock
  /** Kept across requests by the host. */
  readonly rateLimiter: RateLimiter
}

/** A key that a request has proven to hold. */
export interface ProvenKey {
  readonly presented: PresentedKey
  readonly stored: StoredKey
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
  rehashAfterRotation(presented, stored, world)
  noteUse(stored, world)
  if (budget?.isExceeded === true) return tooManyRequests(budget)
  return covers(stored.scope, scope) ? null : outOfScope(scope)
}

/** A key hashed under the previous root secret moves to the current one on its first use. */
function rehashAfterRotation(presented: PresentedKey, stored: StoredKey, world: AdmissionWorld): void {
  const { current } = world.secrets
  if (stored.secretVersion === current.version) return
  const rehash = async () => {
    await world.keys.rehashKey(stored.keyId, await hashKey(presented.text, current), current.version)
  }
  world.background.run(rehash())
}

const HOUR_MS = 3_600_000

/** Uses are noted to the hour: a key costs one write an hour, however many requests come with it. */
function noteUse({ keyId, lastUsedAt }: StoredKey, { keys, background, clock }: AdmissionWorld): void {
  const nowMs = clock.nowMs()
  const hour = toInstant(nowMs - (nowMs % HOUR_MS))
  if (lastUsedAt === null || lastUsedAt < hour) background.run(keys.noteKeyUse(keyId, hour))
}
