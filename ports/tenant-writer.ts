import type { StoredRow } from './query.ts'

/** The contact attributes that a submission can carry. Absent values are null. */
export interface SubmittedContact {
  /** The id under which a new contact is created when none matches. */
  readonly newContactId: string
  readonly email: string | null
  /** Normalised email that identifies a contact within the organization. */
  readonly emailKey: string | null
  /** E.164. */
  readonly phone: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly licensePlate: string | null
}

/** Work that must happen after the response: it is written together with the submission and done later. */
export interface OutboxEntry {
  readonly outboxId: string
  readonly kind: string
  readonly payload: unknown
}

export interface NewSubmission {
  readonly submissionId: string
  readonly formId: string
  /** The version of the form that the answers were checked against. */
  readonly formVersion: number
  readonly submittedAt: string
  readonly source: 'headless' | 'hosted'
  readonly answers: Readonly<Record<string, unknown>>
  readonly attribution: Readonly<Record<string, string>>
  /** Null: the submission identifies nobody. */
  readonly contact: SubmittedContact | null
  /** Most submissions of this form by one contact; null: no limit. */
  readonly limitPerContact: number | null
  readonly outbox: readonly OutboxEntry[]
}

export type SaveSubmissionOutcome =
  /** Everything was written: submission, contact, outbox. `contactId` is the contact it was tied to. */
  | {
      readonly kind: 'saved'
      readonly contactId: string | null
      /** The outbox entries that this call wrote: none when an earlier call saved the submission. */
      readonly outboxIds: readonly string[]
    }
  /** The form changed since `formVersion`, or is gone or unpublished: nothing was written. */
  | { readonly kind: 'stale' }
  /** The contact reached the form's limit: nothing was written. */
  | { readonly kind: 'limit_reached' }

/** Writes what follows from submissions of one tenant's forms. Every method is atomic: all of it happens or nothing. */
export interface SubmissionWriter {
  /**
   * Saves a submission with its contact and outbox entries in one atomic step. The contact is matched by
   * `emailKey`, else by phone unless that contact has another email; it is created when new. A match only has
   * its empty attributes filled, and never with an email or phone that another contact holds. Besides the given
   * entries, each automation that is active and triggered by this form gets one of kind `automation_run` with the
   * payload `{ automationId }` and the id `run_{submissionId}_{n}`, n from 1 in order of automation id. Saving the
   * same `submissionId` again changes nothing and reports `saved`.
   */
  saveSubmission(submission: NewSubmission): Promise<SaveSubmissionOutcome>
  /**
   * Replaces a form's password hash with a hash of the same password under another root secret, unless the stored hash
   * is no longer `from`. This does not change the form's content: neither its version nor `updatedAt` moves.
   */
  replacePasswordHash(formId: string, from: string, to: string): Promise<void>
}

/** Writes to one tenant's data. Every method is atomic: all of it happens or nothing. */
export interface TenantWriter extends SubmissionWriter {
  /**
   * Inserts or updates rows of a stored collection by id (complete rows: every stored field except `updatedAt`).
   * `updatedAt` moves only for rows whose content changed, to an instant that never goes backwards within the
   * organization. Returns how many rows were inserted or changed. Rejects, and writes nothing, when two rows would have
   * the same value of the collection's alternate key, and for a collection that the store maintains itself.
   *
   * From `reviews`, the store maintains `visible-reviews`: for the organization, and for its parent if it has one, a
   * row for each review that is neither deleted nor a preview, with the current name of its owner's site. These rows
   * change in the same step as every write of reviews and sites. Each has an `updatedAt` from the clock of the
   * organization that reads it.
   */
  upsert(collection: string, rows: readonly StoredRow[]): Promise<{ readonly changed: number }>
  /** Of the given ids, those that exist and belong to another organization (for service-wide unique ids). */
  foreignIds(collection: string, ids: readonly string[]): Promise<readonly string[]>
  /**
   * The rows of these ids, as stored, in any order.
   * @param by the stored field that the keys are values of, when it is not the id: the collection's alternate key, or a
   * field that rows can share
   */
  findMany(
    collection: string,
    select: readonly string[],
    keys: readonly string[],
    by?: string,
  ): Promise<readonly StoredRow[]>
}
