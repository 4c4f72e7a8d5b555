import { toInstant } from '../../../domain/text/instant.ts'
import type { InstantRange } from '../../../ports/analytics.ts'

/** A text that sorts after every stored instant and period. */
export const BEHIND_ALL = '~'

/** A range of stored texts, which sort in the order of their times. `until` is excluded. */
export type TextRange = readonly [from: string, until: string]

/**
 * A kind of period for which sums are stored. A period's name is this letter, followed by the first `length` characters
 * of an instant.
 */
interface PeriodKind {
  readonly letter: string
  readonly length: number
}

/**
 * Kinds of periods, each a division of the one before it. Triggers of 0014_analytics_sums.sql and 0018_event_sums.sql
 * maintain their sums.
 */
type PeriodKinds = readonly [PeriodKind, ...PeriodKind[]]

const year: PeriodKind = { letter: 'Y', length: 'YYYY'.length }
const month: PeriodKind = { letter: 'M', length: 'YYYY-MM'.length }
const day: PeriodKind = { letter: 'D', length: 'YYYY-MM-DD'.length }

export const monthsAndDays: PeriodKinds = [month, day]
export const yearsToDays: PeriodKinds = [year, month, day]

/**
 * A range of instants, split into whole periods, for which sums are kept, and the partial periods at its two ends,
 * whose rows are counted one by one.
 */
export interface PeriodSplit {
  /** Names of periods, the coarsest ones in the middle and the finest ones around them. */
  readonly periods: readonly TextRange[]
  /** Ranges of instants. Each lies within one day, whose date is how its first text begins. */
  readonly instants: readonly TextRange[]
}

/**
 * The range as texts, from its first instant up to the first one after it. Where the range has no bound, a text that
 * sorts before or after all stored texts.
 */
function textRangeOf({ start, end }: InstantRange): TextRange {
  const behind = end === null ? BEHIND_ALL : toInstant(Date.parse(end) + 1)
  // A year of more than four digits, which no stored instant has, would sort before all of them.
  return [start ?? '', behind.startsWith('+') ? BEHIND_ALL : behind]
}

/** The values of the slots of statements about a range: its bounds, and the range split at period boundaries. */
export function rangeValues(
  range: InstantRange,
  kinds: PeriodKinds,
): Readonly<Record<'from' | 'until' | 'periods' | 'instants', string>> {
  const [from, until] = textRangeOf(range)
  const { periods, instants } = splitAtPeriods(range, kinds)
  return { from, until, periods: JSON.stringify(periods), instants: JSON.stringify(instants) }
}

/** Splits a range at period boundaries. Rows without a date belong only to a range without bounds. */
export function splitAtPeriods(range: InstantRange, kinds: PeriodKinds): PeriodSplit {
  const whole = textRangeOf(range)
  if (!isSome(whole)) return { periods: [], instants: [] }
  // Rows without a date have the empty text as their period. `0` sorts after that text, and before every date.
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

/**
 * The whole periods inside a range, and the ends that remain. A shortened text sorts before all texts that begin with
 * it.
 */
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
