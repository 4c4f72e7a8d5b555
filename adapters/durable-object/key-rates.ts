import type { RateLimiter } from '../../domain/access/rate-limiter.ts'
import type { KeyBudget } from '../../ports/key-budget.ts'
import type { PackedResult } from './protocol.ts'

/**
 * Counts a request of a key against its rate. The first result of the batch has the row of the key, as `CountedBatch`
 * says. Null: the key is not proven, or has no rate. All requests of a family reach the same object, so this count is
 * complete.
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
