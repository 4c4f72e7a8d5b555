import type { Answer } from '../service/network.ts'
import type { FormVersion, Visitor } from '../reference.ts'
import { LIMIT, markOf, organizationIds, openFormOf, limitedFormOf, visitors } from '../setting.ts'
import type { Client } from './client.ts'
import { bodyOf } from './client.ts'

const TRIES_MAX = 3

/** One submission of a form by a visitor, as it was sent. */
interface Sent {
  readonly organizationId: string
  readonly formId: string
  readonly visitor: Visitor
  /** The reference's logical time before it was sent. */
  readonly sentAt: number
}

/** A client that submits forms from time to time, and again when no answer arrived. */
export async function visit(client: Client): Promise<void> {
  while (!client.isOver()) {
    await submit(client)
    await client.rest()
  }
}

interface Errand extends Omit<Sent, 'sentAt'> {
  readonly body: string
}

async function submit(client: Client): Promise<void> {
  const { decide } = client
  const organizationId = decide.pick('organization', organizationIds)
  const formId = decide.chance('limited form', 50)
    ? limitedFormOf(organizationId)
    : openFormOf(organizationId)
  const visitor = visitors[decide.below('visitor', visitors.length)]
  if (visitor === undefined) return
  const body = JSON.stringify({
    _gotcha: '',
    name: markOf(organizationId),
    email: decide.chance('shouts', 20) ? visitor.email.toUpperCase() : visitor.email,
    ...(formId === openFormOf(organizationId) || decide.chance('gives a phone', 50)
      ? { phone: visitor.phone.slice(2) }
      : {}),
  })
  // Impatient people press the button more than once.
  const presses = decide.chance('is impatient', 25) ? 2 + decide.below('more presses', 3) : 1
  const errand: Errand = { organizationId, formId, visitor, body }
  await Promise.all(Array.from({ length: presses }, () => submitPatiently(errand, client)))
}

async function submitPatiently({ body, ...errand }: Errand, client: Client): Promise<void> {
  const { decide } = client
  const { formId } = errand
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const sent: Sent = { ...errand, sentAt: client.reference.now() }
    const answer = await client.send({ method: 'POST', path: `/api/forms/${formId}/submissions`, body })
    if (answer !== null) judge(sent, answer, client)
    if (answer !== null && answer.status < 500) return
    if (decide.chance('gives up', 40)) return
    await client.pause(decide.delayMs('waits', 5_000))
  }
}

/** Checks whether the answer to a submission can be true. */
function judge(sent: Sent, answer: Answer, client: Client): void {
  const versions = client.reference.versionsSince(sent.formId, sent.sentAt)
  switch (answer.status) {
    case 200:
      receive(sent, answer, versions, client)
      return
    case 404:
      if (versions.every(({ isPublished }) => isPublished))
        client.violated('a published form takes submissions', sent.formId)
      return
    case 422:
      judgeLimit(sent, answer, client)
      return
    case 500:
      return
    default:
      client.violated('a good submission is taken', `${sent.formId}: ${answer.status} ${answer.text}`)
  }
}

interface ReceiptBody {
  readonly submissionId: string
  readonly title: string
}

function receive(sent: Sent, answer: Answer, versions: readonly FormVersion[], client: Client): void {
  const { submissionId, title } = bodyOf(answer) as ReceiptBody
  const version = versions.find((known) => `v${known.version}` === title)
  if (version?.isPublished !== true) {
    const allowed = versions
      .map((known) => `v${known.version}${known.isPublished ? '' : ' (unpublished)'}`)
      .join(', ')
    client.violated(
      'a submission is checked against the form in force',
      `${submissionId}: ${title}, not ${allowed}`,
    )
    return
  }
  const { organizationId, formId, visitor } = sent
  client.reference.receipts.set(submissionId, { submissionId, organizationId, formId, version, visitor })
  const rows = client.stored.look(
    'select organization_id, form_id from form_submissions where submission_id = ?',
    submissionId,
  )
  if (rows.length !== 1 || rows[0]?.organization_id !== organizationId || rows[0].form_id !== formId)
    client.violated('each receipt has its row', submissionId)
}

/** Checks that the limit was really reached when an answer says so. No submission is ever removed. */
function judgeLimit({ organizationId, formId, visitor }: Sent, answer: Answer, client: Client): void {
  const rows = client.stored.look(
    `select 1 from form_submissions as s
      join contacts as c on c.organization_id = s.organization_id and c.contact_id = s.contact_id
      where s.organization_id = ? and s.form_id = ? and c.email_key = ?`,
    organizationId,
    formId,
    visitor.email,
  )
  if (
    !answer.text.includes('submission_limit_reached') ||
    formId !== limitedFormOf(organizationId) ||
    rows.length < LIMIT
  )
    client.violated(
      'the limit is exact',
      `${formId} refused ${visitor.email} with ${rows.length} saved: ${answer.text}`,
    )
}
