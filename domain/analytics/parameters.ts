import type { InstantRange } from '../../ports/analytics.ts'
import { isCalendarDate, parseInstant } from '../text/instant.ts'

/**
 * The value of a parameter, or null. These endpoints predate the strict ones: a parameter that they do not know is ignored,
 * and so is one that is empty or given more than once, since nothing says which value is meant.
 */
export function loneValue(query: URLSearchParams, name: string): string | null {
  const [value = '', ...more] = query.getAll(name)
  return value === '' || more.length > 0 ? null : value
}

/** The bounds given by two parameters, both included. What is neither a day nor an exact instant is ignored. */
export function readRange(query: URLSearchParams, startName: string, endName: string): InstantRange {
  const [start, end] = [loneValue(query, startName), loneValue(query, endName)]
  return { start: start === null ? null : lowerBound(start), end: end === null ? null : upperBound(end) }
}

/** The months (`YYYY-MM`) in which the bounds lie. Nothing is rounded before a bound is cut to its month. */
export function readMonths(query: URLSearchParams, startName: string, endName: string) {
  const month = (text: string | null) =>
    (text === null ? null : upperBound(text))?.slice(0, 'YYYY-MM'.length) ?? null
  return { firstMonth: month(loneValue(query, startName)), lastMonth: month(loneValue(query, endName)) }
}

/** A day from its first instant on, or an exact instant; null when the text is neither. */
function lowerBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T00:00:00.000Z` : parseInstant(text, 'up')
}

/** A day to its last instant, or an exact instant. A fraction finer than milliseconds ends the range just before it. */
function upperBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T23:59:59.999Z` : parseInstant(text, 'down')
}
