/** The page size of a request without `limit`. */
export const DEFAULT_LIMIT = 100

/**
 * How many rows are looked at for a page whose filters select few of many, before it ends early. Storage reads each of
 * them at most twice, so that such a page costs fewer than 20,000 rows read, found ones included.
 */
export const LOOKED_AT_MAX = 9_000

/**
 * The page size for the `limit` parameters of a request (none, one or several). An invalid or repeated one is replaced
 * by the default, and one larger than `maximum` is capped. None is an error.
 */
export function readLimit(given: readonly string[], maximum: number, fallback = DEFAULT_LIMIT): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(fallback, maximum)
  return Math.min(Number(text), maximum)
}
