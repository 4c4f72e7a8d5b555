import type { StoredPlaces } from '../service/stored-places.ts'
import { entryOf, type Delivered, type HandedOver } from '../service/processes/handed-over.ts'
import type { Row } from '../engine/changes.ts'
import type { Reference } from '../reference.ts'
import { RECIPIENT_DAILY_MAX } from '../../../domain/forms/message-text.ts'
import { AUTOMATION_HOURLY, FORGED_SUBJECT, markOf, passing } from '../setting.ts'
import { checkDirectoryAtRest, checkKeysAtRest } from './keys.ts'
import { isHopeless } from './entries.ts'
import { textOf, type Watch } from './watch.ts'
import type { Verdicts } from './verdicts.ts'

/** What was delivered to whom, when all work has been done. */
export interface AtRest {
  readonly stored: StoredPlaces
  readonly reference: Reference
  readonly email: HandedOver
  readonly sms: HandedOver
  readonly verdicts: Verdicts
  /** The provider that never answers; null: none. */
  readonly broken: 'email' | 'sms' | null
  /** Whether nothing can be done for an organization, because its database stays broken. */
  readonly isStuck: (organizationId: string) => boolean
  /** Whether the run had no faults at all. */
  readonly isCalm: boolean
  /** Whether the service has logged an event. */
  readonly hasLogged: (event: string) => boolean
  readonly violated: Watch['violated']
}

/** Checks that are made when all possible work has been done. */
export function checkAtRest(world: AtRest): void {
  const { stored, reference, violated, isStuck, isCalm } = world
  checkReceipts(world)
  checkNotifications(world)
  checkRuns(world)
  checkBounds(world)
  checkSends(world)
  checkLog(world)
  checkKeysAtRest(stored, reference, violated, isStuck)
  checkDirectoryAtRest(stored, violated, isStuck, isCalm)
}

/** The organizations whose work can be done. */
function organizationsOf({ stored, isStuck }: AtRest): readonly string[] {
  return stored
    .organizationIds()
    .filter((organizationId) => organizationId !== passing.organizationId && !isStuck(organizationId))
}

function checkReceipts({ reference, stored, verdicts, violated }: AtRest): void {
  for (const { submissionId, organizationId, email, phone } of reference.receipts.values()) {
    const row = stored.rowOf(organizationId, 'form_submissions', submissionId)
    if (row?.contact_id === null && !verdicts.hasFollowed(organizationId, submissionId)) continue
    const contact = stored.rowOf(organizationId, 'contacts', row?.contact_id)
    const isRight = email === null ? contact?.phone === phone : contact?.email_key === email
    if (!isRight)
      violated('each receipt has its row and its contact', `${submissionId}: ${JSON.stringify(contact)}`)
  }
}

/**
 * Checks that each recipient was notified of a submission, and only once; of spam, nobody. Of a form that was unpublished after the
 * submission was checked against it, what still waited is not sent, so any of its recipients may have been told.
 */
function checkNotifications(world: AtRest): void {
  const { reference, stored, email, verdicts, broken, violated } = world
  const mailsOf = Map.groupBy(
    email.delivered.flatMap((mail) =>
      [...mail.text.matchAll(/(?:Submission |\/submissions\/)(sub_\w+)/g)].map(([, id = '']) => ({
        ...mail,
        id,
      })),
    ),
    ({ id }) => id,
  )
  for (const row of organizationsOf(world).flatMap((id) => stored.rowsOf(id, 'form_submissions'))) {
    const submissionId = textOf(row.submission_id)
    const mails = mailsOf.get(submissionId) ?? []
    if (!verdicts.hasFollowed(textOf(row.organization_id), submissionId)) {
      if (mails.length > 0) violated('nothing follows from spam', `${submissionId}: ${mails[0]?.to ?? ''}`)
      continue
    }
    const versions = reference.receipts.get(submissionId)?.version ?? null
    const mayBeReleased =
      typeof stored.rowOf(textOf(row.organization_id), 'submission_marks', submissionId)?.is_spam === 'number'
    const isNamed = verdicts.gathered.get(submissionId)
    if (isNamed === false) continue
    const isGathered = isNamed === true
    // What was released or gathered is told to whom the form named then.
    const possible =
      versions === null || mayBeReleased || isGathered
        ? reference.versionsOf(textOf(row.form_id))
        : [versions]
    checkOnce(mails, `of ${submissionId}`, violated)
    const told = [...new Set(mails.map((mail) => mail.to))].sort()
    const to = told.join(', ')
    const isTold = possible.some(({ recipients }) =>
      // What is marked as spam before its digest goes out is left out, and does not follow when the mark is taken back.
      isStopped(row, reference) || (isGathered && mayBeReleased && mails.length === 0)
        ? told.every((address) => recipients.includes(address))
        : [...recipients].sort().join(', ') === to,
    )
    if (!isTold && broken !== 'email')
      violated('everybody is told of a submission', `${submissionId}: told ${to === '' ? 'nobody' : to}`)
  }
}

/** Whether the form of a submission was unpublished since, which stops what still waits of it. */
function isStopped({ submission_id: id, form_id: formId }: Row, reference: Reference): boolean {
  const since = reference.receipts.get(textOf(id))?.version.version ?? 0
  return reference
    .versionsOf(textOf(formId))
    .some(({ version, isPublished }) => !isPublished && version > since)
}

/**
 * Checks that a message arrived only once. A provider recognises a repetition for one day, so a message that an
 * operator retried later may arrive twice.
 */
function checkOnce(mails: readonly Delivered[], what: string, violated: AtRest['violated']): void {
  const DAY_MS = 86_400_000
  for (const of of Map.groupBy(mails, ({ to }) => to).values()) {
    const twice = of.find(({ atMs }, index) => index > 0 && atMs - (of[index - 1]?.atMs ?? 0) < DAY_MS)
    if (twice !== undefined)
      violated('nobody is told twice', `${twice.to} ${what}, by ${of.map(({ key }) => key).join(' and ')}`)
  }
}

/**
 * Checks that each submission had a run of each automation of its form, which ended, and that no message of it was
 * delivered more often than necessary.
 */
function checkRuns(world: AtRest): void {
  const { stored, email, sms, verdicts, broken, isCalm, violated } = world
  for (const organizationId of organizationsOf(world)) {
    const forms = new Set(stored.rowsOf(organizationId, 'automations').map((row) => row.trigger_form_id))
    for (const submission of stored.rowsOf(organizationId, 'form_submissions')) {
      if (!forms.has(submission.form_id)) continue
      const runId = `run_${textOf(submission.submission_id)}_1`
      const run = stored.rowOf(organizationId, 'automation_runs', runId)
      const isEnded = run?.status === 'completed' || isHopeless(textOf(run?.failure_reason))
      if (!verdicts.hasFollowed(organizationId, textOf(submission.submission_id))) {
        if (run !== undefined) violated('nothing follows from spam', `${organizationId} ${runId}`)
      } else if (!isEnded && broken === null)
        violated('a run comes to its end', `${organizationId} ${runId}: ${JSON.stringify(run)}`)
    }
  }
  for (const [key, mails] of Map.groupBy(email.delivered, (message) => message.key))
    checkOnce(mails, `by ${key}`, violated)
  if (!isCalm) return
  for (const [key, { length }] of Map.groupBy(sms.delivered, (message) => message.key))
    if (length > 1) violated('nobody is told twice', `${length} texts by ${key}`)
}

/** How long after it was admitted a message may be delivered, and by how much clocks may be wrong, in ms. */
const SLACK_MS = 120_000

/** Checks that automations sent no more messages than they may, to one recipient and in all. */
function checkBounds({ stored, email, sms, violated }: AtRest): void {
  for (const organizationId of stored.organizationIds()) {
    const title = `Welcome ${markOf(organizationId)}`
    const sent = [...email.delivered, ...sms.delivered].filter((message) => message.title === title)
    for (const [to, ofOne] of Map.groupBy(sent, (message) => message.to)) {
      if (most(ofOne, 24 * 3_600_000 - SLACK_MS) > RECIPIENT_DAILY_MAX)
        violated('nobody gets more messages of automations a day than he may', `${to} of ${organizationId}`)
    }
    if (most(sent, 3_600_000 - SLACK_MS) > AUTOMATION_HOURLY)
      violated('automations send no more an hour than they may', organizationId)
  }
}

/** The largest number of messages within any time of this length. */
function most(messages: readonly Delivered[], durationMs: number): number {
  const counts = messages.map(
    ({ atMs }) => messages.filter((other) => other.atMs >= atMs && other.atMs < atMs + durationMs).length,
  )
  return Math.max(0, ...counts)
}

/** Checks that each send which an answer called successful took place, and that none took place twice. */
function checkSends({ reference, email, sms, violated }: AtRest): void {
  const both = { email: Map.groupBy(email.delivered, titleOf), sms: Map.groupBy(sms.delivered, titleOf) }
  for (const { channel, title, to, isAccepted } of reference.sent) {
    const sent = (both[channel].get(title) ?? []).filter(
      (message) => message.to.toLowerCase() === to.toLowerCase(),
    )
    if (isAccepted && sent.length === 0) violated('what was called sent was sent', `${title} to ${to}`)
  }
  for (const [subject, mails] of both.email)
    if (subject.startsWith('mailer')) checkOnce(mails, `with ${subject}`, violated)
  for (const [title, texts] of both.sms)
    if (reference.mailings.get(title)?.isKeyed === true)
      for (const [to, { length }] of Map.groupBy(texts, (message) => message.to))
        if (length > 1) violated('a request with a key sends once', `${length} texts ${title} to ${to}`)
  if (both.email.has(FORGED_SUBJECT))
    violated('a key that has ended or was forged opens nothing', 'an email was sent')
}

function titleOf({ title }: Delivered): string {
  return title
}

/**
 * Checks that the log of sends equals the deliveries. A message of an entry is recorded when its outcome is; one that
 * was sent with a key, at the latest before the answer, unless the service says that it could not.
 */
function checkLog(world: AtRest): void {
  const { stored, reference, email, sms, broken, hasLogged, violated } = world
  const logged = new Map(
    organizationsOf(world).flatMap((organizationId) =>
      stored.rowsOf(organizationId, 'sends').map((row) => [textOf(row.send_id), row] as const),
    ),
  )
  const open = new Set(
    stored.organizationIds().flatMap((id) => stored.rowsOf(id, 'outbox').map((row) => textOf(row.outbox_id))),
  )
  const stuck = new Set(
    stored
      .organizationIds()
      .filter((id) => world.isStuck(id))
      .flatMap((id) => stored.rowsOf(id, 'form_submissions').map((row) => textOf(row.submission_id))),
  )
  // A worker that hands a message over and dies records nothing, and the next one passes over a contact who has
  // unsubscribed since then, and tells nobody of a form that was unpublished.
  const stopped = organizationsOf(world)
    .flatMap((id) => stored.rowsOf(id, 'form_submissions'))
    .filter((row) => isStopped(row, reference))
    .map((row) => `obx_${textOf(row.submission_id)}_`)
  const unsubscribed = new Set(
    organizationsOf(world)
      .flatMap((id) => stored.rowsOf(id, 'contacts'))
      .flatMap((row) => [
        ...(row.email_consent === 'unsubscribed' ? [textOf(row.email_key)] : []),
        ...(row.sms_consent === 'unsubscribed' ? [textOf(row.phone)] : []),
      ]),
  )
  for (const message of [...email.delivered, ...sms.delivered]) {
    const entry = entryOf(message.key)
    if (entry === null || open.has(entry.outboxId) || broken !== null) continue
    const sendId = message.key.replace(/-without-reply-to$/, '')
    const isOfStuck = [...stuck].some((id) => message.key.includes(id) || message.text.includes(id))
    if (
      logged.get(sendId)?.outcome !== 'accepted' &&
      !isOfStuck &&
      !stopped.some((prefix) => sendId.startsWith(prefix)) &&
      !unsubscribed.has(message.to.toLowerCase())
    )
      violated(
        'the log of sends tells what was delivered',
        `${message.key} to ${message.to}: ${JSON.stringify(logged.get(sendId))}`,
      )
  }
  for (const { key, title, to } of [...email.delivered, ...sms.delivered]) {
    const mailing = reference.mailings.get(title)
    if (mailing !== undefined && !world.isStuck(mailing.organizationId) && !logged.has(key))
      violated('nothing is delivered without a trace', `${key} to ${to}`)
  }
  if (hasLogged('sends_not_recorded')) return
  const rows = [...logged.values()]
  const delivered = { email: Map.groupBy(email.delivered, titleOf), sms: Map.groupBy(sms.delivered, titleOf) }
  for (const { channel, title, to, organizationId, isAccepted } of reference.sent) {
    if (!isAccepted || world.isStuck(organizationId)) continue
    const ids = (delivered[channel].get(title) ?? []).map(({ key }) => key)
    const isLogged = rows.some(
      (row) =>
        ids.includes(textOf(row.send_id)) &&
        textOf(row.recipient).toLowerCase() === to.toLowerCase() &&
        row.outcome === 'accepted',
    )
    if (!isLogged)
      violated('a send is recorded before it is answered', `${title} to ${to} of ${organizationId}`)
  }
}
