import { sql } from 'kysely'
import type { NewSubmission, SaveSubmissionOutcome } from '../../../ports/tenant-writer.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'

const organization = slot('organization_id')

interface SavedRow {
  readonly contactId: string | null
  /** The ids of the automation runs that follow the submission. */
  readonly runIds: JsonText<readonly string[]>
}

/** The columns of the view `incoming_submissions`, which migration 0013 describes. */
const columns = [
  'organization_id',
  'submission_id',
  'form_id',
  'form_version',
  'limit_per_contact',
  'source',
  'attribution',
  'answers',
  'submitted_at',
  'outbox',
  'has_contact',
  'new_contact_id',
  'email',
  'email_key',
  'phone',
  'first_name',
  'last_name',
  'license_plate',
  'now',
] as const

/**
 * An insert into the view, whose trigger writes everything that belongs to the submission. What is returned is read after
 * that; there is no row when the trigger wrote nothing. The ids of runs all begin alike, and `:` follows every digit.
 */
const insertSubmission = template(sql<SavedRow>`
  insert into incoming_submissions (${sql.join(columns.map((column) => name(column)))})
  values (${sql.join(columns.map(slot))})
  returning
    (select contact_id from form_submissions as s
      where s.organization_id = ${organization} and s.submission_id = ${slot('submission_id')}) as "contactId",
    (select json_group_array(outbox_id) from outbox as o where o.organization_id = ${organization}
      and o.outbox_id >= 'run_' || ${slot('submission_id')} || '_'
      and o.outbox_id < 'run_' || ${slot('submission_id')} || '_:') as "runIds"`)

interface RefusalRow {
  readonly submissionId: string | null
  readonly contactId: string | null
  readonly current: number
}

/** Why nothing was inserted: the submission was saved before, the form is no longer current, or the limit is reached. */
const readRefusal = template(sql<RefusalRow>`
  select s.submission_id as "submissionId", s.contact_id as "contactId",
    exists (select 1 from forms where organization_id = ${organization} and form_id = ${slot('form_id')}
      and is_published = 1 and version = ${slot('form_version')}) as current
  from (select 1) left join form_submissions as s
    on s.organization_id = ${organization} and s.submission_id = ${slot('submission_id')}`)

/** Saves a submission in one call. Only one that was not inserted costs a second call, to learn why. */
export async function saveSubmission(
  executor: Executor,
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Promise<SaveSubmissionOutcome> {
  const values = valuesOf(organizationId, submission, now)
  const [saved] = await rowsOf(executor, bind(insertSubmission, values))
  if (saved !== undefined) {
    const outboxIds = [...submission.outbox.map(({ outboxId }) => outboxId), ...parsed(saved.runIds)]
    return { kind: 'saved', contactId: saved.contactId, outboxIds }
  }
  const [refusal] = await rowsOf(executor, bind(readRefusal, values))
  return refusalOutcome(refusal)
}

function valuesOf(
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Readonly<Record<(typeof columns)[number], BoundValue>> {
  const { contact, outbox } = submission
  const entries = outbox.map(({ outboxId, kind, payload }) => [
    outboxId,
    kind,
    JSON.stringify(payload ?? null),
  ])
  return {
    organization_id: organizationId,
    submission_id: submission.submissionId,
    form_id: submission.formId,
    form_version: submission.formVersion,
    limit_per_contact: submission.limitPerContact,
    source: submission.source,
    attribution: JSON.stringify(submission.attribution),
    answers: JSON.stringify(submission.answers),
    submitted_at: submission.submittedAt,
    outbox: entries.length === 0 ? null : JSON.stringify(entries),
    has_contact: contact === null ? 0 : 1,
    new_contact_id: contact?.newContactId ?? null,
    email: contact?.email ?? null,
    email_key: contact?.emailKey ?? null,
    phone: contact?.phone ?? null,
    first_name: contact?.firstName ?? null,
    last_name: contact?.lastName ?? null,
    license_plate: contact?.licensePlate ?? null,
    now,
  }
}

/** A row with this id means that the submission was saved, now or by an earlier attempt. */
function refusalOutcome(row: RefusalRow | undefined): SaveSubmissionOutcome {
  if (row === undefined) throw new Error('A refused submission gave no reason')
  if (row.submissionId !== null) {
    return { kind: 'saved', contactId: row.contactId, outboxIds: [] }
  }
  return row.current === 1 ? { kind: 'limit_reached' } : { kind: 'stale' }
}
