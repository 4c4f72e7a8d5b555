import { spamReasons } from '../../../../domain/spam/reasons.ts'
import { useEffect, useRef } from 'preact/hooks'
import { Link, useSearch } from 'wouter-preact'
import { answerText, shownFields } from '../../../../domain/forms/shown-answers.ts'
import { Button, CopyButton, calls } from '../kit/controls.tsx'
import { Badge, Card, Empty, Facts, FailureNote, Shown, TheirText, momentText } from '../kit/page.tsx'
import { shownAs } from '../operations/operation-form.tsx'
import { itemFieldOf } from '../operations/written.ts'
import { sendTones } from '../lists/records-page.tsx'
import { EraseContact } from '../organizations/erase-contact.tsx'
import { inboxPath, organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { useAction, useCall, usePages } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import {
  AnswerFacts,
  Neighbours,
  useFilters,
  beginningOf,
  spamAsked,
  useFormFields,
  type Filters,
} from './inbox.tsx'
import type { ReadFields } from './download.ts'

export type Submission = ItemOf<'submissions.list'>

type ShownSubmission = Extract<BodyOf<'submissions.show'>, { readonly submissionId: string }>

/** What is said of submissions. */
export type Said = { readonly read: boolean } | { readonly spam: boolean }

/** What the service is asked for the filters of an address. */
export function askedFor(organizationId: string, filters: Filters) {
  const { form, contact, search, from, to } = filters
  const [after, before] = [beginningOf(from), beginningOf(to, 1)]
  return {
    params: { organizationId },
    query: {
      ...spamAsked(filters),
      ...(form === '' ? {} : { formId: form }),
      ...(contact === '' ? {} : { contactId: contact }),
      ...(search === '' ? {} : { search }),
      ...(after === null ? {} : { after }),
      ...(before === null ? {} : { before }),
    },
  }
}

/** Reads the fields of a form that answers are shown by. */
export function readFieldsOf(organizationId: string): ReadFields {
  return async (client, formId, signal) => {
    const params = { organizationId, formId }
    return shownFields((await client.call('organizationForms.show', { params }, signal)).form.fields)
  }
}

export function useFieldsOf(organizationId: string, formIds: readonly string[]) {
  return useFormFields(formIds, readFieldsOf(organizationId))
}

export function pathOf(organizationId: string, submissionId: string, search: string): string {
  return organizationPath(organizationId, `/submissions/${encodeURIComponent(submissionId)}`) + search
}

interface SubmissionViewProps extends OrganizationProps {
  readonly submissionId: string
}

/**
 * One submission with its contact, where its visitor came from, and what followed it. Opened by somebody who may mark it,
 * it is read.
 */
export function SubmissionView({ organizationId, submissionId }: SubmissionViewProps) {
  const search = useSearch()
  const suffix = search === '' ? '' : `?${search}`
  const [filters] = useFilters('')
  const pages = usePages('submissions.list', askedFor(organizationId, filters))
  const reading = useCall('submissions.show', { params: { organizationId, submissionId } })
  const opened = useRef('')
  const mayMark = useMay('submissions.mark')
  const mark = useAction(
    (client, { id, said }: { readonly id: string; readonly said: Said }) =>
      client.call('submissions.mark', { params: { organizationId }, body: { ids: [id], ...said } }),
    () => {
      reading.reload()
    },
  )
  const shown = reading.state === 'ready' && 'read' in reading.data ? reading.data : null
  useEffect(() => {
    if (shown === null || opened.current === shown.submissionId) return
    opened.current = shown.submissionId
    if (!shown.read && mayMark) mark.run({ id: shown.submissionId, said: { read: true } })
  }, [shown?.submissionId])
  return (
    <>
      <Neighbours
        submissionId={submissionId}
        pages={pages}
        pathOf={(id) => pathOf(organizationId, id, suffix)}
        listPath={organizationPath(organizationId, '/submissions') + suffix}
      />
      {mark.failure !== null && <FailureNote failure={mark.failure} />}
      <Shown reading={reading} lines={8}>
        {(submission) => (
          <>
            <About
              organizationId={organizationId}
              submission={submission}
              onErased={reading.reload}
              onMark={
                mayMark
                  ? (said) => {
                      mark.run({ id: submissionId, said })
                    }
                  : null
              }
            />
            <Following submission={submission} />
          </>
        )}
      </Shown>
    </>
  )
}

const sourceField = itemFieldOf('submissions.list', 'source')

interface AboutProps extends OrganizationProps {
  readonly submission: ShownSubmission
  readonly onErased: () => void
  /** Null: who is signed in may not mark it. */
  readonly onMark: ((said: Said) => void) | null
}

function About({ organizationId, submission, onErased, onMark }: AboutProps) {
  const { submissionId, formName, formId, submittedAt, source, contact } = submission
  const { answers, extra, attribution } = submission
  const fieldsOf = useFieldsOf(organizationId, [formId])
  const erase = contact !== null && (
    <EraseContact
      organizationId={organizationId}
      contactId={contact.contactId}
      name={contactText(contact)}
      onErased={onErased}
    />
  )
  return (
    <>
      <Card
        title={formName ?? formId}
        actions={
          onMark !== null && (
            <div class="buttons">
              <Button onClick={calls(onMark, { read: !submission.read })}>
                {submission.read ? 'Mark unread' : 'Mark read'}
              </Button>
              <Button onClick={calls(onMark, { spam: !submission.spam })}>
                {submission.spam ? 'Not spam' : 'Mark as spam'}
              </Button>
            </div>
          )
        }
      >
        <Facts
          facts={[
            [
              'Submission',
              <span key="id">
                <code>{submissionId}</code> <CopyButton text={submissionId} what="the id" />
              </span>,
            ],
            ['Submitted', momentText(submittedAt)],
            [sourceField.label, shownAs(sourceField, source)],
            ...(submission.spam
              ? [['Spam', `${reasonsText(submission.spamReasons)}. Nothing follows from spam.`] as const]
              : []),
          ]}
        />
      </Card>
      <Card title="Answers">
        <AnswerFacts answers={answers} fields={fieldsOf(formId)} />
      </Card>
      {Object.keys(extra).length > 0 && (
        <Card title="Extra answers">
          <AnswerFacts answers={extra} fields={[]} />
        </Card>
      )}
      <Card title="Contact" actions={erase}>
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
    </>
  )
}

interface NamedProps {
  readonly values: ShownSubmission['answers']
  readonly nothing: string
}

function Named({ values, nothing }: NamedProps) {
  const facts = Object.entries(values).map(([name, value]) => [name, answerText(value, undefined)] as const)
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

/** Why something is spam, in words. */
export function reasonsText(reasons: readonly string[]): string {
  const words: Readonly<Record<string, string>> = spamReasons
  return reasons.map((reason) => words[reason] ?? reason).join('. ')
}

/** Who a contact is: the name, else an address, else the id. Null: nobody is known. */
export function contactText(contact: Submission['contact']): string | null {
  if (contact === null) return null
  const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ')
  return (
    [name, contact.email, contact.phone].find((text) => text !== null && text !== '') ?? contact.contactId
  )
}
