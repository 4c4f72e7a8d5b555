import { useEffect } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { withGiven } from '../kit/input/choices.ts'
import { SelectField } from '../kit/input/field.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { momentText } from '../kit/text.ts'
import { TheirText } from '../kit/their-text.tsx'
import { organizationPath } from '../organizations/organization.ts'
import type { ItemOf } from '../service/operations.ts'
import { useAllPages, usePages } from '../service/use-pages.ts'
import { useCall } from '../service/use-query.ts'
import { DownloadButtons } from './download-buttons.tsx'
import { filterIn, inboxPath, queryOf } from './inbox-path.ts'
import { answersLine, contactText } from './submission-text.ts'

type Submission = ItemOf<'submissions.list'>

/** How often the service is asked for newer submissions, in ms. */
const ASKED_EVERY_MS = 5_000

/** Within this distance of its top, in pixels, a list may grow there without moving what is being read. */
const AT_TOP_PX = 100

/** What came in through the forms of an organization, newest first. New submissions appear by themselves. */
export function Inbox({ organizationId }: { readonly organizationId: string }) {
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
