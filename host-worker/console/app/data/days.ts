/** The start of a day in the reader's time zone, as an instant of UTC; empty: no day. */
export function startOf(day: string): string {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** The day of an instant in the reader's time zone; empty: no instant. */
export function dayOf(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(at.getFullYear()).padStart(4, '0')}-${month ?? ''}-${day ?? ''}`
}
