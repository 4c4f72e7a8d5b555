import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const numbers = new Intl.NumberFormat('en')
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const spans = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** A count, such as 12,345. */
export function countText(count: number): string {
  return numbers.format(count)
}

/** An instant in the reader's time zone; a text that is none stays as it is. */
export function momentText(instant: string): string {
  const at = Date.parse(instant)
  return Number.isNaN(at) ? instant : moments.format(at)
}

/** A day of UTC, such as May 19. */
export function dayText(day: string): string {
  return days.format(Date.parse(day))
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago an instant was, such as “3 hours ago”. */
export function agoText(instant: string, nowMs: number): string {
  const sinceMs = Date.parse(instant) - nowMs
  const [unit, lengthMs] = STEPS.find(([, ms]) => Math.abs(sinceMs) >= ms) ?? ['second', 1_000]
  return spans.format(Math.round(sinceMs / lengthMs), unit)
}

const SIZES = ['bytes', 'kB', 'MB', 'GB'] as const

/** A size in bytes, such as 8.5 MB. */
export function sizeText(bytes: number): string {
  const step = Math.min(SIZES.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1_000 ** step)} ${SIZES[step] ?? ''}`
}

/** A text that somebody else wrote, such as an answer. Its marks of direction turn nothing around it. */
export function TheirText({ text }: { readonly text: string }) {
  return <bdi>{text}</bdi>
}

/** What is shown of a value. A text keeps its marks of direction to itself, so that they turn nothing around it. */
export function isolated(shown: ComponentChildren): ComponentChildren {
  return typeof shown === 'string' && shown !== '' ? <TheirText text={shown} /> : shown
}

/** Where there is no value. It is no zero, and a screen reader says so. */
export const NO_VALUE = <span class="soft">no value</span>

const PAUSE_MS = 300

/** A value that a person is writing, once it has not changed for a moment: not every letter is worth a request. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [value])
  return settled
}
