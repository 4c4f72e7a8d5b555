import type { NewSubmission, SaveSubmissionOutcome, SubmittedContact } from '../../ports/tenant-writer.ts'
import type { KeptRow, MemoryState, TenantState } from './state.ts'
import { nextInstant, rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** Saves a submission with its contact and outbox entries, or nothing. Runs without a pause, so it is atomic. */
export function saveSubmission(
  state: MemoryState,
  tenant: TenantState,
  submission: NewSubmission,
): SaveSubmissionOutcome {
  const submissions = rowsOf(tenant, 'form-submissions')
  const saved = submissions.get(submission.submissionId)
  if (saved !== undefined) {
    return { kind: 'saved', contactId: saved.contactId as string | null, outboxIds: [] }
  }
  const form = rowsOf(tenant, 'forms').get(submission.formId)
  if (form?.isPublished !== true || form.version !== submission.formVersion) return { kind: 'stale' }
  const match = submission.contact === null ? undefined : matchContact(tenant, submission.contact)
  const contactId = (match?.contactId as string | undefined) ?? submission.contact?.newContactId ?? null
  if (limitReached(submissions, submission, contactId)) return { kind: 'limit_reached' }

  const { ms, text: updatedAt } = nextInstant(state, tenant)
  tenant.clockMs = ms
  submissions.set(submission.submissionId, submissionRow(submission, contactId, updatedAt))
  if (submission.contact !== null) writeContact(tenant, submission, submission.contact, match, updatedAt)
  return { kind: 'saved', contactId, outboxIds: writeOutbox(tenant, submission, updatedAt) }
}

/** The given entries, and a run of each automation that the form triggers at this very moment. Returns their ids. */
function writeOutbox(tenant: TenantState, submission: NewSubmission, at: string): readonly string[] {
  const { submissionId, formId, outbox } = submission
  const triggered = [...rowsOf(tenant, 'automations').values()]
    .filter(({ status, triggerFormId }) => status === 'active' && triggerFormId === formId)
    .map(({ automationId }) => automationId as string)
    .sort(compareBytes)
  const runs = triggered.map((automationId, index) => ({
    outboxId: `run_${submissionId}_${index + 1}`,
    kind: 'automation_run',
    payload: { automationId },
  }))
  const fresh = [...outbox, ...runs].filter(({ outboxId }) => !tenant.outbox.has(outboxId))
  for (const entry of fresh) {
    const payload: unknown = JSON.parse(JSON.stringify(entry.payload ?? null))
    const untouched = { status: 'pending', attempts: 0, leaseToken: null, lastError: null } as const
    tenant.outbox.set(entry.outboxId, {
      ...entry,
      ...untouched,
      payload,
      submissionId,
      nextAttemptAt: at,
      createdAt: at,
    })
  }
  return fresh.map(({ outboxId }) => outboxId)
}

function submissionRow(submission: NewSubmission, contactId: string | null, updatedAt: string): KeptRow {
  return {
    submissionId: submission.submissionId,
    formId: submission.formId,
    contactId,
    attribution: JSON.stringify(submission.attribution),
    source: submission.source,
    submittedAt: submission.submittedAt,
    updatedAt,
    answers: JSON.stringify(submission.answers),
  }
}

/** The oldest contact with the email; else the oldest with the phone and no other email. */
function matchContact(tenant: TenantState, { emailKey, phone }: SubmittedContact): KeptRow | undefined {
  const oldestFirst = [...rowsOf(tenant, 'contacts').values()].sort(
    (left, right) =>
      compareBytes(left.createdAt as string, right.createdAt as string) ||
      compareBytes(left.contactId as string, right.contactId as string),
  )
  const byEmail = emailKey === null ? undefined : oldestFirst.find((contact) => contact.emailKey === emailKey)
  if (byEmail !== undefined || phone === null) return byEmail
  return oldestFirst.find(
    (contact) => contact.phone === phone && (contact.emailKey === null || emailKey === null),
  )
}

function limitReached(
  submissions: ReadonlyMap<string, KeptRow>,
  { formId, limitPerContact }: NewSubmission,
  contactId: string | null,
): boolean {
  if (limitPerContact === null || contactId === null) return false
  const earlier = [...submissions.values()].filter(
    (row) => row.formId === formId && row.contactId === contactId,
  )
  return earlier.length >= limitPerContact
}

function writeContact(
  tenant: TenantState,
  { submittedAt }: NewSubmission,
  contact: SubmittedContact,
  match: KeptRow | undefined,
  updatedAt: string,
): void {
  const contacts = rowsOf(tenant, 'contacts')
  const isHeld = (field: 'emailKey' | 'phone') =>
    [...contacts.values()].some((row) => row[field] === contact[field])
  const offered = {
    firstName: contact.firstName,
    lastName: contact.lastName,
    licensePlate: contact.licensePlate,
    ...(isHeld('emailKey') ? {} : { email: contact.email, emailKey: contact.emailKey }),
    ...(isHeld('phone') ? {} : { phone: contact.phone }),
  }
  const base = match ?? newContact(contact.newContactId, submittedAt, updatedAt)
  const filled = Object.entries(offered).flatMap(([field, value]) => {
    const empty = base[field] === null || base[field] === ''
    return empty && value !== null ? [[field, value.toWellFormed()] as const] : []
  })
  if (match !== undefined && filled.length === 0) return
  contacts.set(base.contactId as string, { ...base, ...Object.fromEntries(filled), updatedAt })
}

function newContact(contactId: string, createdAt: string, updatedAt: string): KeptRow {
  return {
    contactId,
    firstName: null,
    lastName: null,
    email: null,
    emailKey: null,
    phone: null,
    licensePlate: null,
    tags: '[]',
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    source: 'form',
    siteId: null,
    createdAt,
    updatedAt,
  }
}
