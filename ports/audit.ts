/**
 * The outcome of a change that an operator asked for. `done`: it was made. `refused`: it was not made, because the
 * stored data did not allow it. `forbidden`: it was not made, because the operator's role does not allow it. `failed`:
 * the service failed meanwhile, and the change may or may not have been made.
 */
export type AuditOutcome = 'done' | 'refused' | 'forbidden' | 'failed'

/** Who asked for a change, when, and of what. It holds no secret and no personal data of customers. */
export interface AuditEntry {
  /** Random, and new for each request. One request leaves at most one record. */
  readonly auditId: string
  /** UTC instant of the request. */
  readonly at: string
  /** Null: the root secret was used in place of a key. */
  readonly operatorKeyId: string | null
  /** The operator's name in that key. */
  readonly operator: string
  /** The kind of change, such as `key.revoke`. */
  readonly action: string
  /** The organization that the change is about; null: the platform, or the service itself. */
  readonly organizationId: string | null
}

/** An audit entry with its outcome, as it is stored. */
export interface AuditRecord extends AuditEntry {
  readonly outcome: AuditOutcome
}

/** Where a list of records continues: after this record. */
export type AuditPosition = Pick<AuditRecord, 'at' | 'auditId'>

/**
 * The audit trail of operators. A change that was made is recorded together with it, through `OperatorChanges`. This
 * port records the changes that were not made, and reads all records.
 */
export interface Audit {
  /** Records an entry, unless it was recorded already: the first outcome stays. */
  record(record: AuditRecord): Promise<void>
  /**
   * Replaces the outcome `failed` of a record. A change in another database is first recorded as failed, so that no
   * change is without a record.
   */
  settle(auditId: string, outcome: AuditOutcome): Promise<void>
  /**
   * Records about one organization, or all (null), newest first, starting after `after` (null: at the newest), at most
   * `limit`.
   */
  list(
    organizationId: string | null,
    after: AuditPosition | null,
    limit: number,
  ): Promise<readonly AuditRecord[]>
}
