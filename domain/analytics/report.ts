import * as v from 'valibot'
import type { ParameterReading, QueryParameter } from '../record/operation.ts'
import { readLimit } from '../read/query.ts'
import { isCalendarDate, parseInstant } from '../text/instant.ts'
import { described } from '../record/meaning.ts'
import type { Analytics } from '../../ports/analytics.ts'
import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { ExitSurveySource } from '../../ports/sources.ts'

// These endpoints are older than the strict ones. They ignore a parameter that they do not know, and one that is empty
// or given more than once, because then it is unclear which value is meant.

const BOUND =
  'A day (`YYYY-MM-DD`, UTC) or an ISO 8601 instant with an explicit offset (`+` is written `%2B`). Any other value, and a parameter given more than once, is ignored.'

type Bound = QueryParameter<string | null>

function bound(meaning: string, example: string, read: (text: string) => string | null): Bound {
  return {
    description: `${meaning} ${BOUND}`,
    schema: v.string(),
    example,
    read: lenient((text) => (text === null ? null : read(text))),
  }
}

/**
 * The parameter for the lower bound of a time; its value is the first instant that is included.
 * @param what the end of a sentence that begins with the bound
 */
export function startOf(what: string, read: (text: string) => string | null = lowerBound): Bound {
  const meaning = `Inclusive lower bound on ${what}; a day counts from its first instant.`
  return bound(meaning, '2026-01-01', read)
}

/** The parameter for the upper bound of a time; its value is the last instant that is included. */
export function endOf(what: string, read: (text: string) => string | null = upperBound): Bound {
  return bound(`Inclusive upper bound on ${what}; a day counts to its last instant.`, '2026-03-31', read)
}

/** The two parameters for the bounds of a time. */
export function rangeOf(what: string) {
  return { start: startOf(what), end: endOf(what) }
}

/** The two parameters for the bounds of a month (`YYYY-MM`). A bound is cut to its month without rounding. */
export function monthsOf(what: string) {
  const monthOf = (text: string) => upperBound(text)?.slice(0, 'YYYY-MM'.length) ?? null
  return { start: startOf(what, monthOf), end: endOf(what, monthOf) }
}

/**
 * A parameter that is one of several words; the first one is the default.
 * @param otherwise what any other text means
 */
export function wordOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
  otherwise: (words: Words) => ParameterReading<Words[number]>,
): QueryParameter<Words[number]> {
  return {
    description,
    schema: v.optional(v.picklist(words), words[0]),
    read: (given) => {
      const text = loneValue(given) ?? words[0]
      const value = words.find((word) => word === text)
      return value === undefined ? otherwise(words) : { kind: 'value', value }
    },
  }
}

/** The size of a page. */
export function limitOf(description: string, fallback: number, maximum: number): QueryParameter<number> {
  const schema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maximum))
  return {
    description,
    schema: v.optional(schema, fallback),
    read: (given) => ({ kind: 'value', value: readLimit(given, maximum, fallback) }),
  }
}

/** The parameter for how many rows to skip: a whole number up to `maximum`. Any other value means 0. */
export function offsetOf(description: string, maximum: number): QueryParameter<number> {
  return {
    description,
    schema: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
    read: lenient((text) => (text !== null && /^\d+$/.test(text) ? Math.min(Number(text), maximum) : 0)),
  }
}

/** A reader that never refuses a value. */
function lenient<Value>(read: (text: string | null) => Value): QueryParameter<Value>['read'] {
  return (given) => ({ kind: 'value', value: read(loneValue(given)) })
}

/** The text of a parameter; null when it is missing, empty or repeated. */
function loneValue([text = '', ...more]: readonly string[]): string | null {
  return text === '' || more.length > 0 ? null : text
}

/** The first instant of a day, or an exact instant; null when the text is neither. */
function lowerBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T00:00:00.000Z` : parseInstant(text)
}

/** The last instant of a day, or an exact instant; null when the text is neither. */
function upperBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T23:59:59.999Z` : parseInstant(text)
}

/** The parts that the bodies of several reports are made of. */

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const cents = v.pipe(v.number(), v.safeInteger())
const instant = v.pipe(v.string(), v.isoTimestamp())

/** A percentage, described by what it is a percentage of; null when the whole is zero. */
export function percentageOf(meaning: string) {
  return described(
    v.nullable(v.pipe(v.number(), v.minValue(0))),
    `${meaning} A percentage to two decimals, halves up; null when there is nothing to divide by.`,
  )
}

export const organizationId = described(v.string(), 'The organization bound to the key.')

export const dateRange = described(
  v.strictObject({ start: v.nullable(instant), end: v.nullable(instant) }),
  'The bounds as applied, both included, as exact instants; null: none was given, or it was ignored.',
)

/** The ports that the analytics need. */
export interface AnalyticsWorld {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}
