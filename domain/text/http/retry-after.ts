/**
 * The pause that a `Retry-After` header asks for, in ms (RFC 9110, section 10.2.3: seconds, or a date). Null when the
 * header is missing or not usable.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
