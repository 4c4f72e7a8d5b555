import type { PosSourceTie } from './organization.ts'
import type { PageQuery } from './query.ts'
import type { RecordSource, SourcePage, SourceRefusal } from './record-source.ts'

/** The differences between the kinds of point-of-sale sources that callers must know. */
export interface PosCapabilities {
  /** A customer's transactions can only be queried from a given instant: `customerId` needs `completedAfter`. */
  readonly customerTransactionsNeedStart: boolean
}

/**
 * One organization's rows at its point-of-sale source, in the neutral form: the collections `pos-transactions`,
 * `pos-customers`, `pos-recurring-accounts` and `pos-recurring-account-details` with the fields that the resources
 * declare. What the source does not know is null; a transaction's total too, which the caller must not publish.
 * Details hold the latest 24 billing events and the latest 24 status events, newest first.
 */
export interface PosSource extends RecordSource {
  readonly capabilities: PosCapabilities
  /** Serves every filter that the collections declare, newest first, and refuses none. */
  page(query: PageQuery): Promise<Exclude<SourcePage, SourceRefusal>>
}

/** The point-of-sale sources that this deployment reaches. */
export interface PosSources {
  /** Opens an organization's source. No I/O: one that is not configured or does not answer says so when it is read. */
  open(tie: PosSourceTie): PosSource
}
