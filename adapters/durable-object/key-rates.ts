import type { RateLimiter } from '../../domain/access/rate-limiter.ts'
import type { KeyBudget } from '../../ports/key-budget.ts'
import type { PackedResult } from './protocol.ts'

/**
 * Counts a request of the key whose row a batch has given first, as `CountedBatch` says; null: the key is not proven, or has
 * no rate. Every request of the family comes to its object, so this is the one place that sees all of a key's.
 */
export function countRequest(results: readonly PackedResult[], rates: RateLimiter): KeyBudget | null {
  const [found] = results
  const [row] = found?.rows ?? []
  const valueOf = (column: string) => row?.[found?.columns.indexOf(column) ?? -1]
  const [keyId, ratePerMinute] = [valueOf('key_id'), valueOf('rate_per_minute')]
  if (typeof keyId !== 'string' || typeof ratePerMinute !== 'number') return null
  return rates.take(keyId, ratePerMinute)
}
