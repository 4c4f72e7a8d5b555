import { Fragment, type ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { Failure } from '../service/client.ts'
import type { Reading } from '../service/hooks.ts'
import { breakableParts } from './breakable.ts'
import { Button } from './controls.tsx'

/** A page above the present one. */
interface Crumb {
  readonly title: string
  readonly path: string
}

interface PageHeaderProps {
  readonly title: string
  readonly crumbs?: readonly Crumb[]
  readonly actions?: ComponentChildren | undefined
  readonly children?: ComponentChildren
}

/**
 * The head of every page. It names the document, and takes the focus when another page is shown, so that a screen reader
 * reads its title.
 */
export function PageHeader({ title, crumbs = [], actions, children }: PageHeaderProps) {
  const [location] = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Console`
  }, [title])
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [location])
  return (
    <header class="page-head">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb">
          <ol class="crumbs">
            {crumbs.map((crumb) => (
              <li key={crumb.path}>
                <Link href={crumb.path}>{crumb.title}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="page-title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </header>
  )
}

interface TabsProps {
  /** What the tabs are of, for a screen reader. */
  readonly label: string
  readonly tabs: readonly { readonly title: string; readonly href: string; readonly isHere: boolean }[]
}

/** Links to the pages of one thing, with a mark at the present one. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} class="tabs">
      <ul>
        {tabs.map(({ title, href, isHere }) => (
          <li key={title}>
            <Link href={href} aria-current={isHere ? 'page' : undefined}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A titled part of a page. */
export function Card({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

/** A number with what it counts, and a remark. */
export function Figure({
  label,
  value,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="figure">
      <p class="figure-label">{label}</p>
      <p class="figure-value">{value}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}

/** Names with their values. Null shows that there is no value. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value], place) => (
        // Two fields of a form may be called the same.
        <div key={`${place} ${name}`}>
          <dt>
            <TheirText text={name} />
          </dt>
          <dd>{value === null || value === '' ? <span class="soft">none</span> : isolated(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

export type Tone = 'good' | 'bad' | 'waiting' | 'neutral'

/** A state in a word. The colour says nothing that the word does not. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${tone}`}>{children}</span>
}

interface ProgressProps {
  /** What is making progress. */
  readonly label: string
  /** How much is done, from 0 to `most`; null: nobody knows. */
  readonly done: number | null
  readonly most: number
}

/** A bar that shows how far something is. */
export function ProgressBar({ label, done, most }: ProgressProps) {
  return <progress aria-label={label} {...(done === null || most === 0 ? {} : { value: done, max: most })} />
}

/** Says why something was not read or done, and offers to try again. */
export function FailureNote({
  failure,
  onRetry,
}: {
  readonly failure: Failure
  readonly onRetry?: () => void
}) {
  return (
    <div class={`note ${failure.kind === 'offline' ? 'offline' : 'failed'}`} role="alert">
      <p>
        {failure.kind === 'offline' && <strong>Offline. </strong>}
        {failure.message}
      </p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** What is shown where there is nothing: what would be here, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}

/** The place of something that is being read. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="loading">
      <p class="visually-hidden" role="status">
        Loading…
      </p>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="bone" aria-hidden="true" />
      ))}
    </div>
  )
}

interface ShownProps<Data> {
  readonly reading: Reading<Data>
  /** How many lines high its place is while it is loading. */
  readonly lines?: number
  readonly children: (data: Data) => ComponentChildren
}

/** Shows what was read, and its states before and instead of that. */
export function Shown<Data>({ reading, lines = 3, children }: ShownProps<Data>) {
  if (reading.state === 'loading') return <Loading lines={lines} />
  if (reading.state === 'failed') return <FailureNote failure={reading.failure} onRetry={reading.reload} />
  return (
    <>
      {reading.failure !== null && <FailureNote failure={reading.failure} onRetry={reading.reload} />}
      {children(reading.data)}
    </>
  )
}

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

/**
 * A text that somebody else wrote, such as an answer. Its marks of direction turn nothing around it, and a long address or
 * id is broken behind a mark, if it must be broken.
 */
export function TheirText({ text }: { readonly text: string }) {
  const [first = '', ...rest] = breakableParts(text)
  return (
    <bdi>
      {first}
      {rest.map((part, place) => (
        <Fragment key={place}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </bdi>
  )
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

/** The only thing that the console stores, and only when somebody chose it. */
const STORED_AS = 'console-theme'
const DARK = '(prefers-color-scheme: dark)'

/** Shows the stored choice of light or dark. Without one, the style sheet follows the system. */
export function followTheme(): void {
  try {
    const stored = window.localStorage.getItem(STORED_AS)
    if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
  } catch {
    // Without storage nothing was chosen.
  }
}

/** Changes between light and dark. */
export function ThemeButton() {
  const [isDark, setDark] = useState(isDarkNow)
  useEffect(() => {
    const system = window.matchMedia(DARK)
    const follow = (): void => {
      setDark(isDarkNow())
    }
    system.addEventListener('change', follow)
    return () => {
      system.removeEventListener('change', follow)
    }
  }, [])
  const change = (): void => {
    const other = isDark ? 'light' : 'dark'
    document.documentElement.dataset.theme = other
    setDark(!isDark)
    try {
      window.localStorage.setItem(STORED_AS, other)
    } catch {
      // Without storage the choice ends with the page.
    }
  }
  return (
    <Button kind="quiet" onClick={change}>
      {isDark ? 'Light' : 'Dark'}
    </Button>
  )
}

function isDarkNow(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? window.matchMedia(DARK).matches : theme === 'dark'
}
