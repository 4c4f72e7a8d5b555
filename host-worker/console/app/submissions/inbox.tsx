import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { SelectField } from '../kit/field.tsx'
import { PagedTable } from '../kit/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { momentText } from '../kit/text.ts'
import { organizationPath } from '../organizations/organization.ts'
import type { ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import { useCall } from '../service/use-query.ts'
import { answersLine, contactText } from './submission-text.ts'

type Submission = ItemOf<'submissions.list'>

/** How often the service is asked for newer submissions, in ms. */
const ASKED_EVERY_MS = 5_000

/** Within this distance of its top, in pixels, a list may grow there without moving what is being read. */
const AT_TOP_PX = 100

/** What came in through the forms of an organization, newest first. New submissions appear by themselves. */
export function Inbox({ organizationId }: { readonly organizationId: string }) {
  const [formId, setFormId] = useState('')
  const params = { organizationId }
  const query = formId === '' ? {} : { formId }
  const forms = usePages('organizationForms.list', { params })
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
          value={formId}
          onValue={setFormId}
          options={[
            { value: '', label: 'All forms' },
            ...forms.items.map(({ formId: value, name }) => ({ value, label: name })),
          ]}
        />
      </div>
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
    { title: 'Form', cell: ({ formName, formId }) => formName ?? formId },
    { title: 'Contact', cell: ({ contact }) => contactText(contact) ?? 'nobody' },
    { title: 'Answers', width: 'minmax(0, 2fr)', cell: ({ answers }) => answersLine(answers) },
  ]
}
