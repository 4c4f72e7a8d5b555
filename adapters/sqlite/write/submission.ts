import type { NewSubmission, SaveSubmissionOutcome } from '../../../ports/tenant-writer.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { boundedNow, nextInstant } from './write-clock.ts'
import { sql } from '../statement/sql.ts'

const organization = slot('organizationId')

/** The oldest contact with the email; else the oldest with the phone and no other email; else the new id. */
const matchedContact = sql`case when ${slot('hasContact')} then coalesce(
  (select contact_id from contacts where organization_id = ${organization} and email_key = ${slot('emailKey')}
    order by created_at, contact_id limit 1),
  (select contact_id from contacts where organization_id = ${organization} and phone = ${slot('phone')}
    and (email_key is null or ${slot('emailKey')} is null) order by created_at, contact_id limit 1),
  ${slot('newContactId')}) end`

/** Counts at most as far as the limit. A submission without a contact is not limited. */
const belowLimit = sql`(${slot('limit')} is null or m.contact_id is null or ${slot('limit')} > (
  select count(*) from (select 1 from form_submissions as earlier
    where earlier.organization_id = ${organization} and earlier.form_id = ${slot('formId')}
      and earlier.contact_id = m.contact_id limit +${slot('limit')})))`

/**
 * The submission comes first, on condition of everything. Its `updated_at` is later than the organization's clock, until
 * the end of the batch moves that clock.
 */
const insertSubmission = template(sql<{ readonly contactId: string | null }>`
  insert into form_submissions (organization_id, submission_id, form_id, contact_id, attribution, source,
    submitted_at, updated_at, answers)
  select f.organization_id, ${slot('submissionId')}, f.form_id, m.contact_id, ${slot('attribution')},
    ${slot('source')}, ${slot('submittedAt')}, ${nextInstant(sql.id('o', 'clock_at'))}, ${slot('answers')}
  from forms as f
    join organizations as o on o.organization_id = f.organization_id
    join (select ${matchedContact} as contact_id) as m
  where f.organization_id = ${organization} and f.form_id = ${slot('formId')}
    and f.is_published = 1 and f.version = ${slot('formVersion')} and ${belowLimit}
  on conflict (organization_id, submission_id) do nothing
  returning contact_id as "contactId"`)

/**
 * The submission, if this very batch inserted it: until the batch moves the organization's clock, at its end, no
 * other row is later than that clock. Every other write of the batch is made on this condition.
 */
const freshSubmission = sql`form_submissions as s join organizations as o on o.organization_id = s.organization_id
  where s.organization_id = ${organization} and s.submission_id = ${slot('submissionId')} and s.updated_at > o.clock_at`

const phoneIsTaken = sql`exists (select 1 from contacts as other where other.organization_id = ${organization}
  and other.phone = ${slot('phone')})`
const emailIsTaken = sql`exists (select 1 from contacts as other where other.organization_id = ${organization}
  and other.email_key = ${slot('emailKey')})`

/**
 * Creates the contact, or fills the empty attributes of the one that matched; a match with nothing to fill is not
 * touched. An email or phone that any contact holds is not copied, to a new contact or an old one.
 */
const saveContact = template(sql`
  insert into contacts (organization_id, contact_id, first_name, last_name, email, email_key, phone, license_plate,
    tags, email_consent, sms_consent, source, created_at, updated_at)
  select s.organization_id, s.contact_id, ${slot('firstName')}, ${slot('lastName')},
    case when ${emailIsTaken} then null else ${slot('email')} end,
    case when ${emailIsTaken} then null else ${slot('emailKey')} end,
    case when ${phoneIsTaken} then null else ${slot('phone')} end, ${slot('licensePlate')},
    '[]', 'unknown', 'unknown', 'form', s.submitted_at, s.updated_at
  from ${freshSubmission} and s.contact_id is not null
  on conflict (organization_id, contact_id) do update set
    first_name = coalesce(nullif(contacts.first_name, ''), excluded.first_name, contacts.first_name),
    last_name = coalesce(nullif(contacts.last_name, ''), excluded.last_name, contacts.last_name),
    license_plate = coalesce(nullif(contacts.license_plate, ''), excluded.license_plate, contacts.license_plate),
    email = coalesce(contacts.email, excluded.email), email_key = coalesce(contacts.email_key, excluded.email_key),
    phone = coalesce(contacts.phone, excluded.phone), updated_at = excluded.updated_at
  where (contacts.email is null and excluded.email is not null)
    or (contacts.phone is null and excluded.phone is not null)
    or (coalesce(contacts.first_name, '') = '' and excluded.first_name is not null)
    or (coalesce(contacts.last_name, '') = '' and excluded.last_name is not null)
    or (coalesce(contacts.license_plate, '') = '' and excluded.license_plate is not null)`)

/**
 * The given entries, and a run of each automation that the form triggers at this very moment. They are due by the clock
 * of the service that saves them: `updated_at` of the submission may be later by as much as the organization's clock is.
 */
const insertOutbox = template(sql<{ readonly outboxId: string }>`
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  select s.organization_id, entry.value ->> 0, s.submission_id, entry.value ->> 1, entry.value ->> 2,
    ${boundedNow}, ${boundedNow}, ${boundedNow}
  from json_each(${slot('outbox')}) as entry, ${freshSubmission}
  union all
  select s.organization_id, 'run_' || s.submission_id || '_' || row_number() over (order by a.automation_id),
    s.submission_id, 'automation_run', json_object('automationId', a.automation_id),
    ${boundedNow}, ${boundedNow}, ${boundedNow}
  from automations as a indexed by automations_trigger_form_id_status, ${freshSubmission}
    and a.organization_id = s.organization_id and a.trigger_form_id = s.form_id and a.status = 'active'
  on conflict (organization_id, outbox_id) do nothing
  returning outbox_id as "outboxId"`)

/** The last of the writes: from here on the submission is no longer a fresh one. */
const moveClock = template(sql`
  update organizations set clock_at = max(clock_at, fresh.updated_at)
  from (select s.updated_at from ${freshSubmission}) as fresh
  where organizations.organization_id = ${organization}`)

interface RefusalRow {
  readonly submissionId: string | null
  readonly contactId: string | null
  readonly current: number
}

/** Why nothing was inserted: the submission was saved before, the form is no longer current, or the limit is reached. */
const readRefusal = template(sql<RefusalRow>`
  select s.submission_id as "submissionId", s.contact_id as "contactId",
    exists (select 1 from forms where organization_id = ${organization} and form_id = ${slot('formId')}
      and is_published = 1 and version = ${slot('formVersion')}) as current
  from (select 1) left join form_submissions as s
    on s.organization_id = ${organization} and s.submission_id = ${slot('submissionId')}`)

/** Saves a submission in one batch. Only one that was not inserted costs a second call, to learn why. */
export async function saveSubmission(
  executor: Executor,
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Promise<SaveSubmissionOutcome> {
  const values = { organizationId, now, ...submissionValues(submission) }
  // The outbox comes before the contact, which it does not look at, so that its place in the batch is always the same.
  const [inserted, queued] = await resultsOf(executor, [
    bind(insertSubmission, values),
    bind(insertOutbox, values),
    ...(submission.contact === null ? [] : [bind(saveContact, values)]),
    bind(moveClock, values),
  ])
  const row = inserted.rows[0]
  if (row !== undefined) {
    return {
      kind: 'saved',
      contactId: row.contactId,
      outboxIds: queued.rows.map(({ outboxId }) => outboxId),
    }
  }
  const [refusal] = await rowsOf(executor, bind(readRefusal, values))
  return refusalOutcome(refusal)
}

function submissionValues(submission: NewSubmission): Readonly<Record<string, BoundValue>> {
  const { contact } = submission
  return {
    submissionId: submission.submissionId,
    formId: submission.formId,
    formVersion: submission.formVersion,
    submittedAt: submission.submittedAt,
    source: submission.source,
    answers: JSON.stringify(submission.answers),
    attribution: JSON.stringify(submission.attribution),
    limit: submission.limitPerContact,
    outbox: JSON.stringify(
      submission.outbox.map(({ outboxId, kind, payload }) => [
        outboxId,
        kind,
        JSON.stringify(payload ?? null),
      ]),
    ),
    hasContact: contact === null ? 0 : 1,
    newContactId: contact?.newContactId ?? null,
    email: contact?.email ?? null,
    emailKey: contact?.emailKey ?? null,
    phone: contact?.phone ?? null,
    firstName: contact?.firstName ?? null,
    lastName: contact?.lastName ?? null,
    licensePlate: contact?.licensePlate ?? null,
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
