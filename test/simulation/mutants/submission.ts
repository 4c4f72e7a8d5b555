import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type {
  StoredForm,
  NewSubmission,
  SaveSubmissionOutcome,
  TenantWriter,
} from '../../../ports/records.ts'
import { mutantsOf, replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

type Save = (
  submission: NewSubmission,
  tenant: TenantWriter,
  organizationId: string,
) => Promise<SaveSubmissionOutcome>

/** The storage with another way to save submissions. */
function saving(storage: PlacedStorage, save: Save): PlacedStorage {
  const { forms } = storage
  return {
    ...storage,
    forms: {
      find: (formId) => forms.find(formId),
      submissionsOf: (organizationId) => {
        const tenant = storage.tenant(organizationId)
        return portWith(tenant, { saveSubmission: (submission) => save(submission, tenant, organizationId) })
      },
    },
  }
}

const idsOf = ({ outbox }: NewSubmission) => outbox.map(({ outboxId }) => outboxId)

async function hasReachedLimit(
  { contact, formId, limitPerContact }: NewSubmission,
  tenant: TenantWriter,
): Promise<boolean> {
  if (limitPerContact === null || contact?.emailKey == null) return false
  const contacts = await tenant.findMany('contacts', ['contactId'], [contact.emailKey], 'emailKey')
  const submissions = await tenant.findMany('form-submissions', ['contactId'], [formId], 'formId')
  const isOfContact = (row: { readonly contactId?: unknown }) => row.contactId === contacts[0]?.contactId
  return submissions.filter(isOfContact).length >= limitPerContact
}

async function insertOutbox(
  { outbox, submissionId }: NewSubmission,
  organizationId: string,
  executor: Executor,
): Promise<void> {
  const at = '2026-03-01T00:00:00.000Z'
  await executor.batch(
    outbox.map(({ outboxId, kind, payload }) => ({
      sql: `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6)`,
      parameters: [organizationId, outboxId, submissionId, kind, JSON.stringify(payload), at],
    })),
  )
}

export const submissionMutants = mutantsOf({
  'the receipt is given before the commit': {
    storage: (storage, { run }) =>
      saving(storage, async (submission, tenant) => {
        run(tenant.saveSubmission(submission))
        return { kind: 'saved', contactId: null, outboxIds: idsOf(submission) }
      }),
  },
  'the limit is checked outside the transaction': {
    storage: (storage) =>
      saving(storage, async (submission, tenant) =>
        (await hasReachedLimit(submission, tenant))
          ? { kind: 'limit_reached' }
          : tenant.saveSubmission({ ...submission, limitPerContact: null }),
      ),
  },
  'the outbox is written after the submission, in a batch of its own': {
    storage: (storage, { executor }) =>
      saving(storage, async (submission, tenant, organizationId) => {
        const outcome = await tenant.saveSubmission({ ...submission, outbox: [] })
        if (outcome.kind !== 'saved' || submission.outbox.length === 0) return outcome
        await insertOutbox(submission, organizationId, executor)
        return { ...outcome, outboxIds: [...idsOf(submission), ...outcome.outboxIds] }
      }),
  },
  'a submission is saved although its form is not in force any more': {
    storage: (storage) =>
      saving(storage, async (submission, tenant) => {
        const outcome = await tenant.saveSubmission(submission)
        if (outcome.kind !== 'stale') return outcome
        const formVersion = (await storage.forms.find(submission.formId))?.version
        return formVersion === undefined ? outcome : tenant.saveSubmission({ ...submission, formVersion })
      }),
  },
  'a form that was found is never looked up again': {
    storage: (storage, { memory }) => ({
      ...storage,
      forms: {
        ...storage.forms,
        find: async (formId) => {
          const form = (memory.get(formId) as StoredForm | undefined) ?? (await storage.forms.find(formId))
          memory.set(formId, form)
          return form
        },
      },
    }),
  },
  'a contact is matched in all organizations': {
    statement: replacing(
      'from contacts where organization_id = ?1 and email_key = ?2',
      'from contacts where email_key = ?2',
    ),
  },
})
