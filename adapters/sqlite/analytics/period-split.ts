import { toInstant } from '../../../domain/text/instant.ts'
import type { InstantRange } from '../../../ports/analytics.ts'

/** Sorts after every stored instant and period. */
export const BEHIND_ALL = '~'

/** Stored texts, which compare in the order of their times; `until` is not included. */
export type TextRange = readonly [from: string, until: string]

/** A kind of period for which sums are kept: the letter that its names begin with, then so much of an instant. */
interface PeriodKind {
  readonly letter: string
  readonly length: number
}

/** Kinds of periods, of which the second divides the first. The sums of each are kept by 0014_analytics_sums.sql. */
type PeriodKinds = readonly [coarse: PeriodKind, fine: PeriodKind]

const month: PeriodKind = { letter: 'M', length: 'YYYY-MM'.length }
export const monthsAndDays: PeriodKinds = [month, { letter: 'D', length: 'YYYY-MM-DD'.length }]
export const yearsAndMonths: PeriodKinds = [{ letter: 'Y', length: 'YYYY'.length }, month]

/**
 * A range of instants, split into whole periods, for which sums are kept, and the partial periods at its two ends, whose
 * rows are counted one by one.
 */
export interface PeriodSplit {
  /** Names of periods. Coarse ones in the middle, fine ones around them. */
  readonly periods: readonly TextRange[]
  /** Instants. Each range lies within one fine period, whose name is its first text up to the period's length. */
  readonly instants: readonly TextRange[]
}

/** The range with its first instant, and the first one behind it; not bounded: before, and behind, all stored texts. */
export function textRangeOf({ start, end }: InstantRange): TextRange {
  const behind = end === null ? BEHIND_ALL : toInstant(Date.parse(end) + 1)
  // A year of more than four digits, which no stored instant has, would sort before all of them.
  return [start ?? '', behind.startsWith('+') ? BEHIND_ALL : behind]
}

/** Splits a range at the borders of periods. Rows without a date belong only to a range that has no bounds. */
export function splitAtPeriods(range: InstantRange, kinds: PeriodKinds): PeriodSplit {
  const [from, until] = textRangeOf(range)
  if (from >= until) return { periods: [], instants: [] }
  const [coarse, fine] = kinds
  // `0` sorts after the empty text, which stands for the period of rows without a date, and before every date.
  const isBounded = range.start !== null || range.end !== null
  const middle = splitAt([from, until], coarse, isBounded ? '0' : '')
  const around = middle.ends.map((end) => splitAt(end, fine, ''))
  return {
    periods: [named(coarse, middle.whole), ...around.map(({ whole }) => named(fine, whole))].filter(isSome),
    instants: around.flatMap(({ ends }) => ends),
  }
}

/** The whole periods of a range, and its ends. A text that is cut short sorts before all that it begins. */
function splitAt([from, until]: TextRange, { length }: PeriodKind, first: string) {
  const [head, tail] = [from.slice(0, length), until.slice(0, length)]
  const behindHead = head + BEHIND_ALL
  const beginsWhole = from === '' || isFirstOf(from, length)
  const whole: TextRange = [from === '' ? first : beginsWhole ? head : behindHead, tail]
  const inHead: TextRange = [from, until < behindHead ? until : behindHead]
  const inTail: TextRange = [tail, until]
  const hasTail = !isFirstOf(until, length) && (beginsWhole || head !== tail)
  return { whole, ends: [...(beginsWhole ? [] : [inHead]), ...(hasTail ? [inTail] : [])] }
}

/** Whether a text is the first instant of its period, or the period itself. */
function isFirstOf(text: string, length: number): boolean {
  return text.length <= length || text === `${text.slice(0, length)}${FIRST_INSTANT.slice(length)}`
}

const FIRST_INSTANT = 'YYYY-01-01T00:00:00.000Z'

function named({ letter }: PeriodKind, [from, until]: TextRange): TextRange {
  return [letter + from, letter + until]
}

function isSome([from, until]: TextRange): boolean {
  return from < until
}
