/** One message to one recipient, with its outcome. */
export interface SendRecord {
  /** Names the send within its organization, the same however often it is tried. */
  readonly sendId: string
  readonly channel: 'sms' | 'mms' | 'email'
  /** The sender as the recipient sees it: an address with its display name, a number or a short code. */
  readonly from: string
  readonly to: string
  /** The provider's id of the message; null when there is none or it was not told. */
  readonly providerId: string | null
  readonly outcome: 'accepted' | 'failed'
  /** Why it failed, in short; null when it was accepted. */
  readonly error: string | null
  /** UTC instant. */
  readonly at: string
}

/** Where a listing continues: after this send. */
export type SendPosition = Pick<SendRecord, 'at' | 'sendId'>

/** The sends of one organization, or the operator's own. */
export interface TenantSendLog {
  /** Records sends in one atomic step. A send recorded before is replaced, except that an accepted one stays accepted. */
  record(sends: readonly SendRecord[]): Promise<void>
  /** Sends, newest first, starting after `after` (null: at the newest), at most `limit`. */
  list(after: SendPosition | null, limit: number): Promise<readonly SendRecord[]>
}

/** What was sent to whom, kept for the operator. */
export interface SendLog {
  /** Opens the log of an organization, or of the operator's own sends for null. No I/O. */
  open(organizationId: string | null): TenantSendLog
}
