import type { Administration, RevokedKey } from '../organizations/administration.ts'
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
  /**
   * Whether all keys that descend from it are revoked too: those that it issued, those that these issued, and so on, of
   * operators, of organizations and of the platform.
   */
  readonly withDescendants: boolean
}

/** What a revocation ended. */
export interface Revoked {
  /** The operator keys that were not revoked before, the oldest first. */
  readonly operatorKeys: readonly RevokedOperatorKey[]
  /**
   * The keys of organizations and of the platform that were not revoked before: those of the shared database first,
   * each part with the oldest first.
   */
  readonly keys: readonly RevokedKey[]
  /** The ids of all operator keys that are revoked now, those that were before among them. */
  readonly issuers: readonly string[]
  /**
   * Organizations whose keys could not be reached, so that some that descend from it may work still. The same
   * revocation again ends them. Sorted.
   */
  readonly unreached: readonly string[]
}

/**
 * The changes that one request of an operator may make. Each method is one atomic step, which also records the audit
 * entry for which the changes were opened: as `done` when the change was made, else as `refused`. A change in a
 * database other than that of the records is first recorded as `failed`, and with its true outcome afterwards. One that
 * was refused may be tried again for the same entry, when it was refused because others overtook it.
 */
export interface OperatorChanges {
  readonly saveOrganization: Administration['saveOrganization']
  /** As in `Administration`. False, and nothing is stored: the operator key that issues it has ended. */
  readonly addKey: Administration['addKey']
  readonly revokeKey: Administration['revokeKey']
  /** As in `Administration`. False also when the operator key that issues the successor has ended. */
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
   * Revokes an operator key, and what descends from it if that is asked for, in one step: none of these keys can issue
   * another one meanwhile. Keys in databases of families follow in steps of their own. The audit record names what was
   * revoked; while an organization is not reached, its outcome is `failed`. Revoking a key again keeps the first
   * instant, and ends what an earlier try did not reach.
   * @returns null: there is no such key
   */
  revokeOperatorKey(revocation: OperatorKeyRevocation): Promise<Revoked | null>
}

/** Opens changes for an audit entry. An operator has no other way to change anything. No I/O. */
export type OpenOperatorChanges = (entry: AuditEntry) => OperatorChanges
