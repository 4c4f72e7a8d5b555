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

/**
 * Kinds of periods, each of which divides the one before it. 0014_analytics_sums.sql and 0018_event_sums.sql keep their
 * sums.
 */
type PeriodKinds = readonly [PeriodKind, ...PeriodKind[]]

const year: PeriodKind = { letter: 'Y', length: 'YYYY'.length }
const month: PeriodKind = { letter: 'M', length: 'YYYY-MM'.length }
const day: PeriodKind = { letter: 'D', length: 'YYYY-MM-DD'.length }

export const monthsAndDays: PeriodKinds = [month, day]
export const yearsToDays: PeriodKinds = [year, month, day]

/**
 * A range of instants, split into whole periods, for which sums are kept, and the partial periods at its two ends, whose
 * rows are counted one by one.
 */
export interface PeriodSplit {
  /** Names of periods, the coarsest ones in the middle and the finest ones around them. */
  readonly periods: readonly TextRange[]
  /** Instants. Each range lies within one day, with which its first text begins. */
  readonly instants: readonly TextRange[]
}

/** The range with its first instant, and the first one behind it; not bounded: before, and behind, all stored texts. */
function textRangeOf({ start, end }: InstantRange): TextRange {
  const behind = end === null ? BEHIND_ALL : toInstant(Date.parse(end) + 1)
  // A year of more than four digits, which no stored instant has, would sort before all of them.
  return [start ?? '', behind.startsWith('+') ? BEHIND_ALL : behind]
}

/** The values of the slots that statements about a range have: its bounds, and the range split at the borders of periods. */
export function rangeValues(
  range: InstantRange,
  kinds: PeriodKinds,
): Readonly<Record<'from' | 'until' | 'periods' | 'instants', string>> {
  const [from, until] = textRangeOf(range)
  const { periods, instants } = splitAtPeriods(range, kinds)
  return { from, until, periods: JSON.stringify(periods), instants: JSON.stringify(instants) }
}

/** Splits a range at the borders of periods. Rows without a date belong only to a range that has no bounds. */
export function splitAtPeriods(range: InstantRange, kinds: PeriodKinds): PeriodSplit {
  const whole = textRangeOf(range)
  if (!isSome(whole)) return { periods: [], instants: [] }
  // `0` sorts after the empty text, which stands for the period of rows without a date, and before every date.
  const isBounded = range.start !== null || range.end !== null
  const periods: TextRange[] = []
  let ends: readonly TextRange[] = [whole]
  for (const kind of kinds) {
    const parts = ends.map((end) => splitAt(end, kind, isBounded ? '0' : ''))
    periods.push(...parts.map(({ inside }) => named(kind, inside)).filter(isSome))
    ends = parts.flatMap((part) => part.ends)
  }
  return { periods, instants: ends }
}

interface Part {
  readonly inside: TextRange
  readonly ends: readonly TextRange[]
}

/** The whole periods inside a range, and its ends. A text that is cut short sorts before all that it begins. */
function splitAt([from, until]: TextRange, { length }: PeriodKind, first: string): Part {
  const [head, tail] = [from.slice(0, length), until.slice(0, length)]
  const behindHead = head + BEHIND_ALL
  const beginsWhole = from === '' || isFirstOf(from, length)
  const inside: TextRange = [from === '' ? first : beginsWhole ? head : behindHead, tail]
  const inHead: TextRange = [from, until < behindHead ? until : behindHead]
  const inTail: TextRange = [tail, until]
  const hasTail = !isFirstOf(until, length) && (beginsWhole || head !== tail)
  return { inside, ends: [...(beginsWhole ? [] : [inHead]), ...(hasTail ? [inTail] : [])] }
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
