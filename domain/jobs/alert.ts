import type { Alert, EmailMessage, SendRecord, ReturnedEmail, SendLog } from '../../ports/messaging.ts'
import type { PersonInRole } from '../../ports/operators.ts'
import type { OffReason, Webhook } from '../../ports/outbox.ts'
import { platformMailbox } from '../messaging/sender.ts'
import { deliveryAddress, isProviderAddress } from '../text/typed-text.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import { html, oneLine } from '../text/html.ts'
import { inTime, malformedEntry, prepareEmail, type Job, type Verdict } from './work.ts'
import type { Clock, Deadline, Log } from '../../ports/platform.ts'
import { UNKNOWN_AFTER_MS } from '../messaging/attempt.ts'
import { toInstant } from '../text/instant.ts'
import * as v from 'valibot'

/** What an alert is about. */
type AlertKind = 'notification' | 'automation' | 'webhook_off'

const Payload = v.object({
  kind: v.picklist(['notification', 'automation', 'webhook_off'] satisfies AlertKind[]),
  /** What failed: the name of a form, or the URL of a webhook. */
  about: v.string(),
  reason: v.string(),
})

/** How many people are told of a failure at most. */
const TOLD_MAX = 20
const ABOUT_MAX_LENGTH = 2_048

interface Failure extends v.InferOutput<typeof Payload> {
  /** What else tells alerts of one day apart; left out: nothing, and there is one of this kind. */
  readonly of?: string
}

/**
 * The alert about a failure. Its id names its kind and the day (UTC), and one id is written and sent once, so however much
 * fails there is one email a day. It carries no answer and no address of a visitor.
 */
export function alertAbout({ kind, about, reason, of }: Failure, at: string): Alert {
  const payload: v.InferOutput<typeof Payload> = {
    ...{ kind, reason },
    about: about.slice(0, ABOUT_MAX_LENGTH).toWellFormed(),
  }
  return { outboxId: ['alr', kind, at.slice(0, 10).replaceAll('-', ''), of ?? []].flat().join('_'), payload }
}

const whyOff: Readonly<Record<OffReason, string>> = {
  gone: 'It answered 410 (gone).',
  failing: 'Nothing that it was told succeeded for five days.',
}

/** The alert that a webhook was switched off, the same one whoever finds that and when: it is of the first failure. */
export function offAlert(
  { webhookId, url, failingSince }: Pick<Webhook, 'webhookId' | 'url' | 'failingSince'>,
  reason: OffReason,
  now: string,
): Alert {
  const failure = { kind: 'webhook_off', about: url, reason: whyOff[reason], of: webhookId } as const
  return alertAbout(failure, failingSince ?? now)
}

/**
 * Sends an alert to the owners of the organization and the admins of the service. An alert that fails causes none. It is
 * said in the log and on the page of deliveries in any case, so where no email can be sent nothing waits.
 */
export async function sendAlert(job: Job): Promise<Verdict> {
  const { entry, token, outbox, world } = job
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  const { email, mail, hooks } = world
  if (email === null || mail === null) return { kind: 'done', sends: [] }
  const { organization, outboxId } = entry
  const people = await inTime(hooks.people.answerable(organization.organizationId, TOLD_MAX), world)
  const sends: SendRecord[] = []
  let waiting: Extract<Verdict, { kind: 'unavailable' }> | null = null
  // One after the other, because providers bound how many emails they take at once.
  for (const person of people.filter((one) => isProviderAddress(deliveryAddress(one.email)))) {
    const message = alertEmail(payload.output, job, person, platformMailbox(mail))
    const key = `${outboxId}-${await tellingApart(person)}`
    const { pending, attempt } = prepareEmail(message, key, email, job)
    if (!(await outbox.begin(outboxId, token, recorded(pending, person)))) return { kind: 'lost' }
    const verdict = await attempt()
    if (verdict.kind === 'unavailable') {
      waiting ??= verdict
      if (verdict.send !== null) sends.push(recorded(verdict.send, person))
    } else if ('sends' in verdict) sends.push(...verdict.sends.map((send) => recorded(send, person)))
  }
  // Whoever got it gets no second one: the provider knows the email by its key.
  if (waiting !== null) return { ...waiting, send: null, others: sends }
  const isRefused = sends.length > 0 && sends.every(({ outcome }) => outcome === 'failed')
  return isRefused
    ? { kind: 'failed', reason: 'The provider refused the alert.', sends }
    : { kind: 'done', sends }
}

/** An organization's log of sends says nothing of who runs the service. */
function recorded(send: SendRecord, { organizationId }: PersonInRole): SendRecord {
  return organizationId === null ? { ...send, to: 'an admin of the service' } : send
}

/** Tells a recipient apart in the id of a send, without naming anybody. */
async function tellingApart({ person }: PersonInRole): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(person))
  return toBase64Url(new Uint8Array(digest).subarray(0, 12))
}

const wordsOf: Readonly<
  Record<
    AlertKind,
    (name: string, about: string, reason: string) => { readonly subject: string; readonly said: string }
  >
> = {
  notification: (name, form, reason) => ({
    subject: `Notifications of ${name} failed`,
    said: `A notification of the form "${form}" of ${name} could not be delivered. ${reason} ${ONCE}`,
  }),
  automation: (name, form, reason) => ({
    subject: `Automatic emails of ${name} failed`,
    said: `An automatic email after a submission of the form "${form}" of ${name} could not be delivered. ${reason} ${ONCE}`,
  }),
  webhook_off: (name, url, reason) => ({
    subject: `A webhook of ${name} was switched off`,
    said: `${name} told ${url} of events, and does so no longer. ${reason} Switch it on again in the console, under Webhooks, when it works.`,
  }),
}
const ONCE = 'There may be more: this is said once a day.'

function alertEmail(
  { kind, about, reason }: v.InferOutput<typeof Payload>,
  { entry: { organization, form } }: Job,
  { email }: PersonInRole,
  from: EmailMessage['from'],
): EmailMessage {
  const { organizationId, name } = organization
  const { subject, said } = wordsOf[kind](name, form?.name ?? about, reason)
  const where = `What waits and what failed is in the console, under Deliveries, and in "outbox summary --org ${organizationId}". What was sent to whom is in "sends --org ${organizationId}".`
  const lines = [said, where].map(oneLine)
  return {
    ...{ from, to: deliveryAddress(email), subject: oneLine(subject).slice(0, 200).toWellFormed() },
    text: lines.join('\n\n').toWellFormed(),
    html: html`${lines.map((line) => html`<p>${line}</p>`)}`.markup,
    ...{ replyTo: null, attachments: [], isAutomatic: true },
  }
}

interface ReturnWorld {
  readonly sends: SendLog
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/**
 * Records that an email did not arrive, and alerts whoever answers for the organization if it was a notification or an
 * automatic email. What is not known, or known already, changes nothing. Never rejects.
 * @returns false: the news should come again, because how the email was handed over is still being recorded, or storage
 * fails
 */
export async function takeReturnedEmail(
  { recorded, providerId, error }: ReturnedEmail,
  world: ReturnWorld,
): Promise<boolean> {
  const { sends, clock, log } = world
  const nowMs = clock.nowMs()
  const now = toInstant(nowMs)
  if (recorded === null) {
    log.info('email_returned', { sendId: null, isRecorded: false, error })
    return true
  }
  const { organizationId, sendId } = recorded
  const news = { sendId, providerId, error }
  try {
    const taking = sends.open(organizationId).takeReturn(news, alertOf(sendId, error, now), now)
    const { isRecorded, pendingSince } = await inTime(taking, world)
    log.info('email_returned', { sendId, isRecorded, error })
    return pendingSince === null || nowMs - Date.parse(pendingSince) >= UNKNOWN_AFTER_MS
  } catch (cause) {
    log.error('email_returned_unrecorded', { sendId }, cause)
    return false
  }
}

/** The ids of the sends of entries and runs that follow a submission, whose id is in the middle; see `outboxOf`. */
const FOLLOWING = /^(obx|run)_(?:dig_)?(.+)_\d+(?:-\d+)?$/

/** The alert about an email that did not arrive; null: whoever asked for it finds that in the log of sends. */
function alertOf(sendId: string, reason: string, now: string): Alert | null {
  const [, word, submissionId] = FOLLOWING.exec(sendId) ?? []
  if (submissionId === undefined) return null
  const kind = word === 'obx' ? 'notification' : 'automation'
  return { ...alertAbout({ kind, about: 'that is gone', reason }, now), submissionId }
}
