import { SINGLES_MAX } from '../../../domain/forms/outbox.ts'
import type { Answer } from '../service/processes/network.ts'
import { textOf } from '../invariants/watch.ts'
import type { FormVersion } from '../reference.ts'
import {
  addressIn,
  floodTextOf,
  founded,
  LIMIT,
  limitedFormOf,
  LONG_TEXTS,
  markOf,
  openFormOf,
  organizationIds,
  plainFormOf,
  SPAM_TEXTS,
  visitors,
} from '../setting.ts'
import { bodyOf, type Client } from './client.ts'

const TRIES_MAX = 3

/** Which address a visitor gives. Only open forms do without one. */
const ADDRESSES = ['first', 'first', 'first', 'first', 'second', 'none'] as const

/** One submission of a form by a visitor, as it was sent. */
interface Sent {
  readonly organizationId: string
  readonly formId: string
  /** What the visitor gives: an address and a number in the national form; null: nothing. */
  readonly email: string | null
  readonly phone: string | null
  readonly message: string | null
  /** The reference's logical time before it was sent. */
  readonly sentAt: number
}

/** A client that submits forms from time to time, and again when no answer arrived. */
export async function visit(client: Client): Promise<void> {
  const spams = client.decide.chance('sends spam', 40)
  while (!client.isOver()) {
    const writes = spams ? client.decide.pick('writes', WRITES) : null
    if (writes === 'many') await submitMany(client)
    else await submit(client, writes === 'spam' ? client.decide.pick('spam', SPAM_TEXTS) : null)
    await client.rest()
  }
}

/** What a visitor writes who sends spam: spam, or something many times; null: nothing. */
const WRITES = [null, null, null, 'spam', 'spam', 'spam', 'spam', 'many'] as const

interface Errand extends Omit<Sent, 'sentAt'> {
  readonly body: string
  /** The address from which it comes, as the platform tells it; null: it tells none. */
  readonly address: string | null
}

/** A form of some organization. Those that are made while the world runs have one form. */
function formFor({ decide, reference }: Client): string {
  const organizationId = decide.pick('organization', [...organizationIds, ...organizationIds, ...founded])
  const limited = limitedFormOf(organizationId)
  const isThere = reference.versionsOf(limited).some(({ acknowledgedAt }) => acknowledgedAt !== null)
  if (!isThere) return openFormOf('acme')
  const hasOpen = reference.versionsOf(openFormOf(organizationId)).length > 0
  return hasOpen && !decide.chance('limited form', 50) ? openFormOf(organizationId) : limited
}

async function submit(client: Client, message: string | null): Promise<void> {
  const { decide } = client
  const formId = formFor(client)
  const [organizationId = ''] = formId.split('-')
  const visitor = visitors[decide.below('visitor', visitors.length)]
  if (visitor === undefined) return
  const isOpen = formId === openFormOf(organizationId)
  const address = decide.pick('address', ADDRESSES)
  const own = visitor.emails[address === 'second' ? 1 : 0]
  const shouted = decide.chance('shouts', 20) ? own.toUpperCase() : own
  const email = isOpen && address === 'none' ? null : shouted
  const number = visitor.phones[decide.chance('gives a shared number', 25) ? 1 : 0].slice(2)
  const phone = isOpen || decide.chance('gives a phone', 50) ? number : null
  // Impatient people press the button more than once.
  const presses = decide.chance('is impatient', 25) ? 2 + decide.below('more presses', 3) : 1
  const errand = errandOf({ organizationId, formId, email, phone, message }, null)
  await Promise.all(Array.from({ length: presses }, () => submitPatiently(errand, client)))
}

function errandOf(said: Omit<Sent, 'sentAt'>, address: string | null): Errand {
  const given = Object.entries({ email: said.email, phone: said.phone, message: said.message })
  const texts = Object.fromEntries(given.filter(([, text]) => text !== null))
  return {
    ...said,
    address,
    body: JSON.stringify({ _gotcha: '', name: markOf(said.organizationId), ...texts }),
  }
}

/** How long it takes to send something many times at most, in ms. */
const MANY_MS = [1_000, 40_000, 4_000_000] as const
/** How many times one text is spam, and how many submissions are from one network. */
const OFTEN = { text: 10, network: 21 }

/**
 * Sends one long text, or something from one network, to one form or to two, so often that it may be spam; or what is no
 * spam, in such numbers that people are told of it together.
 */
async function submitMany(client: Client): Promise<void> {
  const { decide } = client
  if (decide.chance('is a crowd', 30)) return submitAsCrowd(client)
  const kind = decide.pick('many of', ['text', 'text', 'network'])
  const [one, other] = [decide.pick('organization', organizationIds), decide.pick('other', organizationIds)]
  const isSplit = decide.chance('to two forms', 25)
  const network = 1 + decide.below('network', 2)
  const text = decide.pick('long text', LONG_TEXTS)
  const shouts = decide.chance('shouts', 50)
  const count = OFTEN[kind] - 1 + decide.below('more of it', 4)
  const takesMs = decide.pick('takes', MANY_MS)
  const send = async (nth: number): Promise<void> => {
    await client.pause(decide.delayMs('waits', takesMs))
    const organizationId = isSplit && nth % 2 === 0 ? other : one
    const [email = ''] = visitors[nth % visitors.length]?.emails ?? []
    const message =
      kind === 'network' ? floodTextOf(network, nth) : shouts && nth % 3 === 0 ? text.toUpperCase() : text
    const said = { organizationId, formId: plainFormOf(organizationId), email, phone: null, message }
    await submitPatiently(errandOf(said, kind === 'network' ? addressIn(network, nth) : null), client)
  }
  await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
}

/** More than are told of one by one come to a form, from as many people as there are. */
async function submitAsCrowd(client: Client): Promise<void> {
  const { decide } = client
  const organizationId = decide.pick('organization of a crowd', organizationIds)
  const takesMs = decide.pick('a crowd takes', MANY_MS)
  const send = async (nth: number): Promise<void> => {
    await client.pause(decide.delayMs('waits in a crowd', takesMs))
    const { emails, phones } = visitors[nth % visitors.length] ?? { emails: [''], phones: [''] }
    const said = {
      organizationId,
      formId: openFormOf(organizationId),
      email: emails[0],
      phone: phones[0].slice(2),
    }
    await submitPatiently(errandOf({ ...said, message: null }, null), client)
  }
  const count = SINGLES_MAX + decide.below('more of a crowd', 12)
  await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
}

async function submitPatiently({ body, address, ...errand }: Errand, client: Client): Promise<void> {
  const { decide } = client
  const { formId } = errand
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const sent: Sent = { ...errand, sentAt: client.reference.now() }
    const headers = address === null ? {} : { 'cf-connecting-ip': address }
    const answer = await client.send({
      method: 'POST',
      path: `/api/forms/${formId}/submissions`,
      body,
      headers,
    })
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
      client.happened('a submission is refused at the limit')
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
  const { organizationId, formId, email, phone } = sent
  const receipt = { submissionId, organizationId, formId, version }
  client.reference.receipts.set(submissionId, {
    ...receipt,
    email: email?.toLowerCase() ?? null,
    phone: phone === null ? null : `+1${phone}`,
  })
  const row = client.stored.rowOf(organizationId, 'form_submissions', submissionId)
  const answers = JSON.parse(textOf(row?.answers) || '{}') as Readonly<Record<string, unknown>>
  const isStored =
    row?.form_id === formId &&
    row.source === 'headless' &&
    answers.name === markOf(organizationId) &&
    answers.email === (email ?? undefined) &&
    answers.phone === (phone ?? undefined) &&
    answers.message === (sent.message ?? undefined)
  if (!isStored) client.violated('each receipt has its row', `${submissionId}: ${JSON.stringify(row)}`)
}

/** Checks that the limit was really reached when an answer says so. No submission is ever removed. */
function judgeLimit({ organizationId, formId, email }: Sent, answer: Answer, client: Client): void {
  const rows = client.stored.look(
    `select 1 from form_submissions as s
      join contacts as c on c.organization_id = s.organization_id and c.contact_id = s.contact_id
      where s.organization_id = ? and s.form_id = ? and c.email_key = ?`,
    organizationId,
    formId,
    email?.toLowerCase() ?? null,
  )
  if (
    !answer.text.includes('submission_limit_reached') ||
    formId !== limitedFormOf(organizationId) ||
    rows.length < LIMIT
  )
    client.violated(
      'the limit is exact',
      `${formId} refused ${String(email)} with ${rows.length} saved: ${answer.text}`,
    )
}
