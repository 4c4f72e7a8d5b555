import type { PosSourceTie } from '../organizations/organization.ts'
import type { PageQuery } from '../records/query.ts'
import type { RecordSource, SourcePage, SourceRefusal } from '../records/record-source.ts'

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
