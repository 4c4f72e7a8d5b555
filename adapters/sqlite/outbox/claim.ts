import { sql } from 'kysely'
import type { FormDefinition } from '../../../ports/records/form-directory.ts'
import type {
  ClaimedContact,
  ClaimedEntry,
  ClaimedForm,
  ClaimedSubmission,
  Lease,
  OutboxRef,
} from '../../../ports/messaging/outbox-store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'
import type { OrganizationRow } from '../table/access-rows.ts'
import { organizationFromRow } from '../table/access-rows.ts'

/**
 * An entry whose lease token is null was never claimed, so it may be claimed at once, even when the clocks of two
 * machines differ. An entry that waits for its next attempt has an empty token.
 */
const take = template(sql`
  update outbox set lease_token = ${slot('token')}, next_attempt_at = ${slot('until')}, attempts = attempts + 1,
    updated_at = ${slot('now')}
  where organization_id = ${slot('organizationId')} and outbox_id = ${slot('outboxId')} and status = 'pending'
    and (lease_token is null or next_attempt_at <= ${slot('now')})`)

const held = sql`from outbox as b where b.organization_id = ${slot('organizationId')}
  and b.outbox_id = ${slot('outboxId')} and b.lease_token = ${slot('token')}`

interface EntryRow {
  readonly kind: string
  readonly payload: JsonText<unknown>
  readonly attempts: number
  readonly waitingSince: string | null
}

const readEntry = template(
  sql<EntryRow>`select b.kind, b.payload, b.attempts, b.waiting_since as "waitingSince" ${held}`,
)

const readOrganization = template(sql<OrganizationRow>`
  select o.* from organizations as o where o.organization_id = (select b.organization_id ${held})`)

/**
 * A submission with its form and its contact. `formName` or `foundContactId` is null when the form or the contact no
 * longer exists.
 */
interface SubmissionRow extends Omit<ClaimedSubmission, 'answers'>, Omit<ClaimedContact, 'contactId'> {
  readonly answers: JsonText<ClaimedSubmission['answers']>
  readonly formName: string | null
  readonly definition: JsonText<FormDefinition>
  readonly foundContactId: string | null
}

const readSubmission = template(sql<SubmissionRow>`
  select s.submission_id as "submissionId", s.form_id as "formId", s.answers, s.submitted_at as "submittedAt",
    s.contact_id as "contactId", f.name as "formName", f.definition, c.contact_id as "foundContactId", c.email,
    c.phone, c.email_consent as "emailConsent", c.sms_consent as "smsConsent"
  from form_submissions as s
    left join forms as f on f.organization_id = s.organization_id and f.form_id = s.form_id
    left join contacts as c on c.organization_id = s.organization_id and c.contact_id = s.contact_id
  where s.organization_id = ${slot('organizationId')} and s.submission_id = (select b.submission_id ${held})`)

/** Claims an entry and reads what it needs, in one batch. */
export async function claim(
  executor: Executor,
  { organizationId, outboxId }: OutboxRef,
  { token, until }: Lease,
  now: string,
): Promise<ClaimedEntry | null> {
  const values = { organizationId, outboxId, token, until, now }
  const [, entries, organizations, submissions] = await resultsOf(executor, [
    bind(take, values),
    bind(readEntry, values),
    bind(readOrganization, values),
    bind(readSubmission, values),
  ])
  const entry = entries.rows[0]
  const organization = organizations.rows[0]
  if (entry === undefined || organization === undefined) return null
  const row = submissions.rows[0] ?? null
  return {
    outboxId,
    kind: entry.kind,
    payload: parsed(entry.payload),
    attempts: entry.attempts,
    waitingSince: entry.waitingSince,
    organization: organizationFromRow(organization),
    submission: row === null ? null : submissionOf(row),
    form: row === null ? null : formOf(row),
    contact: row === null ? null : contactOf(row),
  }
}

function submissionOf(row: SubmissionRow): ClaimedSubmission {
  const { submissionId, formId, answers, submittedAt, contactId } = row
  return { submissionId, formId, answers: parsed(answers), submittedAt, contactId }
}

function formOf({ formName, definition }: SubmissionRow): ClaimedForm | null {
  return formName === null ? null : { name: formName, definition: parsed(definition) }
}

function contactOf(row: SubmissionRow): ClaimedContact | null {
  const { foundContactId: contactId, email, phone, emailConsent, smsConsent } = row
  return contactId === null ? null : { contactId, email, phone, emailConsent, smsConsent }
}
