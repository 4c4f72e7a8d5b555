import { useEffect } from 'preact/hooks'
import { Link, Route, Switch, useLocation, useSearch } from 'wouter-preact'
import { Button, calls } from '../kit/button.tsx'
import { SelectField, withGiven } from '../kit/field.tsx'
import { saveText } from '../kit/saving.tsx'
import { Empty, FailureNote } from '../kit/states.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { TheirText, countText, momentText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { organizationPath } from '../organizations/organization.tsx'
import type { PartProps } from '../part.ts'
import type { ItemOf } from '../service/operations.ts'
import { useLongAction } from '../service/use-action.ts'
import { useAllPages, usePages } from '../service/use-pages.ts'
import { useCall } from '../service/use-query.ts'
import type { TextFile } from './download.ts'
import { filterIn, formats, inboxPath, queryOf, type Format, type InboxFilter } from './inbox-path.ts'
import { SubmissionView, answersLine, contactText } from './submission-view.tsx'

/** What came in through an organization's forms: the list, and one submission. */
export function Page({ organizationId }: PartProps) {
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

type Submission = ItemOf<'submissions.list'>

/** How often the service is asked for newer submissions, in ms. */
const ASKED_EVERY_MS = 5_000

/** Within this distance of its top, in pixels, a list may grow there without moving what is being read. */
const AT_TOP_PX = 100

/** What came in through the forms of an organization, newest first. New submissions appear by themselves. */
function Inbox({ organizationId }: { readonly organizationId: string }) {
  const [, navigate] = useLocation()
  const filter = filterIn(useSearch())
  const { formId, contactId } = filter
  const params = { organizationId }
  const query = queryOf(filter)
  const forms = useAllPages('organizationForms.list', { params })
  const submissions = usePages('submissions.list', { params, query })
  const newest = useCall(
    'submissions.list',
    { params, query: { ...query, limit: 1 } },
    { everyMs: ASKED_EVERY_MS },
  )
  const newestId = newest.state === 'ready' ? newest.data.data[0]?.submissionId : undefined
  const isBehind =
    newestId !== undefined &&
    submissions.state === 'ready' &&
    !submissions.items.some(({ submissionId }) => submissionId === newestId)
  useEffect(() => {
    if (isBehind && window.scrollY < AT_TOP_PX) submissions.reload()
  }, [isBehind, newestId])
  return (
    <>
      <div class="filters">
        <SelectField
          label="Form"
          value={formId ?? ''}
          onValue={(chosen) => {
            navigate(inboxPath(organizationId, { contactId, formId: chosen }), { replace: true })
          }}
          options={withGiven(formId ?? '', [
            { value: '', label: 'All forms' },
            ...forms.items.map(({ formId: value, name }) => ({ value, label: name })),
          ])}
        />
        <DownloadButtons organizationId={organizationId} filter={filter} />
      </div>
      {contactId !== null && (
        <p class="note">
          <span>
            Only what the contact <code>{contactId}</code> sent is shown.
          </span>
          <Link href={inboxPath(organizationId, { formId })}>Show what everybody sent</Link>
        </p>
      )}
      <div role="status">
        {isBehind && (
          <p class="note">
            <span>New submissions came in.</span>
            <Button
              onClick={() => {
                window.scrollTo(0, 0)
                submissions.reload()
              }}
            >
              Show them
            </Button>
          </p>
        )}
      </div>
      <PagedTable
        label="Submissions"
        pages={submissions}
        columns={columnsOf(organizationId)}
        rowKey={({ submissionId }) => submissionId}
        empty={<Empty title="Nothing came in yet.">It appears here by itself when it does.</Empty>}
      />
    </>
  )
}

function columnsOf(organizationId: string): readonly Column<Submission>[] {
  return [
    {
      title: 'Submitted',
      width: '12rem',
      cell: ({ submissionId, submittedAt }) => (
        <Link href={organizationPath(organizationId, `/submissions/${encodeURIComponent(submissionId)}`)}>
          {momentText(submittedAt)}
        </Link>
      ),
    },
    { title: 'Form', cell: ({ formName, formId }) => <TheirText text={formName ?? formId} /> },
    { title: 'Contact', cell: ({ contact }) => <TheirText text={contactText(contact) ?? 'nobody'} /> },
    { title: 'Answers', width: 'minmax(0, 2fr)', cell: ({ answers }) => <AnswersLine answers={answers} /> },
  ]
}

/** The first answers in one line, each by itself: what one of them has in it turns no other. */
function AnswersLine({ answers }: Pick<Submission, 'answers'>) {
  return (
    <span>
      {answersLine(answers).map((text, place) => (
        <span key={place}>
          {place > 0 && ' · '}
          <TheirText text={text} />
        </span>
      ))}
    </span>
  )
}

interface DownloadButtonsProps {
  readonly organizationId: string
  readonly filter: InboxFilter
}

/** Downloads every submission of the present filter. */
function DownloadButtons({ organizationId, filter }: DownloadButtonsProps) {
  const download = useLongAction<number, Format, TextFile>(
    async (client, format, { signal, report }) => {
      const { fileOf } = await import('./download.ts')
      return fileOf(client, { organizationId, filter, format }, report, signal)
    },
    (file) => {
      saveText(file.name, file.type, ...file.parts)
      toast(`${file.name} is being downloaded.`)
    },
  )
  useEffect(() => download.stop, [organizationId, filter.formId, filter.contactId])
  return (
    <div class="downloads">
      <div class="buttons">
        {formats.map((format) => (
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
