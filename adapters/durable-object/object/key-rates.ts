import type { RateLimiter } from '../../../domain/access/rate-limiter.ts'
import type { KeyBudget } from '../../../ports/organizations.ts'
import type { KeyRow } from '../../sqlite/table/stored-row.ts'
import type { PackedResult } from '../protocol.ts'

/** The column by which requests are counted. */
const RATE_COLUMN: keyof KeyRow = 'rate_per_minute'

/** The first statement of a counted batch does not return the column with the rate, so nothing can be counted. */
export class RateColumnMissingError extends Error {
  override readonly name = 'RateColumnMissingError'
  constructor() {
    super(`The first statement of a counted batch does not return the column ${RATE_COLUMN}`)
  }
}

/**
 * Counts a request of a key against its rate. The first result of the batch has the row of the key, as `CountedBatch`
 * says. Null: the key is not proven, or has no rate. All requests of a family reach the same object, so this count is
 * complete. A column that is missing is an error: otherwise a mistake in a statement would end all rates, unseen.
 */
export function countRequest(
  keyId: string,
  [found]: readonly PackedResult[],
  rates: RateLimiter,
): KeyBudget | null {
  const column = found?.columns.indexOf(RATE_COLUMN) ?? -1
  if (column < 0) throw new RateColumnMissingError()
  const ratePerMinute = found?.rows[0]?.[column]
  return typeof ratePerMinute === 'number' ? rates.take(keyId, ratePerMinute) : null
}
