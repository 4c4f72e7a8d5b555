import { sql } from 'kysely'
import type { ClaimedEntry, Lease, OutboxRef } from '../../ports/outbox-store.ts'
import type { StoredRow } from '../../ports/query.ts'
import { bind, slot, template } from './compiler.ts'
import type { Executor, ResultRow } from './executor.ts'
import { organizationFromRow } from './records.ts'

/**
 * An entry that was never claimed may be claimed at once, whatever the clocks of two machines say. The lease token of
 * one that waits for its next attempt is empty text.
 */
const take = template(sql`
  update outbox set lease_token = ${slot('token')}, next_attempt_at = ${slot('until')}, attempts = attempts + 1,
    updated_at = ${slot('now')}
  where organization_id = ${slot('organizationId')} and outbox_id = ${slot('outboxId')} and status = 'pending'
    and (lease_token is null or next_attempt_at <= ${slot('now')})`)

const held = sql`from outbox as b where b.organization_id = ${slot('organizationId')}
  and b.outbox_id = ${slot('outboxId')} and b.lease_token = ${slot('token')}`

const readEntry = template(sql`select b.kind, b.payload, b.attempts ${held}`)

const readOrganization = template(sql`
  select o.* from organizations as o where o.organization_id = (select b.organization_id ${held})`)

const readSubmission = template(sql`
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
  const [, entries, organizations, submissions] = await executor.batch([
    bind(take, values),
    bind(readEntry, values),
    bind(readOrganization, values),
    bind(readSubmission, values),
  ])
  const entry = entries?.results[0]
  const organization = organizations?.results[0]
  if (entry === undefined || organization === undefined) return null
  const row = submissions?.results[0] ?? null
  return {
    outboxId,
    kind: entry.kind as string,
    payload: JSON.parse(entry.payload as string) as unknown,
    attempts: entry.attempts as number,
    organization: organizationFromRow(organization),
    submission: row === null ? null : submissionOf(row),
    form: row === null ? null : formOf(row),
    contact: row === null ? null : contactOf(row),
  }
}

function submissionOf({ submissionId, formId, answers, submittedAt, contactId }: ResultRow): StoredRow {
  return { submissionId, formId, answers: parsed(answers), submittedAt, contactId }
}

function formOf({ formName, definition }: ResultRow): StoredRow | null {
  return formName === null ? null : { name: formName, definition: parsed(definition) }
}

function contactOf(row: ResultRow): StoredRow | null {
  const { foundContactId: contactId, email, phone, emailConsent, smsConsent } = row
  return contactId === null ? null : { contactId, email, phone, emailConsent, smsConsent }
}

function parsed(text: unknown): unknown {
  return JSON.parse(text as string) as unknown
}
