const LOCAL = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::[0-5]\d(?:\.\d{1,9})?)?)$/

/** The length of an instant of the years 0000 to 9999; instants of other years have a sign and more digits. */
const INSTANT_LENGTH = '2026-01-01T00:00:00.000Z'.length

/** Whether this is the name of a time zone, such as `America/Chicago`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * The UTC instant of a local time such as `2026-03-08 01:59:30.250` in a time zone. For a time that the clocks showed
 * twice, the earlier instant is taken; one that they skipped is counted with the offset before the change, as calendars
 * do. Null for text that is no local time.
 */
export function instantOfLocalTime(text: string, timeZone: string): string | null {
  const [, date, time] = LOCAL.exec(text.trim()) ?? []
  if (date === undefined || time === undefined) return null
  const local = plainDateTime(`${date}T${time}`)
  if (local === null) return null
  const instant = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant()
  const written = instant.toString({ fractionalSecondDigits: 3 })
  return written.length === INSTANT_LENGTH ? written : null
}

/** Parses a local date and time; null: there is no such day in the calendar, or no such time of day. */
function plainDateTime(text: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(text)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
