import type { InstantRange } from '../../ports/analytics.ts'

/** Whether an instant lies within a range, both bounds included; an unknown one (null) does in none that has a bound. */
export function isWithin(instant: string | null, { start, end }: InstantRange): boolean {
  if (instant === null) return start === null && end === null
  return (start === null || instant >= start) && (end === null || instant <= end)
}
