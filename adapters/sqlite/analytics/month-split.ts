import type { InstantRange } from '../../../ports/analytics.ts'

/** Sorts after every stored instant and month. */
export const BEHIND_ALL = '~'

/** A range of stored texts. They compare as text in the order of their times. */
interface TextRange {
  readonly from: string
  /** Of instants, `to` is included; of months, it is not. */
  readonly until: string
}

const NOTHING: TextRange = { from: BEHIND_ALL, until: '' }

/**
 * A range of instants, split into whole months, for which counts are kept, and the partial months at its two ends,
 * whose rows are counted one by one.
 */
export interface MonthSplit {
  /** `YYYY-MM`, or the empty text, which is the month of rows without a date. */
  readonly months: TextRange
  /** Of instants. */
  readonly head: TextRange
  readonly tail: TextRange
}

/** Splits a range at month borders. Rows without a date belong only to a range that has no bounds. */
export function splitAtMonths({ start, end }: InstantRange): MonthSplit {
  if (start !== null && end !== null && start > end) return { months: NOTHING, head: NOTHING, tail: NOTHING }
  const [first, last] = [start?.slice(0, 7) ?? '', end?.slice(0, 7) ?? '']
  const isWholeFirst = start === null || start === `${first}-01T00:00:00.000Z`
  const isWholeLast = end === null || monthOf(Date.parse(end) + 1) !== last
  if (start !== null && end !== null && first === last && !(isWholeFirst && isWholeLast)) {
    return { months: NOTHING, head: { from: start, until: end }, tail: NOTHING }
  }
  // `2026-01~` sorts after every instant of that month. `0` sorts after the empty text, which is the month of rows
  // without a date, and before every date.
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

/** The month of an instant in ms since the epoch, also after the year 9999. */
function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, -'-01T00:00:00.000Z'.length)
}
