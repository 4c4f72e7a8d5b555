import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { answerLines, type shownFields } from '../../../../domain/forms/shown-answers.ts'
import { searchText } from '../../../../domain/text/http.ts'
import { Button, SelectField, TextField, calls, saveText, toast, withGiven } from '../kit/controls.tsx'
import { Empty, Facts, FailureNote, TheirText, countText, useSettled } from '../kit/page.tsx'
import { ClientContext } from '../service/client.ts'
import { useLongAction, type Pages } from '../service/hooks.ts'
import type { Format, ReadFields, Source, TextFile } from './download.ts'

// What the inboxes of operators and of tenants have in common.

type Fields = ReturnType<typeof shownFields>
type Answers = Readonly<Record<string, unknown>>

const NO_FIELDS: Fields = []

/**
 * The fields of forms by their id, each read once. Until they are there, and when they cannot be read, there are none, and
 * answers are shown by the ids of fields.
 */
export function useFormFields(formIds: readonly string[], read: ReadFields): (formId: string) => Fields {
  const client = useContext(ClientContext)
  const [known, setKnown] = useState<ReadonlyMap<string, Fields>>(new Map())
  const wanted = [...new Set(formIds)].filter((formId) => !known.has(formId))
  useEffect(() => {
    const stopped = new AbortController()
    const [formId] = wanted
    if (formId === undefined) return
    const settle = (fields: Fields): void => {
      if (!stopped.signal.aborted) setKnown((before) => new Map(before).set(formId, fields))
    }
    read(client, formId, stopped.signal).then(settle, () => {
      settle(NO_FIELDS)
    })
    return () => {
      stopped.abort()
    }
    // One form at a time: whatever is still wanted follows.
  }, [client, wanted[0]])
  return (formId) => known.get(formId) ?? NO_FIELDS
}

/** How many characters of answers fit a line of the list. */
const LINE_LENGTH = 200

/** The first answers in one line, the last of them cut, each by itself: what one of them has in it turns no other. */
export function AnswersLine({ answers, fields }: { readonly answers: Answers; readonly fields: Fields }) {
  let left = LINE_LENGTH
  const shown = answerLines(answers, fields).flatMap(({ id, label, value }) => {
    const text = value.slice(0, Math.max(0, left))
    left -= text.length
    return text === '' ? [] : [{ id, label, text }]
  })
  return (
    <span>
      {shown.map(({ id, label, text }, place) => (
        <span key={id}>
          {place > 0 && ' · '}
          <span class="soft">
            <TheirText text={label} />{' '}
          </span>
          <TheirText text={text} />
        </span>
      ))}
    </span>
  )
}

/** Every answer under its label. */
export function AnswerFacts({ answers, fields }: { readonly answers: Answers; readonly fields: Fields }) {
  const lines = answerLines(answers, fields)
  if (lines.length === 0) return <Empty title="No answers are stored." />
  return <Facts facts={lines.map(({ label, value }) => [label, value] as const)} />
}

/** What of an inbox is in its address. */
export const FILTERS = ['form', 'contact', 'search', 'from', 'to', 'spam'] as const
export type Filters = Readonly<Record<(typeof FILTERS)[number], string>>

/** The filters in the address, and how others are chosen. */
export function useFilters(path: string): readonly [Filters, (next: Partial<Filters>) => void] {
  const [, navigate] = useLocation()
  const given = new URLSearchParams(useSearch())
  const filters = Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ''])) as Filters
  return [
    filters,
    (next) => {
      navigate(path + searchText({ ...filters, ...next }), { replace: true })
    },
  ]
}

/** The instant at which a day begins in the reader's time zone, some days later; null: no day. */
export function beginningOf(day: string, daysLater = 0): string | null {
  // While a person types a year, the control has those of antiquity.
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(day)) return null
  const at = new Date(`${day}T00:00:00`)
  if (Number.isNaN(at.getTime()) || at.getFullYear() > 9998) return null
  at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}

interface FilterFieldsProps {
  readonly filters: Filters
  readonly onFilters: (next: Partial<Filters>) => void
  readonly forms: readonly { readonly formId: string; readonly name: string }[]
}

/** The parameter of a list that shows spam apart: `spam` has any text in the address of the list of spam. */
export function spamAsked({ spam }: Filters): { readonly spam: 'true' | 'false' } {
  return { spam: spam === '' ? 'false' : 'true' }
}

/** The controls that narrow an inbox. */
export function FilterFields({ filters, onFilters, forms }: FilterFieldsProps) {
  const [text, setText] = useState(filters.search)
  const settled = useSettled(text.trim())
  useEffect(() => {
    if (settled !== filters.search) onFilters({ search: settled })
  }, [settled])
  return (
    <>
      <SelectField
        label="Show"
        value={filters.spam === '' ? '' : 'yes'}
        onValue={(spam) => {
          onFilters({ spam })
        }}
        options={[
          { value: '', label: 'Inbox' },
          { value: 'yes', label: 'Spam' },
        ]}
      />
      <SelectField
        label="Form"
        value={filters.form}
        onValue={(form) => {
          onFilters({ form })
        }}
        options={withGiven(filters.form, [
          { value: '', label: 'All forms' },
          ...forms.map(({ formId: value, name }) => ({ value, label: name })),
        ])}
      />
      <TextField label="Search answers" type="search" value={text} onValue={setText} maxLength={200} />
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={name === 'from' ? 'From' : 'To'}
          type="date"
          value={filters[name]}
          onValue={(day) => {
            onFilters({ [name]: day })
          }}
        />
      ))}
    </>
  )
}

interface NothingFoundProps {
  readonly filters: Filters
  /** What to know while nothing came in. */
  readonly children?: ComponentChildren
}

/** In place of a list in which nothing is. */
export function NothingFound({ filters, children }: NothingFoundProps) {
  if (filters.spam !== '')
    return (
      <Empty title="Nothing was taken for spam.">
        What is taken for spam appears here, with the reasons.
      </Empty>
    )
  return filters.search + filters.from + filters.to === '' ? (
    <Empty title="Nothing came in yet.">{children}</Empty>
  ) : (
    <Empty title="Nothing was found.">
      A search finds what was answered as it is stored, of an option its value.
    </Empty>
  )
}

interface DownloadButtonsProps<Submission extends object> {
  /** Names the list. When it becomes another one, a file that is being made is given up. */
  readonly list: string
  readonly source: Source<Submission>
}

/** Downloads every submission that the list has, in the formats of the operator's command. */
export function DownloadButtons<Submission extends object>({
  list,
  source,
}: DownloadButtonsProps<Submission>) {
  const download = useLongAction<number, Format, TextFile>(
    async (client, format, work) => {
      const { fileOf } = await import('./download.ts')
      return fileOf(client, source, format, work)
    },
    ({ name, type, parts, isCut }) => {
      saveText(name, type, ...parts)
      const left = ' Older submissions were not looked at: choose days for them.'
      toast(`${name} is being downloaded.${isCut ? left : ''}`)
    },
  )
  useEffect(() => download.stop, [list])
  return (
    <div class="downloads">
      <div class="buttons">
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button key={format} isRunning={download.isRunning} onClick={calls(download.run, format)}>
            Download {format.toUpperCase()}
          </Button>
        ))}
        {download.isRunning && <Button onClick={download.stop}>Stop</Button>}
      </div>
      <p role="status" class="soft">
        {download.isRunning && `${countText(download.progress ?? 0)} read so far`}
      </p>
      {download.failure !== null && <FailureNote failure={download.failure} />}
    </div>
  )
}

interface NeighboursProps {
  readonly submissionId: string
  /** The list in which it is. */
  readonly pages: Pages<{ readonly submissionId: string }>
  readonly pathOf: (submissionId: string) => string
  /** The address of the list. */
  readonly listPath: string
}

/** How many submissions are read to find one in its list. */
const FOUND_AMONG_MAX = 2_000

/** Whether more of a list is read to find one in it. */
export function isSearched({ items, hasMore, isReading, failure }: Pages<unknown>): boolean {
  return failure === null && (isReading || (hasMore && items.length < FOUND_AMONG_MAX))
}

/** The way back to the list, and to the next and the previous of it: also by the keys j and k. */
export function Neighbours({ submissionId, pages, pathOf, listPath }: NeighboursProps) {
  const [, navigate] = useLocation()
  const { items, hasMore, isReading, failure, more } = pages
  const place = items.findIndex((one) => one.submissionId === submissionId)
  const isAtEnd = place < 0 || place === items.length - 1
  useEffect(() => {
    if (isAtEnd && !isReading && isSearched(pages)) more()
  }, [isAtEnd, hasMore, isReading, failure, items.length])
  const next = place < 0 ? undefined : items[place + 1]
  const previous = place < 0 ? undefined : items[place - 1]
  const go = (to: typeof next): void => {
    if (to !== undefined) navigate(pathOf(to.submissionId), { replace: true })
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'j') go(next)
      if (event.key === 'k') go(previous)
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
    }
  }, [next?.submissionId, previous?.submissionId])
  const button = (verb: string, key: string, to: typeof next) => (
    <Button
      aria-disabled={to === undefined ? 'true' : undefined}
      aria-keyshortcuts={key}
      onClick={calls(go, to)}
    >
      {verb} <kbd>{key}</kbd>
    </Button>
  )
  return (
    <nav class="neighbours" aria-label="Submissions">
      <Link href={listPath}>All submissions</Link>
      <p role="status" class="soft">
        {place >= 0 && `${countText(place + 1)} of ${countText(items.length)}${hasMore ? '+' : ''}`}
      </p>
      <div class="buttons">
        {button('Previous', 'k', previous)}
        {button('Next', 'j', next)}
      </div>
    </nav>
  )
}

/** Whether a key goes into a control, or into a dialog that is open. */
function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}
