/** A value that a query compares by. Instants are UTC ISO 8601 text with milliseconds, so text order is time order. */
export type Scalar = string | number | boolean

/**
 * The condition `field operator value`. A null stored value satisfies none. `contains` tests whether a stored list of
 * strings includes the value; `mentions`, whether a stored document has a text or a number that includes it at any depth,
 * where ASCII letters of either case are the same and the value has small ones. The other operators compare.
 */
export interface Predicate {
  readonly field: string
  /** Only of `mentions`: further stored documents, of which any may include the value. Left out: there are none. */
  readonly others?: readonly string[]
  readonly operator: 'equals' | 'atLeast' | 'above' | 'atMost' | 'below' | 'contains' | 'mentions'
  readonly value: Scalar
}

/**
 * The total order of a page: a sort field, the id that breaks ties, and one direction for both. Rows without a value in
 * the sort field come last in both directions.
 */
export interface Order {
  readonly field: string
  readonly idField: string
  readonly direction: 'ascending' | 'descending'
}

/**
 * The values of the order in the last row of the previous page. The next page starts directly after that row. The rows
 * of a list that knows one order alone are in the order of their instant, and then of their id.
 */
export interface Position {
  /** Null: that row has no value in the sort field, so only rows without a value follow. */
  readonly value: string | number | null
  readonly id: string
}

/** One page of a stored collection of the tenant. */
export interface PageQuery {
  readonly kind: 'page'
  readonly collection: string
  /** The stored fields to return; no others are read. */
  readonly select: readonly string[]
  readonly where: readonly Predicate[]
  readonly order: Order
  readonly after: Position | null
  /** The maximum number of rows. Callers ask for one more than the page, to learn whether another page follows. */
  readonly limit: number
  /**
   * The maximum number of rows to look at for filters that are tested row by row. The storage may read each of them twice.
   * Left out: as many as it takes. Outside sources have bounds of their own.
   */
  readonly looksAtMax?: number
}

/** Where a page ended before its limit. */
export interface PageEnd {
  /**
   * More rows may follow this position, although fewer than the page's limit were found: because these are too large to
   * be read at once, or because as many were looked at as the query allows. Null: the page did not end early.
   */
  readonly stoppedAt: Position | null
}

/** One row of a stored collection of the tenant, by id. */
export interface OneQuery {
  readonly kind: 'one'
  readonly collection: string
  readonly select: readonly string[]
  readonly id: string
}

/** The last group of the previous page: the next page starts directly after it. */
export interface GroupPosition {
  readonly sum: number
  /** Null: the group of the rows without a value. */
  readonly value: string | null
}

/** Sums over rows of a stored collection of the tenant, a group for each value of one text field. */
export interface GroupsQuery {
  readonly kind: 'groups'
  readonly collection: string
  /** The field by whose values rows are grouped. Rows without a value form a group too. */
  readonly by: string
  readonly where: readonly Predicate[]
  /** The whole-number fields to sum. The first one orders the groups. */
  readonly sums: readonly [string, ...string[]]
  /**
   * `sum`: by the first sum, greatest first, then by value. `value`: by value, descending. The group without a value
   * comes last.
   */
  readonly order: 'sum' | 'value'
  readonly after: GroupPosition | null
  readonly limit: number
}

/** A group is returned as a row with `value` and the sums by name. */
export type ReadQuery = PageQuery | OneQuery | GroupsQuery

/**
 * A stored row, by camelCase field names. JSON fields are parsed, booleans are real booleans, and missing values are
 * null.
 */
export type StoredRow = Readonly<Record<string, unknown>>

/** One page of rows, or why there is none. */
export type SourcePage =
  | {
      readonly kind: 'page'
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. It is valid only for the same source and query. */
      readonly next: Position | null
    }
  | SourceRefusal
  | SourceFailure

/** One row; null when no row has that id; or why the source cannot tell. */
export type SourceRow = { readonly kind: 'row'; readonly row: StoredRow | null } | SourceFailure

/** The source never supports this query, because it lacks a filter or an order. */
export interface SourceRefusal {
  readonly kind: 'unsupported'
  /**
   * The field and operator of the predicate that the source does not support. When the operator is null, the field of
   * an order.
   */
  readonly field: string
  readonly operator: Predicate['operator'] | null
  /** What the source can serve, as the end of a sentence that begins with the name of a parameter. */
  readonly allowed: string
}

/**
 * The source is temporarily unavailable: it did not answer in time, refused this service, or sent a malformed answer.
 */
export interface SourceFailure {
  readonly kind: 'unavailable'
  /** For the operator's log, in this service's words, without an address, a key or a row. */
  readonly reason: string
  /** The caught exception. Only for the operator's log, which contains its name and place but never its message. */
  readonly cause?: unknown
}

/**
 * Rows of one organization that are stored outside this service. The queries are those of storage, with the same field
 * names. A source with an order of its own documents it where the source is opened. No method rejects, and each ends
 * within a bounded time.
 */
export interface RecordSource {
  /** At most `query.limit` rows in the query's order after `query.after`. */
  page(query: PageQuery): Promise<SourcePage>
  one(query: OneQuery): Promise<SourceRow>
}

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
  /** What the visitor typed, by field id, where the answer does not say all of it; null: it does everywhere. */
  readonly typed: Readonly<Record<string, string>> | null
  /** What was sent besides, by name: see `domain/resources/form-submissions.ts`; null: nothing. */
  readonly extra: Readonly<Record<string, string>> | null
  readonly attribution: Readonly<Record<string, string>>
  /** Null: the submission identifies nobody. */
  readonly contact: SubmittedContact | null
  /** The maximum number of submissions of this form by one contact; null: no limit. */
  readonly limitPerContact: number | null
  /**
   * Its notifications. When as many of the form went out lately as may one by one, the submission is gathered into the
   * form's digest instead.
   */
  readonly outbox: readonly OutboxEntry[]
  /** The origin that served it, for links to it in a digest; null: it is not known. */
  readonly servedAt: string | null
  /** What decides whether it is spam; null: the form takes everything for clean. */
  readonly judged: JudgedSubmission | null
}

/** What decides whether a submission is spam. */
export interface JudgedSubmission {
  /** Why its content is spam, in the words of `domain/spam/reasons.ts`; none: it is not. */
  readonly reasons: readonly string[]
  /** What others that come to the form may have too. None stands here twice. */
  readonly signs: readonly SubmissionSign[]
  /** Its words, as numbers (`domain/spam/content.ts`), for what the organization's people have taught. */
  readonly words: readonly number[]
}

/** What several submissions of a form may have in common, as a keyed hash: nothing can be read from it. */
export interface SubmissionSign {
  readonly sign: string
  /** For how long later submissions are compared with this one, in ms. */
  readonly keptMs: number
  /** As many earlier submissions with the same sign, and the present one is spam for this reason. */
  readonly earlierMax: number
  readonly reason: string
}

export type SaveSubmissionOutcome =
  /** Submission, contact and outbox entries were written. `contactId` is the submission's contact; null too for spam. */
  | {
      readonly kind: 'saved'
      readonly contactId: string | null
      /**
       * The outbox entries that this call wrote and that a worker may take up at once: none when an earlier call saved the
       * submission, or when so much work of the organization is due that it has to wait for its turn.
       */
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
   *
   * It is spam when its content is, when it is like what the organization's people marked as spam, or when as many came to the form lately with a sign of it as the sign allows, which
   * is judged in the same step. Then the submission alone is written, with its reasons, and what its contact would be.
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

/** What a person says of submissions. What is left out stays. */
export interface SubmissionMark {
  readonly isRead?: boolean
  readonly isSpam?: boolean
}

/**
 * What people said of one tenant's submissions. That they read one is no part of it: neither does its `updatedAt` move,
 * nor is it in any collection. Whether it is spam is a field of it. A mark goes with its submission.
 */
export interface SubmissionMarks {
  /**
   * Marks submissions, all of them or none. What was held of spam that is marked clean follows then, in the same step as
   * the mark: its contact, the notifications of its form as that is now, runs and webhooks. It follows once, whatever
   * they are marked afterwards. What is said of spam teaches the organization's filter, each submission once. Atomic, except that more than 50 with something held are released in several steps; to
   * mark the same again does what is left.
   * @param submissionIds some hundreds at most, because they are one parameter of a statement
   * @returns some of the ids that no submission has; none: all are marked
   */
  markSubmissions(submissionIds: readonly string[], mark: SubmissionMark): Promise<readonly string[]>
  /** Those of the submissions that are marked read, in any order. One that was never marked is unread. */
  findRead(submissionIds: readonly string[]): Promise<readonly string[]>
  /**
   * Counts unread submissions among the newest.
   * @param formId only those of this form; null: of all forms
   * @param looksAtMax how many of the newest are looked at. The storage may read two rows for each
   * @returns `isWhole`: whether these were fewer, so that none is left out
   */
  countUnread(
    formId: string | null,
    looksAtMax: number,
  ): Promise<{ readonly unread: number; readonly isWhole: boolean }>
}

/** Writes to one tenant's data. Every method is atomic. */
export interface TenantWriter extends SubmissionWriter, SubmissionMarks {
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
   * @param savedBy for forms: the name of who saves them. Each form that is written becomes its next version, in the
   *   same step, and before that what it replaces, if that is no version, as after an import. Left out: no versions
   */
  change(
    collection: string,
    changes: readonly RowChange[],
    savedBy?: string,
  ): Promise<readonly string[] | null>
  /** The versions of a form, newest first, at most 50. */
  formVersions(formId: string): Promise<readonly FormVersion[]>
  /** A version of a form with what was saved, never with a password; null: there is none, or none any more. */
  formVersion(
    formId: string,
    number: number,
  ): Promise<(FormVersion & { readonly definition: FormDefinition }) | null>
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

/**
 * A form as it was saved, without its password. An import checks the form-level keys, but not `fields`, whose entries
 * may be anything.
 */
export interface FormDefinition {
  readonly formId: string
  readonly name: string
  readonly isPublished: boolean
  readonly requireEmailVerification?: boolean | null
  readonly posEnrollment?: boolean | null
  readonly submissionLimitPerContact?: number | null
  readonly successTitle?: string | null
  readonly successMessage?: string | null
  readonly publicUrl?: string | null
  /** The language in which the service speaks to a visitor. */
  readonly language?: 'en' | 'de' | 'es' | 'fr' | null
  /** Sentences of the form's own, by key, in place of those of the service. */
  readonly texts?: Readonly<Record<string, string>> | null
  /** Whether `/f/{formId}` keeps what the form does not ask for; left out: refuse. */
  readonly extraAnswers?: 'refuse' | 'keep' | null
  /** Whether what comes in is judged; left out: on. */
  readonly spamFilter?: 'on' | 'off' | null
  readonly notificationEmails: readonly string[]
  readonly fields: readonly unknown[]
}

/** What is known of a form as it was saved once. */
export interface FormVersion {
  /** From 1; a later version has a greater number. */
  readonly number: number
  /** UTC instant. */
  readonly savedAt: string
  /** The name of who saved it; null: an import, or not known. */
  readonly savedBy: string | null
  /** The name of the form in it. */
  readonly name: string
}

/** A form as the submission endpoint needs it. `version` changes with every change of the form's row. */
export interface StoredForm {
  readonly organizationId: string
  readonly formId: string
  readonly version: number
  readonly isPublished: boolean
  readonly definition: FormDefinition
  /** A versioned, salted hash of the password; null: the form needs none. */
  readonly passwordHash: string | null
  /** The owning organization's country for national phone numbers (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
  /** The owning organization's name, for the form's own page. */
  readonly organizationName: string
}

/** Finds forms by their service-wide identifier, published or not, for callers that hold no key. */
export interface FormDirectory {
  /** The form, or null when no organization has a form with that id. */
  find(formId: string): Promise<StoredForm | null>
  /** Opens the organization that owns a found form, for writing submissions. No I/O. */
  submissionsOf(organizationId: string): SubmissionWriter
}
