import type { Administration } from './administration.ts'
import type { AuditEntry } from './audit.ts'
import type { StoredOperatorKey } from './operator-keys.ts'
import type { OutboxStore } from './outbox-store.ts'

/**
 * A new operator key and, when it was issued without another key, the proof of the root secret that was used instead.
 */
export interface NewOperatorKey {
  readonly key: StoredOperatorKey
  /** Identifies the proof, so that it can be used only once. Null: the key was issued with another operator key. */
  readonly proof: string | null
}

/**
 * The changes that one request of an operator may make. Each method is one atomic step, which also records the audit
 * entry for which the changes were opened: as `done` when the change was made, else as `refused`. A change in a
 * database other than that of the records is first recorded as `failed`, and with its true outcome afterwards.
 */
export interface OperatorChanges {
  readonly saveOrganization: Administration['saveOrganization']
  readonly addKey: Administration['addKey']
  readonly revokeKey: Administration['revokeKey']
  readonly rotateKey: Administration['rotateKey']
  /** Makes an outbox entry due again, as `OutboxStore` says. */
  readonly redrive: OutboxStore['redrive']
  /**
   * Stores a new operator key. The key id is unique; storing one twice is an error. `proof_used`: another key was
   * issued on the same proof, so nothing was stored.
   */
  addOperatorKey(added: NewOperatorKey): Promise<'added' | 'proof_used'>
  /** Revokes an operator key. Revoking it again keeps the first instant. False: there is no such key. */
  revokeOperatorKey(keyId: string, revokedAt: string): Promise<boolean>
}

/** Opens changes for an audit entry. An operator has no other way to change anything. No I/O. */
export type OpenOperatorChanges = (entry: AuditEntry) => OperatorChanges
