import * as v from 'valibot'
import type { SendRecord, SendCapabilities } from '../../ports/messaging.ts'
import type { Admission, RunState, StepEffect } from '../../ports/outbox.ts'
import { deliveryAddress, emailKey } from '../text/typed-text.ts'
import { toInstant } from '../text/instant.ts'
import { isBlank } from '../forms/language/answers.ts'
import { sayerOf } from '../forms/language/words.ts'
import {
  filledIn,
  hasAnswers,
  messageAnswers,
  RECIPIENT_DAILY_MAX,
  type MessageAnswers,
} from '../forms/message-text.ts'
import {
  leaseEnd,
  noEmailProvider,
  noSmsProvider,
  prepareEmail,
  prepareSms,
  hopeless,
  malformedEntry,
  type Verdict,
  type Job,
  type PreparedSend,
} from './work.ts'
import { tenantMailbox } from '../messaging/sender.ts'
import { RUN_CONTACT, Steps, type Step } from '../resources/automations.ts'

const Payload = v.object({ automationId: v.string() })

/** The result of a step: executed, or why the run cannot continue now or ever. */
type StepResult =
  | { readonly kind: 'executed'; readonly effect: StepEffect; readonly sends: readonly SendRecord[] }
  | Verdict

/**
 * Executes the steps of an automation in order, from where the run stopped. The effect of a step on stored data is
 * written together with the run's progress. A step that sends uses the run and the step as its idempotency key.
 */
export async function runAutomation(job: Job): Promise<Verdict> {
  const { entry, token, outbox, world } = job
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  const contactId = entry.contact?.contactId ?? null
  const now = toInstant(world.clock.nowMs())
  const run = await outbox.startRun(entry.outboxId, token, payload.output.automationId, contactId, now)
  if (run === null) return hopeless('The automation is gone.')
  if (run.status !== 'running') return { kind: 'done', sends: [] }
  const steps = v.safeParse(Steps, run.steps)
  if (!steps.success) return hopeless('The steps of the automation are malformed.')
  return executeFrom(run, steps.output, job)
}

async function executeFrom(run: RunState, steps: readonly Step[], claimed: Job): Promise<Verdict> {
  const { token, outbox, world } = claimed
  let { entry } = claimed
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    if (number < run.nextStep) continue
    if (number > run.nextStep && sends(step)) {
      const context = await outbox.readAgain(entry.outboxId, token)
      if (context === null) return { kind: 'lost' }
      entry = { ...entry, ...context }
    }
    // Only the step at which the entry stopped can have waited.
    const waitingSince = number === run.nextStep ? entry.waitingSince : null
    const result = await execute(
      step,
      { key: `${entry.outboxId}-${number}`, waitingSince },
      { ...claimed, entry },
    )
    if (result.kind !== 'executed') return inStep(number, result)
    const nowMs = world.clock.nowMs()
    const { effect } = result
    const finished = {
      runId: entry.outboxId,
      step: number,
      effect,
      sends: result.sends,
      leaseUntil: leaseEnd(nowMs),
    }
    const outcome = await outbox.finishStep(token, finished, toInstant(nowMs))
    if (outcome === 'lost') return { kind: 'lost' }
    if (outcome === 'impossible') return inStep(number, hopeless(impossible(step)))
  }
  return { kind: 'done', sends: [] }
}

/** Whether a step sends something. What it says and to whom is read anew, because the steps before it take their time. */
function sends({ type }: Step): boolean {
  return type === 'send_email' || type === 'send_sms'
}

/** Adds the number of the step to a verdict's reason. */
function inStep(number: number, verdict: Verdict): Verdict {
  return 'reason' in verdict ? { ...verdict, reason: `Step ${number}: ${verdict.reason}` } : verdict
}

function impossible({ type }: Step): string {
  return type === 'add_to_list'
    ? 'There is no static list of that id, or the contact is gone.'
    : 'The contact is gone.'
}

/** A step that sends, besides what it sends. */
interface Sending {
  /** The idempotency key. */
  readonly key: string
  /** Since when its message has been waiting to be within the bounds; null: it has not. */
  readonly waitingSince: string | null
}

async function execute(step: Step, sending: Sending, job: Job): Promise<StepResult> {
  const { contact } = job.entry
  switch (step.type) {
    case 'send_email':
      return executed(await emailStep(step, sending, job))
    case 'send_sms':
      return executed(await smsStep(step, sending, job))
    case 'add_to_list':
    case 'add_tag': {
      if (contact === null) return hopeless('The submission identifies no contact.')
      const { contactId } = contact
      const effect: StepEffect =
        step.type === 'add_tag'
          ? { kind: 'add_tag', tag: step.tag, contactId }
          : { kind: 'add_to_list', listId: step.listId, contactId }
      return { kind: 'executed', effect, sends: [] }
    }
  }
}

/** The step's result for a verdict: executed when the send succeeded; all other verdicts are returned unchanged. */
function executed(verdict: Verdict): StepResult {
  return verdict.kind === 'done'
    ? { kind: 'executed', effect: { kind: 'none' }, sends: verdict.sends }
    : verdict
}

/**
 * The verdict for a message that is not sent: its contact has unsubscribed from the channel, or nothing is left of its
 * text. The step is skipped.
 */
const passedOver: Verdict = { kind: 'done', sends: [] }

/** The verdict for a message with answers in it when there are none any more. */
const answersGone = hopeless('The submission is gone, and its answers belong into the message.')

/** The answers that may be in a message with these texts; null: they are gone. */
async function answersFor(texts: readonly string[], { entry }: Job): Promise<MessageAnswers | null> {
  if (!texts.some(hasAnswers)) return new Map()
  const { submission, form } = entry
  if (submission === null) return null
  const say = await sayerOf(form?.definition ?? {})
  return messageAnswers(form?.definition.fields, submission.answers, submission.typed, say)
}

/** Whether nothing is left of a text because there are no answers. */
function isEmptied(text: string, filled: string): boolean {
  return filled !== text && isBlank(filled)
}

async function emailStep(
  { to, ...texts }: Extract<Step, { type: 'send_email' }>,
  { key, waitingSince }: Sending,
  job: Job,
): Promise<Verdict> {
  const { entry, world } = job
  const { organization, contact } = entry
  if (world.mail === null || world.email === null) return noEmailProvider
  const isToContact = to === RUN_CONTACT
  const address = isToContact ? contact?.email : to
  if (address === undefined || address === null) return hopeless('The contact has no email address.')
  if (isToContact && contact?.emailConsent === 'unsubscribed') return passedOver
  const from = tenantMailbox(organization, world.mail)
  if (from === null) return hopeless('The organization has no slug to send email from.')
  const answers = await answersFor([texts.subject, texts.html], job)
  if (answers === null) return answersGone
  const html = filledIn(texts.html, 'html', answers)
  if (isEmptied(texts.html, html)) return passedOver
  const filled = filledIn(texts.subject, 'subject', answers)
  const subject = isEmptied(texts.subject, filled) ? organization.name : filled
  const parts = { subject, html, text: null, replyTo: null, attachments: [], isAutomatic: true }
  const message = { from, to: deliveryAddress(address), ...parts }
  const prepared = prepareEmail(message, key, world.email, job)
  const { capabilities } = world.email
  return sendWithinBounds({ prepared, recipient: emailKey(address), capabilities }, waitingSince, job)
}

async function smsStep(
  { body: text }: Extract<Step, { type: 'send_sms' }>,
  { key, waitingSince }: Sending,
  job: Job,
): Promise<Verdict> {
  const { entry, world } = job
  const { organization, contact } = entry
  if (organization.smsNumber === null) return hopeless('The organization has no number to send SMS from.')
  const phone = contact?.phone ?? null
  if (contact === null || phone === null) return hopeless('The contact has no phone number.')
  if (contact.smsConsent === 'unsubscribed') return passedOver
  if (world.sms === null) return noSmsProvider
  const answers = await answersFor([text], job)
  if (answers === null) return answersGone
  const body = filledIn(text, 'body', answers)
  if (isEmptied(text, body)) return passedOver
  const from = { kind: 'number', number: organization.smsNumber } as const
  const prepared = prepareSms({ from, to: phone, body, mediaUrls: [] }, key, world.sms, world)
  const { capabilities } = world.sms
  return sendWithinBounds({ prepared, recipient: phone, capabilities }, waitingSince, job)
}

/** How long a message waits to be within the bounds, in days. */
const WAIT_MAX_DAYS = 3
const WAIT_MAX_MS = WAIT_MAX_DAYS * 86_400_000

/** A message of an automation, as far as the bounds are concerned. */
interface BoundedMessage {
  /** The message. The id of its send is the idempotency key with which it is sent. */
  readonly prepared: PreparedSend
  /** The address or number, in the form in which all spellings of it are equal. */
  readonly recipient: string
  /** What its provider is capable of. */
  readonly capabilities: SendCapabilities
}

/**
 * Sends a message of an automation if it is within the bounds; else its entry waits. Strangers choose the recipients,
 * because whoever submits a form can write any address into it.
 * @param waitingSince since when the message has been waiting already; null: it has not
 */
async function sendWithinBounds(
  message: BoundedMessage,
  waitingSince: string | null,
  { entry, token, outbox, world: { clock } }: Job,
): Promise<Verdict> {
  const nowMs = clock.nowMs()
  const since = waitingSince ?? toInstant(nowMs)
  const waitsUntil = toInstant(Date.parse(since) + WAIT_MAX_MS)
  const organizationMax = entry.organization.automationHourly
  const admission = await outbox.admit(
    entry.outboxId,
    token,
    {
      messageId: messageIdOf(message, entry.attempts),
      recipient: message.recipient,
      recipientMax: RECIPIENT_DAILY_MAX,
      organizationMax,
      waitsUntil,
      leaseUntil: leaseEnd(nowMs),
      send: message.prepared.pending,
    },
    toInstant(nowMs),
  )
  if (admission.kind === 'admitted') return message.prepared.attempt()
  const reason = reasonOf(admission, organizationMax)
  if (toInstant(nowMs) >= waitsUntil) return hopeless(`Given up after ${WAIT_MAX_DAYS} days: ${reason}`)
  return { kind: 'waiting', since, until: admission.until ?? waitsUntil, reason: `Waits: ${reason}` }
}

/**
 * The id under which a message counts. When the provider does not recognise repetitions, each attempt may reach the
 * recipient, so each counts by itself. Waiting and throttling are no attempts.
 */
function messageIdOf({ prepared, capabilities }: BoundedMessage, attempts: number): string {
  const key = prepared.pending.sendId
  return capabilities.idempotencyMs > 0 ? key : `${key}-${attempts}`
}

function reasonOf({ bound }: Extract<Admission, { kind: 'over' }>, organizationMax: number): string {
  switch (bound) {
    case 'recipient':
      return `automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one recipient.`
    case 'organization':
      return `the organization's automations send at most ${organizationMax} messages an hour.`
    case null:
      return `automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one recipient, and ${organizationMax} an hour in all.`
  }
}
