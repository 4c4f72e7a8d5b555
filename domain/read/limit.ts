/** The page size of a request that asks for none. */
export const DEFAULT_LIMIT = 100

/**
 * The page size that is used for the `limit` parameters of a request (none, one or several). One that is invalid or
 * repeated falls back, and one that is larger than `maximum` is capped: it never causes an error.
 */
export function readLimit(given: readonly string[], maximum: number, fallback = DEFAULT_LIMIT): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(fallback, maximum)
  return Math.min(Number(text), maximum)
}
