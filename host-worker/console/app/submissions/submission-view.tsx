import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, CopyButton, calls } from '../kit/button.tsx'
import { Badge, Card, Facts } from '../kit/card.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import { TheirText, momentText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { sendTones } from '../lists/sends-page.tsx'
import { organizationPath } from '../organizations/organization.tsx'
import type { Client } from '../service/client.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'
import { useCall } from '../service/use-query.ts'
import { useMay } from '../session/session.ts'
import { inboxPath } from './inbox-path.ts'

type ShownSubmission = Extract<BodyOf<'submissions.show'>, { readonly submissionId: string }>

interface SubmissionViewProps {
  readonly organizationId: string
  readonly submissionId: string
}

/** One submission with its contact, where its visitor came from, and what followed it. */
export function SubmissionView({ organizationId, submissionId }: SubmissionViewProps) {
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

interface AboutProps {
  readonly organizationId: string
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
              ['Name', theirs(contactText({ ...contact, email: null, phone: null }))],
              ['Email', theirs(contact.email)],
              ['Phone', theirs(contact.phone)],
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

function theirs(text: string | null) {
  return text === null ? null : <TheirText text={text} />
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

function Named({
  values,
  nothing,
}: {
  readonly values: ShownSubmission['answers']
  readonly nothing: string
}) {
  const facts = Object.entries(values).map(([name, value]) => {
    const text = answerText(value)
    return [name, text === '' ? null : <TheirText key={name} text={text} />] as const
  })
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

type Submission = ItemOf<'submissions.list'>

/** An answer, or another stored value, as a text. */
function answerText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(answerText).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The first answers, as many as fit a line of a list, the last of them cut. */
export function answersLine(answers: Submission['answers']): readonly string[] {
  let left = LINE_LENGTH
  return Object.values(answers).flatMap((answer) => {
    const text = answerText(answer).slice(0, Math.max(0, left))
    left -= text.length
    return text === '' ? [] : [text]
  })
}

const LINE_LENGTH = 200

/** Who a contact is: the name, else an address, else the id. Null: nobody is known. */
export function contactText(contact: Submission['contact']): string | null {
  if (contact === null) return null
  const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ')
  return (
    [name, contact.email, contact.phone].find((text) => text !== null && text !== '') ?? contact.contactId
  )
}
