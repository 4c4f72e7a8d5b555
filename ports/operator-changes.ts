import type { Administration } from './administration.ts'
import type { AuditEntry } from './audit.ts'
import type { StoredOperatorKey } from './operator-keys.ts'
import type { OutboxStore } from './outbox-store.ts'

/** A new operator key, and the proof of the root secret that it was issued on, if that took the place of a key. */
export interface NewOperatorKey {
  readonly key: StoredOperatorKey
  /** Names the proof, so that it can be used once. Null: the key was issued by another operator key. */
  readonly proof: string | null
}

/**
 * What one request of an operator may change. Each method is one atomic step, which also records the audit entry for
 * which the changes were opened: with the outcome `done` when the change was made, else `refused`. Where the change is
 * made in another database than the records are in, it is recorded as `failed` before, and rightly after.
 */
export interface OperatorChanges {
  readonly saveOrganization: Administration['saveOrganization']
  readonly addKey: Administration['addKey']
  readonly revokeKey: Administration['revokeKey']
  readonly rotateKey: Administration['rotateKey']
  /** Makes an outbox entry due again, as `OutboxStore` says. */
  readonly redrive: OutboxStore['redrive']
  /**
   * Stores a new operator key. The key id is unique; storing one twice is an error. `proof_used`: another key was issued
   * on the same proof, so nothing was stored.
   */
  addOperatorKey(added: NewOperatorKey): Promise<'added' | 'proof_used'>
  /** Revokes an operator key. Revoking it again keeps the first instant. False: there is no such key. */
  revokeOperatorKey(keyId: string, revokedAt: string): Promise<boolean>
}

/** Opens changes for an audit entry. There is no other way for an operator to change anything. No I/O. */
export type OpenOperatorChanges = (entry: AuditEntry) => OperatorChanges
