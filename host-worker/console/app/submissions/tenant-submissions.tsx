import { Link, Route, Switch, useSearch } from 'wouter-preact'
import { shownFields } from '../../../../domain/forms/shown-answers.ts'
import { Card, Empty, Facts, PageHeader, TheirText, momentText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { searchText } from '../service/client.ts'
import { useReadPages, type Pages } from '../service/hooks.ts'
import type { Row } from '../service/operations.ts'
import {
  AnswerFacts,
  AnswersLine,
  FilterFields,
  Neighbours,
  beginningOf,
  spamAsked,
  useFilters,
  useFormFields,
  type Filters,
  type ReadFields,
} from './inbox.tsx'

const PATH = '/submissions'

/** A submission as the public interface has it. */
interface Submission {
  readonly submissionId: string
  readonly formId: string
  readonly formName: string | null
  readonly contactId: string | null
  readonly submittedAt: string
  readonly answers: Readonly<Record<string, unknown>>
  readonly attribution: Readonly<Record<string, unknown>>
  readonly spam: boolean
}

/** What came in through a tenant's own forms, to read: what the public interface has. */
export function Page() {
  return (
    <Switch>
      <Route path={`${PATH}/:submissionId`}>
        {({ submissionId }: { readonly submissionId: string }) => (
          <SubmissionView submissionId={submissionId} />
        )}
      </Route>
      <Route>
        <Inbox />
      </Route>
    </Switch>
  )
}

const readFields: ReadFields = async (client, formId, signal) =>
  shownFields((await client.read<Row>(`/api/v1/forms/${encodeURIComponent(formId)}`, {}, signal)).fields)

/** The list in the address of which these filters are. */
function useSubmissions(filters: Filters): Pages<Submission> {
  const { form, contact, from, to } = filters
  const pages = useReadPages('/api/v1/forms/submissions', {
    ...(form === '' ? {} : { formId: form }),
    ...(contact === '' ? {} : { contactId: contact }),
    ...spamAsked(filters),
    ...named('submittedAfter', beginningOf(from)),
    ...named('submittedBefore', beginningOf(to, 1)),
  })
  // The rows are those of the contract.
  return pages as Pages<never>
}

function named(name: string, value: string | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [name]: value }
}

function Inbox() {
  const [filters, choose] = useFilters(PATH)
  const forms = useReadPages('/api/v1/forms', { limit: 500 })
  const submissions = useSubmissions(filters)
  const fieldsOf = useFormFields(
    submissions.items.map(({ formId }) => formId),
    readFields,
  )
  const columns: readonly Column<Submission>[] = [
    {
      title: 'Submitted',
      width: '12rem',
      cell: ({ submissionId, submittedAt }) => (
        <Link href={pathOf(submissionId, searchText(filters))}>{momentText(submittedAt)}</Link>
      ),
    },
    { title: 'Form', cell: ({ formName, formId }) => <TheirText text={formName ?? formId} /> },
    {
      title: 'Answers',
      width: 'minmax(0, 3fr)',
      cell: ({ answers, formId }) => <AnswersLine answers={answers} fields={fieldsOf(formId)} />,
    },
  ]
  return (
    <>
      <PageHeader title="Submissions" />
      <div class="filters">
        <FilterFields
          filters={filters}
          onFilters={choose}
          forms={forms.items.map(({ formId, name }) => ({ formId: String(formId), name: String(name) }))}
          hasSearch={false}
        />
      </div>
      <PagedTable
        label="Submissions"
        pages={submissions}
        columns={columns}
        rowKey={({ submissionId }) => submissionId}
        empty={<Empty title="There are no such submissions." />}
      />
    </>
  )
}

function pathOf(submissionId: string, search: string): string {
  return `${PATH}/${encodeURIComponent(submissionId)}${search}`
}

/** One submission of the list in its address: the public interface has no other way to one. */
function SubmissionView({ submissionId }: { readonly submissionId: string }) {
  const search = useSearch()
  const [filters] = useFilters(PATH)
  const pages = useSubmissions(filters)
  const found = pages.items.find((one) => one.submissionId === submissionId)
  const fieldsOf = useFormFields(found === undefined ? [] : [found.formId], readFields)
  const suffix = search === '' ? '' : `?${search}`
  const isSought = found === undefined && (pages.isReading || pages.hasMore) && pages.failure === null
  return (
    <>
      <PageHeader
        title={found?.formName ?? found?.formId ?? 'Submission'}
        crumbs={[{ title: 'Submissions', path: PATH }]}
      />
      <Neighbours
        submissionId={submissionId}
        pages={pages}
        pathOf={(id) => pathOf(id, suffix)}
        listPath={PATH + suffix}
      />
      {isSought && <p role="status">Looking for it…</p>}
      {found === undefined && !isSought && <Empty title="There is no such submission in this list." />}
      {found !== undefined && (
        <>
          <Card title="Answers">
            <AnswerFacts answers={found.answers} fields={fieldsOf(found.formId)} />
          </Card>
          <Card title="About">
            <Facts
              facts={[
                ['Submission', <code key="id">{found.submissionId}</code>],
                ['Submitted', momentText(found.submittedAt)],
                ...(found.spam ? [['Verdict', 'Spam: nothing follows from it.'] as const] : []),
                [
                  'Contact',
                  found.contactId === null ? null : (
                    <Link key="contact" href={`/data/contacts/${encodeURIComponent(found.contactId)}`}>
                      {found.contactId}
                    </Link>
                  ),
                ],
                ...Object.entries(found.attribution).map(([name, value]) => [name, String(value)] as const),
              ]}
            />
          </Card>
        </>
      )}
    </>
  )
}
