/**
 * What became of a change that an operator asked for. `done`: it was made. `refused`: it was not made, because what is
 * stored did not allow it. `forbidden`: it was not made, because the operator's role does not allow it. `failed`: the
 * service failed meanwhile, and the change may or may not have been made.
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
  /** The name to which that key was issued. */
  readonly operator: string
  /** What was asked for, such as `key.revoke`. */
  readonly action: string
  /** The organization that it is about; null: the platform, or the service itself. */
  readonly organizationId: string | null
}

/** An entry with its outcome, as it is kept. */
export interface AuditRecord extends AuditEntry {
  readonly outcome: AuditOutcome
}

/** Where a list of records continues: after this one. */
export type AuditPosition = Pick<AuditRecord, 'at' | 'auditId'>

/**
 * What operators did. A change that was made is recorded together with it, through `OperatorChanges`; here are the
 * records of those that were not, and the reading.
 */
export interface Audit {
  /** Records an entry, unless it was recorded already: the first outcome stays. */
  record(record: AuditRecord): Promise<void>
  /**
   * Replaces the outcome `failed` of a record, for a change that was made in another database: it is recorded as failed
   * first, so that no change is without a record.
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
