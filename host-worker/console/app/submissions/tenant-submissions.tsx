import { useState } from 'preact/hooks'
import { Link, Route, Switch, useSearch } from 'wouter-preact'
import { shownFields } from '../../../../domain/forms/shown-answers.ts'
import { folded, mentions } from '../../../../domain/text/words.ts'
import { searchText } from '../../../../domain/text/http.ts'
import { Card, Empty, Facts, PageHeader, TheirText, countText, momentText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import type { Client } from '../service/client.ts'
import { useList, useReadPages, type Pages } from '../service/hooks.ts'
import type { Page, Row } from '../service/operations.ts'
import type { ReadFields, Source, SubmissionsPage } from './download.ts'
import {
  AnswerFacts,
  AnswersLine,
  DownloadButtons,
  FilterFields,
  Neighbours,
  NothingFound,
  beginningOf,
  isSearched,
  spamAsked,
  useFilters,
  useFormFields,
  type Filters,
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
export function TenantSubmissions() {
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

/** Rows of one request: for what is read as it is scrolled, and the most, for what is looked through. */
const SHOWN_ROWS = 100
const LOOKED_THROUGH_ROWS = 500

/** How many submissions a search or a file looks through: as many as some tens of requests have. */
const LOOKED_THROUGH_MAX = 20_000

/** How a list is read. */
interface Reading {
  readonly limit: number
  /** How many submissions are looked at, the newest first. */
  readonly most: number
}

const lookingThrough: Reading = { limit: LOOKED_THROUGH_ROWS, most: LOOKED_THROUGH_MAX }

/**
 * Reads a page of the list in the address of which these filters are. The public interface has no search, so it is made
 * here, as the operator's is: a page may be empty although another one follows.
 * @param cursor as an earlier page has it: how many were looked at, and the service's cursor
 */
async function readPage(
  client: Client,
  filters: Filters,
  { limit, most }: Reading,
  cursor: string | null,
  signal: AbortSignal,
): Promise<SubmissionsPage<Submission>> {
  const { form, contact, search, from, to } = filters
  const [lookedAt, after] = cursor === null ? [0, undefined] : (JSON.parse(cursor) as [number, string])
  const { data, pagination } = await client.read<Page<Submission>>(
    '/api/v1/forms/submissions',
    {
      limit,
      ...(form === '' ? {} : { formId: form }),
      ...(contact === '' ? {} : { contactId: contact }),
      ...spamAsked(filters),
      ...named('submittedAfter', beginningOf(from)),
      ...named('submittedBefore', beginningOf(to, 1)),
      ...named('cursor', after ?? null),
    },
    signal,
  )
  const sought = folded(search)
  const { nextCursor } = pagination
  const isCut = nextCursor !== null && lookedAt + data.length >= most
  return {
    data: search === '' ? data : data.filter(({ answers }) => mentions(answers, sought)),
    pagination: {
      nextCursor: nextCursor === null || isCut ? null : JSON.stringify([lookedAt + data.length, nextCursor]),
    },
    isCut,
  }
}

function named(name: string, value: string | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [name]: value }
}

/** The list, and whether a search ended before the oldest submission. */
function useSubmissions(filters: Filters): Pages<Submission> & { readonly isCut: boolean } {
  const list = JSON.stringify(filters)
  const [cutList, setCutList] = useState<string | null>(null)
  const reading = filters.search === '' ? { limit: SHOWN_ROWS, most: Infinity } : lookingThrough
  const pages = useList(list, async (client, cursor, signal) => {
    const page = await readPage(client, filters, reading, cursor, signal)
    if (page.isCut === true && !signal.aborted) setCutList(list)
    return page
  })
  return { ...pages, isCut: cutList === list }
}

/** The list of which a file is made. */
function sourceOf(filters: Filters): Source<Submission> {
  return {
    name: filters.form === '' ? 'all-forms' : filters.form,
    readPage: (client, cursor, signal) => readPage(client, filters, lookingThrough, cursor, signal),
    sheetOf: ({ contactId, ...submission }) => ({
      ...submission,
      contact: contactId === null ? null : { contactId },
    }),
    readFields,
  }
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
        />
        <DownloadButtons list={JSON.stringify(filters)} source={sourceOf(filters)} />
      </div>
      <div role="status">
        {filters.search !== '' && submissions.hasMore && <p class="soft">Searching…</p>}
        {submissions.isCut && (
          <p class="note">
            The newest {countText(LOOKED_THROUGH_MAX)} submissions were searched. Choose days to search older
            ones.
          </p>
        )}
      </div>
      <PagedTable
        label="Submissions"
        pages={submissions}
        columns={columns}
        rowKey={({ submissionId }) => submissionId}
        empty={<NothingFound filters={filters} />}
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
  const isSought = found === undefined && isSearched(pages)
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
      {found === undefined && !isSought && (
        <Empty title="There is no such submission in this list.">
          {pages.hasMore
            ? `The newest ${countText(pages.items.length)} were looked through. Choose days in the list to find an older one.`
            : undefined}
        </Empty>
      )}
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
