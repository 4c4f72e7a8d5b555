import type { PosSourceTie } from './organizations.ts'
import type {
  PageQuery,
  StoredRow,
  GroupPosition,
  GroupsQuery,
  RecordSource,
  SourcePage,
  SourceRefusal,
  SourceFailure,
} from './records.ts'
import type { InstantRange } from './analytics.ts'

/** The differences between the kinds of point-of-sale sources that callers must know. */
export interface PosCapabilities {
  /**
   * Whether a customer's transactions can only be queried from a given instant on: `customerId` then needs
   * `completedAfter`.
   */
  readonly customerTransactionsNeedStart: boolean
}

/**
 * One organization's rows at its point-of-sale source, in the neutral form: the collections `pos-transactions`,
 * `pos-customers`, `pos-recurring-accounts` and `pos-recurring-account-details` with the fields that the resources
 * declare. Values that the source does not know are null. That includes a transaction's total, and the caller must not
 * publish such a transaction. Details contain the latest 24 billing events and the latest 24 status events, newest
 * first.
 */
export interface PosSource extends RecordSource {
  readonly capabilities: PosCapabilities
  /** Supports every filter that the collections declare. Rows are newest first. */
  page(query: PageQuery): Promise<Exclude<SourcePage, SourceRefusal>>
}

/** The point-of-sale sources that this deployment reaches. */
export interface PosSources {
  /**
   * Opens an organization's source. No I/O: a source that is not configured or does not answer is reported when it is
   * read.
   */
  open(tie: PosSourceTie): PosSource
}

/**
 * Writes one organization's rows to its point-of-sale source. Only imports and demonstrations do so, where the source
 * allows it.
 */
export interface PosWriter {
  /**
   * Inserts or updates rows by id, all or none: complete rows of `pos-transactions`, `pos-customers`,
   * `pos-recurring-accounts`, `pos-billing-events` and `pos-status-events`, with every field that the resource
   * declares. Writing the same rows again changes nothing. Returns how many rows were inserted or changed. Rejects for
   * any other collection.
   */
  upsert(collection: string, rows: readonly StoredRow[]): Promise<{ readonly changed: number }>
}

/** One page of groups, or why there is none. */
export type SourceGroups =
  | {
      readonly kind: 'groups'
      /** Each row has `value` and the sums by name. */
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. */
      readonly next: GroupPosition | null
    }
  | SourceRefusal
  | SourceFailure

/**
 * One organization's links outside this service: the collection `links` with the fields that the resource declares, and
 * sums over `link-events`. It refuses queries that it does not support, and names the field.
 */
export interface LinkSource extends RecordSource {
  /** At most `query.limit` groups in the query's order after `query.after`. Never rejects; see `RecordSource`. */
  groups(query: GroupsQuery): Promise<SourceGroups>
}

/** How often a reason was chosen. Its code is exactly the recorded one. */
export interface ReasonCount {
  readonly code: string
  readonly count: number
}

export type ReasonCounts =
  | {
      readonly kind: 'counts'
      /** One entry for each code that was picked in the range, in any order. */
      readonly counts: readonly ReasonCount[]
    }
  | SourceFailure

/** The reasons that members of one organization picked when canceling. */
export interface TenantExitSurvey {
  /**
   * Counts the chosen reasons in the range. An event counts once, however often it was delivered. Never rejects.
   * @param signal cancels the query: the source then answers `unavailable`, or the caller stops waiting for it
   */
  countReasons(range: InstantRange, signal: AbortSignal): Promise<ReasonCounts>
}

/** The store of exit-survey events: this service's own storage, or an analytics database. */
export interface ExitSurveySource {
  /** Opens the survey of one organization. No I/O. */
  open(organizationId: string): TenantExitSurvey
}
