import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, Route, Switch } from 'wouter-preact'
import { searchText } from '../../../../domain/text/http.ts'
import { Button, CheckField, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { FailureNote, TheirText, countText, momentText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { inboxPath, organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { useAction, useAllPages, useCall, usePages } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import type { Source } from './download.ts'
import {
  AnswersLine,
  DownloadButtons,
  FilterFields,
  NothingFound,
  useFilters,
  type useFormFields,
  type Filters,
} from './inbox.tsx'
import {
  SubmissionView,
  type Submission,
  askedFor,
  readFieldsOf,
  useFieldsOf,
  type Said,
  reasonsText,
  pathOf,
  contactText,
} from './submission.tsx'

/** What came in through an organization's forms: the list, and one submission. */
export function Page({ organizationId }: OrganizationProps) {
  return (
    <Switch>
      <Route path={organizationPath(organizationId, '/submissions/:submissionId')}>
        {({ submissionId }: { readonly submissionId: string }) => (
          <SubmissionView organizationId={organizationId} submissionId={submissionId} />
        )}
      </Route>
      <Route>
        <Inbox organizationId={organizationId} />
      </Route>
    </Switch>
  )
}

/** How often the service is asked for newer submissions, in ms. */
const ASKED_EVERY_MS = 5_000

/** Within this distance of its top, in pixels, a list may grow there without moving what is being read. */
const AT_TOP_PX = 100

/** What came in through the forms of an organization, newest first. New submissions appear by themselves. */
function Inbox({ organizationId }: OrganizationProps) {
  const [filters, choose] = useFilters(inboxPath(organizationId, {}))
  const { params, query } = askedFor(organizationId, filters)
  const forms = useAllPages('organizationForms.list', { params })
  const submissions = usePages('submissions.list', { params, query })
  const ofForm = filters.form === '' ? {} : { query: { formId: filters.form } }
  const unread = useCall('submissions.unread', { params, ...ofForm })
  const newest = useCall(
    'submissions.list',
    { params, query: { ...query, limit: 1 } },
    // A search looks at many rows, so it is not repeated by itself.
    filters.search === '' ? { everyMs: ASKED_EVERY_MS } : {},
  )
  const newestId = newest.state === 'ready' ? newest.data.data[0]?.submissionId : undefined
  const isBehind =
    newestId !== undefined &&
    submissions.state === 'ready' &&
    !submissions.items.some(({ submissionId }) => submissionId === newestId)
  const reload = (): void => {
    submissions.reload()
    unread.reload()
  }
  useEffect(() => {
    if (isBehind && window.scrollY < AT_TOP_PX) reload()
  }, [isBehind, newestId])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const shown = submissions.items.filter(({ submissionId }) => selected.has(submissionId))
  const fieldsOf = useFieldsOf(
    organizationId,
    submissions.items.map(({ formId }) => formId),
  )
  const select = (submissionId: string, isSelected: boolean): void => {
    setSelected((before) => {
      const next = new Set(before)
      if (isSelected) next.add(submissionId)
      else next.delete(submissionId)
      return next
    })
  }
  const mayMark = useMay('submissions.mark')
  const columns = columnsOf({ organizationId, filters, fieldsOf, selected, select: mayMark ? select : null })
  return (
    <>
      <div class="filters">
        <FilterFields filters={filters} onFilters={choose} forms={forms.items} />
        <DownloadButtons
          list={JSON.stringify([params, query])}
          source={sourceOf(organizationId, { params, query })}
        />
      </div>
      {filters.contact !== '' && (
        <p class="note">
          <span>
            Only what the contact <code>{filters.contact}</code> sent is shown.
          </span>
          <Link href={inboxPath(organizationId, { formId: filters.form })}>Show what everybody sent</Link>
        </p>
      )}
      <div role="status">
        {isBehind && (
          <p class="note">
            <span>New submissions came in.</span>
            <Button
              onClick={() => {
                window.scrollTo(0, 0)
                reload()
              }}
            >
              Show them
            </Button>
          </p>
        )}
      </div>
      <Selection
        organizationId={organizationId}
        unread={unread.state === 'ready' ? unread.data : null}
        selected={shown.map(({ submissionId }) => submissionId)}
        isSpam={filters.spam !== ''}
        items={submissions.items}
        onSelected={(ids) => {
          setSelected(new Set(ids))
        }}
        onChanged={() => {
          setSelected(new Set())
          reload()
        }}
      />
      <PagedTable
        label="Submissions"
        pages={submissions}
        columns={columns}
        rowKey={({ submissionId }) => submissionId}
        empty={<NothingFound filters={filters}>It appears here by itself when it does.</NothingFound>}
      />
    </>
  )
}

interface SelectionProps extends OrganizationProps {
  readonly unread: BodyOf<'submissions.unread'> | null
  /** The ids of those that are chosen. */
  readonly selected: readonly string[]
  /** Whether spam is shown. */
  readonly isSpam: boolean
  readonly items: readonly Submission[]
  readonly onSelected: (ids: readonly string[]) => void
  readonly onChanged: () => void
}

/** How many are unread, and what can be done to several at once. */
function Selection({
  organizationId,
  unread,
  selected,
  isSpam,
  items,
  onSelected,
  onChanged,
}: SelectionProps) {
  const [isDeleting, setDeleting] = useState(false)
  const mayMark = useMay('submissions.mark')
  const mayDelete = useMay('submissions.delete')
  const params = { organizationId }
  const mark = useAction(
    async (client, said: Said) => {
      // The service takes some hundreds at once.
      for (let start = 0; start < selected.length; start += AT_ONCE)
        await client.call('submissions.mark', {
          params,
          body: { ids: selected.slice(start, start + AT_ONCE), ...said },
        })
      return selected.length
    },
    (count, said) => {
      toast(`${submissionsText(count)} marked ${saidText(said)}.`)
      onChanged()
    },
  )
  const remove = useAction(
    (client) => client.call('submissions.delete', { params, body: { ids: [...selected] } }),
    (answer) => {
      setDeleting(false)
      toast(`${submissionsText('rows' in answer ? answer.rows : 0)} deleted.`)
      onChanged()
    },
  )
  const isAll = items.length > 0 && selected.length === items.length
  const isNone = selected.length === 0
  return (
    <div class="selection">
      {mayMark && (
        <CheckField
          label="Select all shown"
          isChecked={isAll}
          onChecked={(isChecked) => {
            onSelected(isChecked ? items.slice(0, SELECTED_MAX).map(({ submissionId }) => submissionId) : [])
          }}
        />
      )}
      <p role="status" class="soft">
        {isNone ? unreadText(unread) : `${submissionsText(selected.length)} selected`}
      </p>
      {!isNone && (
        <div class="buttons">
          <Button isRunning={mark.isRunning} onClick={calls(mark.run, { read: true })}>
            Mark read
          </Button>
          <Button isRunning={mark.isRunning} onClick={calls(mark.run, { read: false })}>
            Mark unread
          </Button>
          <Button isRunning={mark.isRunning} onClick={calls(mark.run, { spam: !isSpam })}>
            {isSpam ? 'Not spam' : 'Mark as spam'}
          </Button>
          {mayDelete && (
            <Button kind="danger" onClick={calls(setDeleting, true)}>
              Delete
            </Button>
          )}
        </div>
      )}
      {mark.failure !== null && <FailureNote failure={mark.failure} />}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${submissionsText(selected.length)}?`}
          verb="Delete"
          action={remove}
          onClose={calls(setDeleting, false)}
        >
          What was still to be sent because of them is dropped. The contacts stay. It cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  )
}

function saidText(said: Said): string {
  if ('spam' in said) return said.spam ? 'as spam' : 'as no spam: what was held of them follows now'
  return said.read ? 'read' : 'unread'
}

/** How many submissions one request marks, and how many can be selected: as many as one request deletes. */
const AT_ONCE = 500
const SELECTED_MAX = 5_000

function submissionsText(count: number): string {
  return count === 1 ? '1 submission' : `${countText(count)} submissions`
}

function unreadText(unread: SelectionProps['unread']): string {
  if (unread === null || !('unread' in unread)) return ''
  return unread.unread === 0
    ? 'Nothing is unread.'
    : `${countText(unread.unread)}${unread.isWhole ? '' : '+'} unread`
}

interface ListColumns extends OrganizationProps {
  readonly filters: Filters
  readonly fieldsOf: ReturnType<typeof useFormFields>
  readonly selected: ReadonlySet<string>
  /** Null: who is signed in may only read them. */
  readonly select: ((submissionId: string, isSelected: boolean) => void) | null
}

function columnsOf({
  organizationId,
  filters,
  fieldsOf,
  selected,
  select,
}: ListColumns): readonly Column<Submission>[] {
  const unread = (read: boolean, content: ComponentChildren) =>
    read ? content : <strong class="unread">{content}</strong>
  const choice: readonly Column<Submission>[] =
    select === null
      ? []
      : [
          {
            title: 'Select',
            width: '4rem',
            cell: ({ submissionId, submittedAt }) => (
              <input
                type="checkbox"
                aria-label={`Select what came in ${momentText(submittedAt)}`}
                checked={selected.has(submissionId)}
                onChange={(event) => {
                  select(submissionId, event.currentTarget.checked)
                }}
              />
            ),
          },
        ]
  return [
    ...choice,
    {
      title: 'Submitted',
      width: '12rem',
      cell: ({ submissionId, submittedAt, read }) =>
        unread(
          read,
          <Link href={pathOf(organizationId, submissionId, searchText(filters))}>
            {momentText(submittedAt)}
            {!read && <span class="visually-hidden">, unread</span>}
          </Link>,
        ),
    },
    {
      title: 'Form',
      cell: ({ formName, formId, read }) => unread(read, <TheirText text={formName ?? formId} />),
    },
    {
      title: 'Contact',
      cell: ({ contact, read }) => unread(read, <TheirText text={contactText(contact) ?? 'nobody'} />),
    },
    ...(filters.spam === ''
      ? []
      : [
          {
            title: 'Why',
            cell: ({ spamReasons: reasons }: Submission) => reasonsText(reasons),
          },
        ]),
    {
      title: 'Answers',
      width: 'minmax(0, 2fr)',
      cell: ({ answers, extra, formId }) => (
        <AnswersLine answers={{ ...extra, ...answers }} fields={fieldsOf(formId)} />
      ),
    },
  ]
}

/** Rows of one request for a file: the most that the service answers with. */
const FILE_PAGE_ROWS = 500

/** The list of which a file is made. */
function sourceOf(
  organizationId: string,
  { params, query }: ReturnType<typeof askedFor>,
): Source<Submission> {
  return {
    name: query.formId ?? organizationId,
    readPage: (client, cursor, signal) => {
      const page = { limit: FILE_PAGE_ROWS, ...query, ...(cursor === null ? {} : { cursor }) }
      return client.call('submissions.list', { params, query: page }, signal)
    },
    sheetOf: (submission) => submission,
    readFields: readFieldsOf(organizationId),
  }
}
