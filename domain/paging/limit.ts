const DEFAULT_LIMIT = 100

/**
 * The page size that is used for the `limit` parameters of a request (none, one or several). An invalid or
 * repeated one falls back (to 100, if nothing else is said) and a larger one than is allowed is capped: it never causes an
 * error.
 */
export function readLimit(given: readonly string[], maximum: number, fallback = DEFAULT_LIMIT): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(fallback, maximum)
  return Math.min(Number(text), maximum)
}
