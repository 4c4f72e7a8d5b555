import { useEffect, useState } from 'preact/hooks'
import { Link, Route, Switch, useLocation, useSearch } from 'wouter-preact'
import { Button, CopyButton, SelectField, calls, saveText, toast, withGiven } from '../kit/controls.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import {
  Badge,
  Card,
  Empty,
  Facts,
  FailureNote,
  Shown,
  TheirText,
  countText,
  momentText,
} from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { sendTones } from '../lists/records-page.tsx'
import { inboxPath, organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import type { Client } from '../service/client.ts'
import { useAction, useAllPages, useCall, useLongAction, usePages } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import type { Format, TextFile } from './download.ts'

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

type Submission = ItemOf<'submissions.list'>

/** How often the service is asked for newer submissions, in ms. */
const ASKED_EVERY_MS = 5_000

/** Within this distance of its top, in pixels, a list may grow there without moving what is being read. */
const AT_TOP_PX = 100

/** What came in through the forms of an organization, newest first. New submissions appear by themselves. */
function Inbox({ organizationId }: OrganizationProps) {
  const [, navigate] = useLocation()
  const chosen = new URLSearchParams(useSearch())
  const [formId, contactId] = [chosen.get('form'), chosen.get('contact')]
  const params = { organizationId }
  const query = {
    ...(formId === null ? {} : { formId }),
    ...(contactId === null ? {} : { contactId }),
  }
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
        <DownloadButtons organizationId={organizationId} query={query} />
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

/** How many characters of answers fit a line of the list. */
const LINE_LENGTH = 200

/** The first answers in one line, the last of them cut, each by itself: what one of them has in it turns no other. */
function AnswersLine({ answers }: Pick<Submission, 'answers'>) {
  let left = LINE_LENGTH
  const texts = Object.values(answers).flatMap((answer) => {
    const text = answerText(answer).slice(0, Math.max(0, left))
    left -= text.length
    return text === '' ? [] : [text]
  })
  return (
    <span>
      {texts.map((text, place) => (
        <span key={place}>
          {place > 0 && ' · '}
          <TheirText text={text} />
        </span>
      ))}
    </span>
  )
}

interface DownloadButtonsProps extends OrganizationProps {
  readonly query: { readonly formId?: string; readonly contactId?: string }
}

/** Downloads every submission that the list has, in the formats of the operator's command. */
function DownloadButtons({ organizationId, query }: DownloadButtonsProps) {
  const download = useLongAction<number, Format, TextFile>(
    async (client, format, work) => {
      const { fileOf } = await import('./download.ts')
      return fileOf(client, { organizationId, query, format }, work)
    },
    ({ name, type, parts }) => {
      saveText(name, type, ...parts)
      toast(`${name} is being downloaded.`)
    },
  )
  useEffect(() => download.stop, [organizationId, query.formId, query.contactId])
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

type ShownSubmission = Extract<BodyOf<'submissions.show'>, { readonly submissionId: string }>

interface SubmissionViewProps extends OrganizationProps {
  readonly submissionId: string
}

/** One submission with its contact, where its visitor came from, and what followed it. */
function SubmissionView({ organizationId, submissionId }: SubmissionViewProps) {
  const reading = useCall('submissions.show', { params: { organizationId, submissionId } })
  return (
    <>
      <p>
        <Link href={organizationPath(organizationId, '/submissions')}>All submissions</Link>
      </p>
      <Shown reading={reading} lines={8}>
        {(submission) => (
          <>
            <About organizationId={organizationId} submission={submission} onErased={reading.reload} />
            <Following submission={submission} />
          </>
        )}
      </Shown>
    </>
  )
}

interface AboutProps extends OrganizationProps {
  readonly submission: ShownSubmission
  readonly onErased: () => void
}

function About({ organizationId, submission, onErased }: AboutProps) {
  const { submissionId, formName, formId, submittedAt, source, contact, answers, attribution } = submission
  const [isErasing, setErasing] = useState(false)
  const mayErase = useMay('admin') && contact !== null
  const erase = useAction(
    (client) => eraseContact(client, organizationId, contact?.contactId ?? ''),
    () => {
      setErasing(false)
      toast('The person was erased.')
      onErased()
    },
  )
  const eraseButton = mayErase && (
    <Button kind="danger" onClick={calls(setErasing, true)}>
      Erase this person
    </Button>
  )
  return (
    <>
      <Card title={formName ?? formId}>
        <Facts
          facts={[
            [
              'Submission',
              <span key="id">
                <code>{submissionId}</code> <CopyButton text={submissionId} what="the id" />
              </span>,
            ],
            ['Submitted', momentText(submittedAt)],
            ['Source', source],
          ]}
        />
      </Card>
      <Card title="Answers">
        <Named values={answers} nothing="No answers are stored." />
      </Card>
      <Card title="Contact" actions={eraseButton}>
        {contact === null ? (
          <Empty title="This submission names nobody." />
        ) : (
          <Facts
            facts={[
              ['Name', contactText({ ...contact, email: null, phone: null })],
              ['Email', contact.email],
              ['Phone', contact.phone],
              [
                'Contact',
                <span key="id">
                  <code>{contact.contactId}</code>{' '}
                  <Link href={inboxPath(organizationId, { contactId: contact.contactId })}>
                    Everything this person sent
                  </Link>
                </span>,
              ],
            ]}
          />
        )}
      </Card>
      <Card title="Attribution">
        <Named values={attribution} nothing="Nothing is known of where the visitor came from." />
      </Card>
      {isErasing && contact !== null && (
        <ConfirmDialog
          title={`Erase ${contactText(contact) ?? contact.contactId}?`}
          verb="Erase"
          typed={contact.contactId}
          action={erase}
          onClose={calls(setErasing, false)}
        >
          What is stored of this person is removed from every submission, message and contact of the
          organization. It cannot be undone.
        </ConfirmDialog>
      )}
    </>
  )
}

/** Erases a person. Each call works for a bounded time, and says where the next one goes on. */
async function eraseContact(client: Client, organizationId: string, contactId: string): Promise<void> {
  let next: string | null = null
  do {
    const body = { contactIds: [contactId], ...(next === null ? {} : { next }) }
    const answer: BodyOf<'contacts.erase'> = await client.call('contacts.erase', {
      params: { organizationId },
      body,
    })
    next = 'next' in answer ? answer.next : null
  } while (next !== null)
}

interface NamedProps {
  readonly values: ShownSubmission['answers']
  readonly nothing: string
}

function Named({ values, nothing }: NamedProps) {
  const facts = Object.entries(values).map(([name, value]) => [name, answerText(value)] as const)
  return facts.length === 0 ? <Empty title={nothing} /> : <Facts facts={facts} />
}

const runTones: Readonly<Record<string, 'good' | 'bad'>> = { completed: 'good', failed: 'bad' }

function Following({ submission: { runs, messages, waiting } }: { readonly submission: ShownSubmission }) {
  const isNothing = runs.length + messages.length + waiting.length === 0
  return (
    <Card title="What followed">
      {isNothing && <Empty title="Nothing followed this submission." />}
      <ul class="plain-list">
        {waiting.map(({ outboxId, kind, status, lastError }) => (
          <li key={outboxId}>
            <Badge tone={status === 'failed' ? 'bad' : 'waiting'}>{status}</Badge> {kind} {lastError ?? ''}
          </li>
        ))}
        {runs.map(({ runId, automationId, status, currentStep, stepCount, failureReason }) => (
          <li key={runId}>
            <Badge tone={runTones[status] ?? 'waiting'}>{status}</Badge> Automation {automationId}, step{' '}
            {currentStep} of {stepCount} {failureReason ?? ''}
          </li>
        ))}
        {messages.map(({ channel, to, outcome, error, at, providerId }) => (
          <li key={`${at} ${channel} ${to} ${providerId ?? ''}`}>
            <Badge tone={sendTones[outcome]}>{outcome}</Badge> {channel} to <TheirText text={to} />,{' '}
            {momentText(at)} {error ?? ''}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** An answer, or another stored value, as a text. */
function answerText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(answerText).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Who a contact is: the name, else an address, else the id. Null: nobody is known. */
function contactText(contact: Submission['contact']): string | null {
  if (contact === null) return null
  const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ')
  return (
    [name, contact.email, contact.phone].find((text) => text !== null && text !== '') ?? contact.contactId
  )
}
