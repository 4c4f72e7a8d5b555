import { parseInstant, toInstant } from '../../../domain/text/instant.ts'

const LOCAL = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/
const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether this is the name of a time zone, such as `America/Chicago`. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/**
 * The UTC instant of a local time such as `2026-03-08 01:59:30.250` in a time zone. A time that the clocks showed twice
 * is the earlier of the two; one that they skipped counts on from before the change, as calendars do. Null for text that
 * is no local time.
 */
export function instantOfLocalTime(text: string, timeZone: string): string | null {
  const match = LOCAL.exec(text.trim())
  if (match === null) return null
  const asUtc = parseInstant(`${match[1]}T${match[2]}Z`, 'down')
  if (asUtc === null) return null
  const localMs = Date.parse(asUtc)
  const offsetBeforeMs = offsetAt(localMs - DAY_MS, timeZone)
  const offsetAfterMs = offsetAt(localMs + DAY_MS, timeZone)
  const candidates = [offsetBeforeMs, offsetAfterMs]
    .map((offsetMs) => ({ offsetMs, instantMs: localMs - offsetMs }))
    .filter(({ offsetMs, instantMs }) => offsetAt(instantMs, timeZone) === offsetMs)
    .map(({ instantMs }) => instantMs)
  const instantMs = candidates.length === 0 ? localMs - offsetBeforeMs : Math.min(...candidates)
  return isWithinFourDigitYears(instantMs) ? toInstant(instantMs) : null
}

/** The local time in a time zone of a UTC instant, as `YYYY-MM-DD HH:MM:SS.mmm`. */
export function localTimeOfInstant(instant: string, timeZone: string): string {
  const instantMs = Date.parse(instant)
  return toInstant(instantMs + offsetAt(instantMs, timeZone))
    .replace('T', ' ')
    .replace('Z', '')
}

/** How far the clocks of a time zone are ahead of UTC at an instant, to the second, as old zones need. */
function offsetAt(instantMs: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, value]),
  )
  const shown = new Date(0)
  shown.setUTCFullYear(yearOf(parts), Number(parts.month) - 1, Number(parts.day))
  shown.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
  return shown.getTime() - Math.floor(instantMs / 1000) * 1000
}

function yearOf(parts: Readonly<Record<string, string>>): number {
  return parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
}

function isWithinFourDigitYears(ms: number): boolean {
  return new Date(ms).toISOString().length === 24
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}
