const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|([+-])(\d\d):(\d\d))$/
/** The description of what `parseInstant` accepts, as messages to callers give it. */
export const INSTANT_FORM = 'an ISO 8601 timestamp with an explicit offset (Z or ±hh:mm)'
const MINUTE_MS = 60_000

/** The number of days of a month, leap years included. `month` is 1–12. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Whether `YYYY-MM-DD` names a day of the (proleptic Gregorian) calendar. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return false
  return isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/**
 * Reads an ISO 8601 instant with an explicit offset (`Z` or `±hh:mm`) and returns it as UTC text with milliseconds; null
 * for any other text. A finer fraction is cut, wherever the instant stands: a row that was imported with microseconds is
 * found by its own time as it was given. There are no leap seconds, no hour 24, and no years but 0000–9999, because the
 * stored form has none of them.
 */
export function parseInstant(text: string): string | null {
  const match = INSTANT.exec(text)
  if (match === null) return null
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '0',
    fraction = '',
    ,
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = match
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const offsetMinutes = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  const wholeSecond = new Date(0)
  wholeSecond.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  wholeSecond.setUTCHours(Number(hour), Number(minute), Number(second))
  const fractionMs = Number(fraction.slice(0, 3).padEnd(3, '0'))
  return instantFromMs(wholeSecond.getTime() - offsetMinutes * MINUTE_MS + fractionMs)
}

/** Reads an instant of a query string, where the `+` of an offset arrives as a space unless it was encoded. */
export function parseQueryInstant(text: string): string | null {
  return parseInstant(text.replace(/ (?=\d\d:\d\d$)/, '+'))
}

/** UTC text with milliseconds of an instant in ms since the epoch; null outside the years 0000–9999. */
function instantFromMs(ms: number): string | null {
  const text = new Date(ms).toISOString()
  return text.length === 24 ? text : null
}

/**
 * UTC text with milliseconds of an instant in ms since 1970: the form in which every instant is stored and published.
 */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString()
}

/** Formats an instant for people, as `2026-06-15 12:00 UTC`. */
export function readableMinute(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`
}
