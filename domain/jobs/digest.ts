import * as v from 'valibot'
import type { EmailMessage } from '../../ports/messaging.ts'
import type { OutboxEntry } from '../../ports/records.ts'
import { notificationsOf } from '../forms/outbox.ts'
import { SUBJECT_MAX_LENGTH } from '../forms/language/definition.ts'
import { written, type Say } from '../forms/language/words.ts'
import { answerLines, shownFields, truthsOf } from '../forms/shown-answers.ts'
import { selection, serializer } from '../record/resource.ts'
import { membersOf } from '../text/encoding.ts'
import { html, oneLine } from '../text/html.ts'
import { readableMinute } from '../text/instant.ts'
import { inTime, malformedEntry, type Job, type Verdict } from './work.ts'

// While more is submitted to a form than its people are told of one by one, an entry of the outbox gathers the rest. When
// it is due, its place is taken by an email to each of the form's addresses, which names the first submissions.

export const Digest = v.object({
  formId: v.string(),
  /** The origin of the service, for links; null: it is not known. */
  servedAt: v.nullable(v.string()),
  count: v.number(),
  /** The ids of the first submissions. */
  first: v.array(v.string()),
})
export type Digest = v.InferOutput<typeof Digest>

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
export async function digestEmail(
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
