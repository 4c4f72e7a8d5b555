/**
 * What tells an erased person apart: the id of their contact, or a keyed hash of an address of theirs. A number is hashed
 * twice, by its international digits (`phone`) and by its national ones, because people write either.
 */
export type ErasureMarkKind = 'contact' | 'email' | 'phone' | 'national'

export interface ErasureMark {
  readonly kind: ErasureMarkKind
  /** The contact's id, or the hash. It reveals no address. */
  readonly value: string
  /** The version of the root secret under which the address was hashed; empty for a contact. */
  readonly secretVersion: string
}

/** A mark as it was recorded. */
export interface RecordedErasure extends ErasureMark {
  readonly organizationId: string
  /** By the clock of the organization: states of it that are earlier may have the person. */
  readonly erasedAt: string
}

/**
 * Who was erased from which organization, so that no older archive brings them back. It is in the shared database, and
 * outlives the organization.
 */
export interface ErasureLedger {
  /** Records marks. Of one that is recorded again, the later instant of erasure counts. */
  record(
    organizationId: string,
    marks: readonly ErasureMark[],
    erasedAt: string,
    recordedAt: string,
  ): Promise<void>
  /** Marks of these organizations that were erased after an instant, after one of them (null: from the first), at most `limit`. */
  since(
    organizationIds: readonly string[],
    instant: string,
    after: RecordedErasure | null,
    limit: number,
  ): Promise<readonly RecordedErasure[]>
  /** Forgets marks that were recorded before an instant, at most `limit`. Returns how many. */
  forget(before: string, limit: number): Promise<number>
}
