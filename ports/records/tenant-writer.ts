import type { PageEnd, PageQuery, StoredRow } from './query.ts'

/** The contact attributes that a submission can contain. Missing values are null. */
export interface SubmittedContact {
  /** The id under which a new contact is created when none matches. */
  readonly newContactId: string
  readonly email: string | null
  /** The normalised email that identifies a contact within the organization. */
  readonly emailKey: string | null
  /** E.164. */
  readonly phone: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly licensePlate: string | null
}

/** Follow-up work: it is written together with the submission and done after the response. */
export interface OutboxEntry {
  readonly outboxId: string
  readonly kind: string
  readonly payload: unknown
}

export interface NewSubmission {
  readonly submissionId: string
  readonly formId: string
  /** The version of the form against which the answers were checked. */
  readonly formVersion: number
  readonly submittedAt: string
  readonly source: 'headless' | 'hosted'
  readonly answers: Readonly<Record<string, unknown>>
  readonly attribution: Readonly<Record<string, string>>
  /** Null: the submission identifies nobody. */
  readonly contact: SubmittedContact | null
  /** The maximum number of submissions of this form by one contact; null: no limit. */
  readonly limitPerContact: number | null
  readonly outbox: readonly OutboxEntry[]
}

export type SaveSubmissionOutcome =
  /** Submission, contact and outbox entries were written. `contactId` is the submission's contact. */
  | {
      readonly kind: 'saved'
      readonly contactId: string | null
      /** The outbox entries that this call wrote: none when an earlier call saved the submission. */
      readonly outboxIds: readonly string[]
    }
  /** The form changed since `formVersion`, no longer exists or is unpublished. Nothing was written. */
  | { readonly kind: 'stale' }
  /** The contact reached the form's limit: nothing was written. */
  | { readonly kind: 'limit_reached' }

/** Writes submissions of one tenant's forms. Every method is atomic. */
export interface SubmissionWriter {
  /**
   * Saves a submission with its contact and outbox entries in one atomic step. The contact is matched by `emailKey`, or
   * else by phone unless that contact has another email; without a match it is created. Of a matched contact only empty
   * attributes are filled, and never with an email or phone that another contact has. Besides the given entries, each
   * active automation that this form triggers gets an entry of kind `automation_run` with the payload `{ automationId
   * }` and the id `run_{submissionId}_{n}`, n from 1 in the order of automation ids. Saving the same `submissionId`
   * again changes nothing and returns `saved`.
   */
  saveSubmission(submission: NewSubmission): Promise<SaveSubmissionOutcome>
  /**
   * Replaces a form's password hash with a hash of the same password under another root secret, unless the stored hash
   * is no longer `from`. This does not change the form's content: neither its version nor `updatedAt` moves.
   */
  replacePasswordHash(formId: string, from: string, to: string): Promise<void>
}

/** A row to be stored in place of the one that was read. */
export interface RowChange {
  /** As `upsert` takes it. */
  readonly row: StoredRow
  /** The `updatedAt` that the stored row must still have; null: there must be none with its id. */
  readonly replaces: string | null
}

/** Writes to one tenant's data. Every method is atomic. */
export interface TenantWriter extends SubmissionWriter {
  /**
   * Inserts or updates rows of a stored collection by id (complete rows: every stored field except `updatedAt`, and
   * except a field that is kept when it is left out: what is stored at the moment of the write stays).
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
  /**
   * Writes rows as `upsert` does, all of them or none, provided that each still replaces what its change says. For
   * collections with `updatedAt`, which says whether a row has changed.
   * @returns the `updatedAt` that each row now has, in their order; null: one of them was changed, made or removed
   *   meanwhile, and nothing was written
   */
  change(collection: string, changes: readonly RowChange[]): Promise<readonly string[] | null>
  /**
   * Those of the given ids that belong to another organization. For collections whose ids are unique in the whole
   * service.
   */
  foreignIds(collection: string, ids: readonly string[]): Promise<readonly string[]>
  /**
   * The stored rows with these keys, in any order.
   * @param by the stored field to which the keys belong, when it is not the id: the collection's alternate key, or a
   *   field that several rows may share
   */
  findMany(
    collection: string,
    select: readonly string[],
    keys: readonly string[],
    by?: string,
  ): Promise<readonly StoredRow[]>
  /** One page of a stored collection, in the order of the query: at most about 4 MiB of rows, or one row. */
  findPage(query: PageQuery): Promise<FoundPage>
}

/** The rows of a page. */
export interface FoundPage extends PageEnd {
  readonly rows: readonly StoredRow[]
}
