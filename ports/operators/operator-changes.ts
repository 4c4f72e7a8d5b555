import type { Administration } from '../organizations/administration.ts'
import type { AuditEntry } from './audit.ts'
import type { StoredOperatorKey } from './operator-keys.ts'
import type { OutboxStore } from '../messaging/outbox-store.ts'

/**
 * A new operator key and, when it was issued without another key, the proof of the root secret that was used instead.
 */
export interface NewOperatorKey {
  readonly key: StoredOperatorKey
  /** Identifies the proof, so that it can be used only once. Null: the key was issued with another operator key. */
  readonly proof: string | null
}

/** An operator key that was revoked. */
export type RevokedOperatorKey = Pick<StoredOperatorKey, 'keyId' | 'operator' | 'role'>

/** An operator key to revoke, and when. */
export interface OperatorKeyRevocation {
  readonly keyId: string
  readonly revokedAt: string
  /** Whether all keys that descend from it are revoked too: those that it issued, those that these issued, and so on. */
  readonly withDescendants: boolean
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
   * Stores a new operator key. The key id is unique; storing one twice is an error. In every other case than `added`,
   * nothing was stored. `proof_used`: another key was issued on the same proof. `issuer_ended`: the key that issues it
   * is revoked, has expired, or ends before the new key would.
   */
  addOperatorKey(added: NewOperatorKey): Promise<'added' | 'proof_used' | 'issuer_ended'>
  /**
   * Revokes an operator key, and those that descend from it if that is asked for, in one step: none of them can issue
   * another key meanwhile. Revoking a key again keeps the first instant. The audit record names the descendants.
   * @returns the keys that were not revoked before, the oldest first; null: there is no such key
   */
  revokeOperatorKey(revocation: OperatorKeyRevocation): Promise<readonly RevokedOperatorKey[] | null>
}

/** Opens changes for an audit entry. An operator has no other way to change anything. No I/O. */
export type OpenOperatorChanges = (entry: AuditEntry) => OperatorChanges
