import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type {
  NewSubmission,
  OutboxEntry,
  SaveSubmissionOutcome,
} from '../../../ports/records/tenant-writer.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf, uncounted } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { advanceClock } from './write-clock.ts'

const organization = slot('organizationId')

/** The oldest contact with the email; else the oldest with the phone and no other email; else the new id. */
const matchedContact = sql`coalesce(
  (select contact_id from contacts where organization_id = ${organization} and email_key = ${slot('emailKey')}
    order by created_at, contact_id limit 1),
  (select contact_id from contacts where organization_id = ${organization} and phone = ${slot('phone')}
    and (email_key is null or ${slot('emailKey')} is null) order by created_at, contact_id limit 1),
  ${slot('newContactId')})`

/** The value of a slot, or null when a contact of the organization has it in the column. */
function unlessTaken(column: 'email_key' | 'phone', key: string, value = key): Expression<unknown> {
  return sql`iif(exists (select 1 from contacts as other
    where other.organization_id = ${organization} and ${sql.id('other', column)} = ${slot(key)}), null, ${slot(value)})`
}

/** The values for the columns of the view `accepted_submissions`, which migrations 0013 and 0022 describe. Its triggers are those of 0026. */
const accepted: Readonly<Record<string, Expression<unknown>>> = {
  organization_id: organization,
  submission_id: slot('submissionId'),
  form_id: slot('formId'),
  form_version: slot('formVersion'),
  limit_per_contact: slot('limit'),
  contact_id: matchedContact,
  new_contact_id: slot('newContactId'),
  email: unlessTaken('email_key', 'emailKey', 'email'),
  email_key: unlessTaken('email_key', 'emailKey'),
  phone: unlessTaken('phone', 'phone'),
  first_name: slot('firstName'),
  last_name: slot('lastName'),
  license_plate: slot('licensePlate'),
  source: slot('source'),
  attribution: slot('attribution'),
  answers: slot('answers'),
  submitted_at: slot('submittedAt'),
  saved_at: sql`clock_at`,
  // Follow-up work is due by the clock of the service, because the organization's clock may be ahead of it. It is never
  // due later than the instant of the write, because the clock of the service may be wrong.
  due_at: sql`iif(${slot('now')} < clock_at, ${slot('now')}, clock_at)`,
  outbox: slot('outbox'),
}

interface SavedRow {
  /** A list with the contact of the submission, or null, as its only item; an empty list: nothing was saved. */
  readonly contactIds: JsonText<readonly [] | readonly [string | null]>
  /** The ids of the automation runs that follow the submission. */
  readonly runIds: JsonText<readonly string[]>
}

/**
 * Inserts a row into the view, whose trigger writes everything that belongs to the submission. It runs after
 * `advanceClock` in the same batch. Its result is read after the trigger has run: a submission that was saved earlier
 * has an `updated_at` before the clock, so it is not returned. The ids of the runs share a prefix, and `:` sorts after
 * every digit, so the range contains all of them. The statement only calls functions that SQLite compiles inline, for
 * the reason that migration 0022 gives.
 */
const insertSubmission = template(sql<SavedRow>`
  insert or fail into accepted_submissions (${sql.join(Object.keys(accepted).map((column) => sql.id(column)))})
  select ${sql.join(Object.values(accepted))} from organizations where organization_id = ${organization}
  returning (select json_group_array(contact_id) from form_submissions as s
      where s.organization_id = ${organization} and s.submission_id = ${slot('submissionId')}
        and s.updated_at = saved_at) as "contactIds",
    (select json_group_array(outbox_id) from outbox as o where o.organization_id = ${organization}
      and o.outbox_id >= 'run_' || ${slot('submissionId')} || '_'
      and o.outbox_id < 'run_' || ${slot('submissionId')} || '_:') as "runIds"`)

interface RefusalRow {
  readonly submissionId: string | null
  readonly contactId: string | null
  readonly current: number
}

/** The executors for writing to one organization. */
export interface TenantExecutors {
  readonly executor: Executor
  /** For submissions, whose statements contain the guard's checks already. */
  readonly submissions: Executor
}

/**
 * Reads why nothing was inserted: the submission was saved before, the form is no longer current, or the limit is
 * reached.
 */
const readRefusal = template(sql<RefusalRow>`
  select s.submission_id as "submissionId", s.contact_id as "contactId",
    exists (select 1 from forms where organization_id = ${organization} and form_id = ${slot('formId')}
      and is_published = 1 and version = ${slot('formVersion')}) as current
  from (select 1) left join form_submissions as s
    on s.organization_id = ${organization} and s.submission_id = ${slot('submissionId')}`)

/**
 * Saves a submission in one call. When nothing was inserted, a second call finds out why. The first one then changed
 * only the organization's clock, which no port shows. Where the database has no row of the organization, the first call
 * inserts nothing and raises no error, and the second one tells whether the organization lives elsewhere.
 */
export async function saveSubmission(
  { executor, submissions }: TenantExecutors,
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Promise<SaveSubmissionOutcome> {
  const values = { organizationId, now, ...submissionValues(submission) }
  const [, inserted] = await resultsOf(submissions, [
    uncounted(bind(advanceClock, values)),
    uncounted(bind(insertSubmission, values)),
  ])
  const [saved] = inserted.rows
  const [contactId] = saved === undefined ? [] : parsed(saved.contactIds)
  if (saved !== undefined && contactId !== undefined) {
    const outboxIds = [...submission.outbox.map(({ outboxId }) => outboxId), ...parsed(saved.runIds)]
    return { kind: 'saved', contactId, outboxIds }
  }
  const [refusal] = await rowsOf(executor, bind(readRefusal, values))
  return refusalOutcome(refusal)
}

function submissionValues(submission: NewSubmission): Readonly<Record<string, BoundValue>> {
  const { contact, outbox } = submission
  return {
    submissionId: submission.submissionId,
    formId: submission.formId,
    formVersion: submission.formVersion,
    submittedAt: submission.submittedAt,
    source: submission.source,
    answers: JSON.stringify(submission.answers),
    attribution: JSON.stringify(submission.attribution),
    limit: submission.limitPerContact,
    outbox: outbox.length === 0 ? null : JSON.stringify(byKind(outbox)),
    newContactId: contact?.newContactId ?? null,
    email: contact?.email ?? null,
    emailKey: contact?.emailKey ?? null,
    phone: contact?.phone ?? null,
    firstName: contact?.firstName ?? null,
    lastName: contact?.lastName ?? null,
    licensePlate: contact?.licensePlate ?? null,
  }
}

/** Groups outbox entries by kind: an object for each kind, with the payloads as texts by the entries' ids. */
function byKind(outbox: readonly OutboxEntry[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const kinds: Record<string, Record<string, string>> = {}
  for (const { outboxId, kind, payload } of outbox) {
    const ofKind = (kinds[kind] ??= {})
    ofKind[outboxId] = JSON.stringify(payload ?? null)
  }
  return kinds
}

/** The outcome when nothing was inserted. A row with the submission's id means that an earlier attempt saved it. */
function refusalOutcome(row: RefusalRow | undefined): SaveSubmissionOutcome {
  if (row === undefined) throw new Error('A refused submission gave no reason')
  if (row.submissionId !== null) {
    return { kind: 'saved', contactId: row.contactId, outboxIds: [] }
  }
  return row.current === 1 ? { kind: 'limit_reached' } : { kind: 'stale' }
}
