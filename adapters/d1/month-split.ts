import type { InstantRange } from '../../ports/analytics.ts'

/** Sorts behind every instant and every month that is stored. */
export const BEHIND_ALL = '~'

/** Stored texts from one on, up to another: as text they compare as the times do. */
interface TextRange {
  readonly from: string
  /** Included among instants, not among months. */
  readonly until: string
}

const NOTHING: TextRange = { from: BEHIND_ALL, until: '' }

/**
 * A range of instants as whole months, of which counts are kept, and what remains of the months at its two ends, whose
 * rows are looked at one by one.
 */
export interface MonthSplit {
  /** Of `YYYY-MM`, and of the empty text, which stands for the month of what has no date. */
  readonly months: TextRange
  /** Of instants. */
  readonly head: TextRange
  readonly tail: TextRange
}

/** Splits a range at the months. What has no date is in a range without bounds, and in no other. */
export function splitAtMonths({ start, end }: InstantRange): MonthSplit {
  if (start !== null && end !== null && start > end) return { months: NOTHING, head: NOTHING, tail: NOTHING }
  const [first, last] = [start?.slice(0, 7) ?? '', end?.slice(0, 7) ?? '']
  const isWholeFirst = start === null || start === `${first}-01T00:00:00.000Z`
  const isWholeLast = end === null || monthOf(Date.parse(end) + 1) !== last
  if (start !== null && end !== null && first === last && !(isWholeFirst && isWholeLast)) {
    return { months: NOTHING, head: { from: start, until: end }, tail: NOTHING }
  }
  // `2026-01~` lies behind all of that month, and everything that has a date begins with a digit.
  const undated = end === null ? '' : '0'
  return {
    months: {
      from: start === null ? undated : isWholeFirst ? first : first + BEHIND_ALL,
      until: end === null ? BEHIND_ALL : isWholeLast ? last + BEHIND_ALL : last,
    },
    head: isWholeFirst ? NOTHING : { from: start, until: first + BEHIND_ALL },
    tail: isWholeLast ? NOTHING : { from: last, until: end },
  }
}

/** The month of an instant in ms since the epoch, behind the year 9999 too. */
function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, -'-01T00:00:00.000Z'.length)
}
