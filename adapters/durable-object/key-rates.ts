import type { RateLimiter } from '../../domain/access/rate-limiter.ts'
import type { KeyBudget } from '../../ports/key-budget.ts'
import type { PackedResult } from './protocol.ts'

/**
 * Counts a request of the key whose row a batch has given first, as `CountedBatch` says; null: the key is not proven, or has
 * no rate. Every request of the family comes to its object, so this is the one place that sees all of a key's.
 */
export function countRequest(
  keyId: string,
  [found]: readonly PackedResult[],
  rates: RateLimiter,
): KeyBudget | null {
  const [row] = found?.rows ?? []
  const ratePerMinute = row?.[found?.columns.indexOf('rate_per_minute') ?? -1]
  return typeof ratePerMinute === 'number' ? rates.take(keyId, ratePerMinute) : null
}
