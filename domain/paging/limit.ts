const DEFAULT_LIMIT = 100

/**
 * The page size that is used for the `limit` parameters of a request (none, one or several). An invalid or
 * repeated one falls back to 100 and a larger one than the collection allows is capped: it never causes an error.
 */
export function readLimit(given: readonly string[], maximum: number): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(DEFAULT_LIMIT, maximum)
  return Math.min(Number(text), maximum)
}
