import type { KeyBudget } from '../../../ports/keys.ts'
import { errorReply, type Reply } from '../../record/operation/reply.ts'
import { RATE_WINDOW_MS } from './rate-limiter.ts'

/**
 * The headers by which every answer to a key with a rate says how much is left: structured fields of
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. `q` requests within `w` seconds; `r` more for the next `t`
 * seconds.
 */
export function rateLimitHeaders(budget: KeyBudget): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"minute";q=${budget.ratePerMinute};w=${RATE_WINDOW_MS / 1000}`,
    ratelimit: `"minute";r=${budget.remaining};t=${secondsUntilMore(budget)}`,
  }
}

/** The answer to a request beyond the key's rate. */
export function tooManyRequests(budget: KeyBudget): Reply {
  return errorReply(429, beyondRate(budget), { 'retry-after': String(secondsUntilMore(budget)) })
}

/** The sentence for a request beyond the key's rate. */
export function beyondRate(budget: KeyBudget): string {
  return `This key has a rate of ${budget.ratePerMinute} requests a minute. Try again in ${secondsUntilMore(budget)} seconds.`
}

/** Whole seconds, rounded up, so that a client that waits that long is admitted. */
function secondsUntilMore({ renewsInMs }: KeyBudget): number {
  return Math.ceil(renewsInMs / 1000)
}
