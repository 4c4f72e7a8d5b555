import type { EmailMessage } from '../../ports/messaging.ts'
import type { ClaimedEntry } from '../../ports/outbox.ts'
import {
  noEmailProvider,
  prepareEmail,
  hopeless,
  malformedEntry,
  type Verdict,
  type Job,
  inTime,
} from './work.ts'
import { platformMailbox, tenantMailbox, type MailIdentity } from '../messaging/sender.ts'
import { deliveryAddress, emailKey, isProviderAddress } from '../text/typed-text.ts'
import { html, oneLine, type Html } from '../text/html.ts'
import { readableMinute } from '../text/instant.ts'
import { listOf, membersOf } from '../text/encoding.ts'
import type { FormDefinition, OutboxEntry } from '../../ports/records.ts'
import {
  NOTIFICATION_EMAILS_MAX,
  type AnswerField,
  REPLY_TO_KEY,
  SUBJECT_KEY,
  SUBJECT_MAX_LENGTH,
} from '../forms/language/definition.ts'
import { answersAsTyped } from '../forms/language/answers.ts'
import { answerLines, shownFields, truthsOf, type AnswerLine } from '../forms/shown-answers.ts'
import { sayerOf, type Say, written } from '../forms/language/words.ts'
import { notificationsOf } from '../forms/outbox.ts'
import { selection, serializer } from '../record/resource.ts'
import * as v from 'valibot'

/** What a digest has gathered. */
const Digest = v.object({
  formId: v.string(),
  /** The origin of the service, for links; null: it is not known. */
  servedAt: v.nullable(v.string()),
  count: v.number(),
  /** The ids of the first submissions. */
  first: v.array(v.string()),
})
type Digest = v.InferOutput<typeof Digest>

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

// While more is submitted to a form than its people are told of one by one, an entry of the outbox gathers the rest. When
// it is due, its place is taken by an email to each of the form's addresses, which names the first submissions.

/** Ends gathering: the entry's place is taken by one for each address, unless the form takes none any more. */
export function sendDigest({ entry }: Job): Verdict {
  const digest = v.safeParse(Digest, entry.payload)
  if (!digest.success) return malformedEntry
  const { form } = entry
  // Whoever unpublishes a form stops what still waits of it.
  const isStopped = form?.definition.isPublished === false
  if (form === null || isStopped) return { kind: 'done', sends: [] }
  const entries: readonly OutboxEntry[] = notificationsOf(form.definition, entry.outboxId, {
    formId: digest.output.formId,
    digest: digest.output,
  })
  return { kind: 'done', sends: [], entries }
}

/** A submission as a digest names it: when it came, and the beginning of its first answers. */
interface NamedSubmission {
  readonly submissionId: string
  readonly line: string
}

const ANSWERS_SHOWN = 2
const ANSWER_SHOWN_MAX = 80

/** Those of the first submissions that are still there and no spam, in the order in which they came. */
async function namedSubmissions(
  { first }: Digest,
  { entry, world }: Job,
  say: Say,
): Promise<readonly NamedSubmission[]> {
  const { hooks } = world
  const resource = hooks.resourceOf('submission.created')
  if (resource === undefined) return []
  const tenant = hooks.tenant(entry.organization.organizationId)
  const rows = await inTime(tenant.findMany(resource.collection, selection(resource), first), world)
  await resource.prepare?.()
  const fields = shownFields(entry.form?.definition.fields)
  return rows
    .map((row) => membersOf(serializer(resource)(row)))
    .filter(({ spam }) => spam !== true)
    .map(({ submissionId, submittedAt, answers }) => ({
      submissionId: String(submissionId),
      line: [
        written(readableMinute(String(submittedAt)), say.language),
        ...answerLines(membersOf(answers), fields, truthsOf(say))
          .slice(0, ANSWERS_SHOWN)
          .map(({ value }) => oneLine(value).slice(0, ANSWER_SHOWN_MAX)),
      ].join(' · '),
    }))
    .toSorted((one, other) => first.indexOf(one.submissionId) - first.indexOf(other.submissionId))
}

/**
 * The email that reports many submissions at once: how many there are, and the first of them, each with its address in the
 * console. Those that were deleted or marked as spam meanwhile are not counted, as far as they are named. Null: none is
 * left.
 * @param say speaks as the form does
 */
async function digestEmail(
  digest: Digest,
  { from, to }: Pick<EmailMessage, 'from' | 'to'>,
  job: Job,
  say: Say,
): Promise<EmailMessage | null> {
  const named = await namedSubmissions(digest, job, say)
  const { organization, form } = job.entry
  const count = digest.count - (digest.first.length - named.length)
  if (count <= 0) return null
  const formName = form?.name ?? digest.formId
  const title = say([count === 1 ? 'digestTitleOne' : 'digestTitle', { count, form: oneLine(formName) }])
  const why = say(['digestWhy'])
  const inbox =
    digest.servedAt === null
      ? null
      : `${digest.servedAt}/console/organizations/${encodeURIComponent(organization.organizationId)}/submissions`
  const linkOf = ({ submissionId }: NamedSubmission) => `${inbox ?? ''}/${encodeURIComponent(submissionId)}`
  const nameOf = ({ submissionId }: NamedSubmission) => say(['digestNamed', { id: submissionId }])
  const items = named.map((one) =>
    inbox === null
      ? html`<li>${one.line}. ${nameOf(one)}</li> `
      : html`<li><a href="${linkOf(one)}">${one.line}</a></li> `,
  )
  const rest = count - named.length
  const more =
    rest > 0 ? [`${say(['digestMore', { count: rest }])}${inbox === null ? '' : `: ${inbox}`}`] : []
  return {
    from,
    to,
    subject: title.slice(0, SUBJECT_MAX_LENGTH).toWellFormed(),
    html: html`<!doctype html>
      <html lang="${say.language}">
        <body style="font-family:sans-serif;max-width:600px">
          <h1 style="font-size:18px">${title}</h1>
          <p>${why}</p>
          <ol>
            ${items}
          </ol>
          ${more.map((text) => html`<p>${text}</p>`)}
        </body>
      </html> `.markup,
    text: [
      title,
      why,
      ...named.map((one) => `${one.line}\n${inbox === null ? nameOf(one) : linkOf(one)}`),
      ...more,
    ]
      .join('\n\n')
      .toWellFormed(),
    replyTo: null,
    attachments: [],
    isAutomatic: true,
  }
}
