import * as v from 'valibot'
import type { ClaimedEntry, EmailMessage } from '../../ports/messaging.ts'
import { Digest, digestEmail } from './digest.ts'
import { noEmailProvider, prepareEmail, hopeless, malformedEntry, type Verdict, type Job } from './work.ts'
import { platformMailbox, tenantMailbox, type MailIdentity } from '../messaging/sender.ts'
import { deliveryAddress, emailKey, isProviderAddress } from '../text/typed-text.ts'
import { html, oneLine, type Html } from '../text/html.ts'
import { readableMinute } from '../text/instant.ts'
import { listOf } from '../text/encoding.ts'
import type { FormDefinition } from '../../ports/records.ts'
import {
  NOTIFICATION_EMAILS_MAX,
  type AnswerField,
  REPLY_TO_KEY,
  SUBJECT_KEY,
  SUBJECT_MAX_LENGTH,
} from '../forms/language/definition.ts'
import { answersAsTyped } from '../forms/language/answers.ts'
import { answerLines, shownFields, truthsOf, type AnswerLine } from '../forms/shown-answers.ts'
import { sayerOf, type Say } from '../forms/language/words.ts'

const Payload = v.object({ to: v.string(), digest: v.optional(Digest) })

/**
 * Sends the notification of a submission, or of all that a digest has gathered, to one address, unless the form takes none
 * any more. An organization without a slug has no sender address, so the service's own is used. The entry's id is the
 * idempotency key: however often this runs, the provider sends one email.
 */
export async function notify(job: Job): Promise<Verdict> {
  const { entry, token, outbox, world } = job
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  const { to, digest } = payload.output
  if (digest === undefined && entry.submission === null) return hopeless('The submission is gone.')
  // Whoever unpublishes a form stops what still waits of it.
  if (entry.form?.definition.isPublished === false) return { kind: 'done', sends: [] }
  if (world.mail === null || world.email === null) return noEmailProvider
  // This email goes to the tenant's own staff, so it may be sent under the operator's name when the tenant has no
  // address. Email to the tenant's customers never is.
  const from = tenantMailbox(entry.organization, world.mail) ?? platformMailbox(world.mail)
  const say = await sayerOf(entry.form?.definition ?? {})
  const message =
    digest === undefined
      ? notificationEmail(entry, { from, to }, world.mail, say)
      : await digestEmail(digest, { from, to }, job, say)
  if (message === null) return { kind: 'done', sends: [] }
  const { pending, attempt } = prepareEmail(message, entry.outboxId, world.email, job)
  return (await outbox.begin(entry.outboxId, token, pending)) ? attempt() : { kind: 'lost' }
}

/**
 * The email that reports a submission: the answers under the form's labels, in the form's order, then what was sent
 * besides. Answers that look like secrets are left out, as they are wherever answers are published. The same entry gives
 * the same message while the form does not change.
 * @param say speaks as the form does
 */
export function notificationEmail(
  { submission, form }: Required<Pick<ClaimedEntry, 'submission' | 'form'>>,
  { from, to }: Pick<EmailMessage, 'from' | 'to'>,
  { domain }: Pick<MailIdentity, 'domain'>,
  say: Say,
): EmailMessage {
  const answers = submission?.answers ?? {}
  const fields = shownFields(form?.definition.fields)
  const formName = typeof form?.name === 'string' ? form.name : String(submission?.formId)
  const extra = submission?.extra ?? {}
  const lines = [
    ...answerLines(answersAsTyped(answers, submission?.typed ?? null), fields, truthsOf(say)),
    ...answerLines(extra, []),
  ]
  const at = readableMinute(String(submission?.submittedAt))
  const submitted = say(['mailSubmitted', { at, id: String(submission?.submissionId) }])
  const footer = `${submitted}${unsent(form?.definition, say)}`
  const body = lines.length > 0 ? lines : [{ id: '', label: formName, value: say(['mailNoAnswers']) }]
  const title = say(['mailTitle', { form: formName }])
  return {
    from,
    to,
    subject: oneLine(extra[SUBJECT_KEY] ?? title)
      .slice(0, SUBJECT_MAX_LENGTH)
      .toWellFormed(),
    html: htmlBody(title, body, footer, say).markup,
    text: [say(['mailTitle', { form: oneLine(formName) }]), ...body.map(textLine), footer]
      .join('\n\n')
      .toWellFormed(),
    replyTo: replyTo(
      [extra[REPLY_TO_KEY], ...emailsIn(answers, fields)],
      [to, ...notifiedBy(form?.definition)],
      domain,
    ),
    attachments: [],
    isAutomatic: true,
  }
}

/** That some addresses of a form that was stored before there was a limit get nothing. */
function unsent(definition: FormDefinition | undefined, say: Say): string {
  const { length: count } = listOf(definition?.notificationEmails)
  return count > NOTIFICATION_EMAILS_MAX
    ? ` ${say(['mailUnsent', { count, max: NOTIFICATION_EMAILS_MAX }])}`
    : ''
}

/** The addresses that a form notifies. */
function notifiedBy(definition: FormDefinition | undefined): readonly string[] {
  return listOf(definition?.notificationEmails).filter((address) => typeof address === 'string')
}

/** The answers that are the visitor's email address. */
function emailsIn(
  answers: Readonly<Record<string, unknown>>,
  fields: readonly AnswerField[],
): readonly unknown[] {
  return fields
    .filter(({ contactField, id }) => contactField === 'email' && Object.hasOwn(answers, id))
    .map(({ id }) => answers[id])
}

/**
 * The address for replies: the first that the page or the visitor gave, so that replies do not go to the service. Null when it is malformed, because
 * the provider would then refuse the whole email; and when it is an address that the notification goes to, or any of the
 * service's own, because programs that answer by themselves would then write to each other.
 */
function replyTo(
  answered: readonly unknown[],
  notified: readonly string[],
  ownDomain: string,
): string | null {
  const excluded = notified.map(emailKey)
  const given = answered.map((answer) => (typeof answer === 'string' ? deliveryAddress(answer) : ''))
  const isUsable = (address: string) =>
    !excluded.includes(emailKey(address)) && !emailKey(address).endsWith(emailKey(`@${ownDomain}`))
  return given.find((address) => isProviderAddress(address) && isUsable(address)) ?? null
}

function textLine({ label, value }: AnswerLine): string {
  return `${oneLine(label)}: ${value}`
}

function htmlBody(title: string, lines: readonly AnswerLine[], footer: string, say: Say): Html {
  const rows = lines.map(
    ({ label, value }) =>
      html`<dt style="color:#555">${label}</dt>
        <dd style="margin:0 0 12px;white-space:pre-wrap">${value}</dd> `,
  )
  return html`<!doctype html>
    <html lang="${say.language}">
      <body style="font-family:sans-serif;max-width:600px">
        <h1 style="font-size:18px">${title}</h1>
        <dl>${rows}</dl>
        <p style="color:#555;font-size:12px">${footer}</p>
      </body>
    </html> `
}
