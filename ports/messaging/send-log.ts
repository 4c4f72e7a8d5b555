/** One message to one recipient, with its outcome. */
export interface SendRecord {
  /** Identifies the send within its organization. It stays the same when the send is tried again. */
  readonly sendId: string
  readonly channel: 'sms' | 'mms' | 'email'
  /** The sender as the recipient sees it: an address with its display name, a number or a short code. */
  readonly from: string
  readonly to: string
  /** The provider's id of the message; null when there is none or it is unknown. */
  readonly providerId: string | null
  readonly outcome: 'accepted' | 'failed'
  /** Why it failed, in a few words; null when it was accepted. */
  readonly error: string | null
  /** UTC instant. */
  readonly at: string
}

/** Where a list continues: after this send. */
export type SendPosition = Pick<SendRecord, 'at' | 'sendId'>

/** The sends of one organization, or the operator's own. */
export interface TenantSendLog {
  /**
   * Records sends in one atomic step. An earlier record of a send is replaced, except that an accepted send stays
   * accepted.
   */
  record(sends: readonly SendRecord[]): Promise<void>
  /** Sends, newest first, starting after `after` (null: at the newest), at most `limit`. */
  list(after: SendPosition | null, limit: number): Promise<readonly SendRecord[]>
  /** The messages that followed a submission: its notifications, and those of its runs. At most `limit`. */
  ofSubmission(submissionId: string, limit: number): Promise<readonly SendRecord[]>
}

/** The log of sends, for operators. */
export interface SendLog {
  /** Opens the log of an organization, or of the operator's own sends for null. No I/O. */
  open(organizationId: string | null): TenantSendLog
}
