/**
 * The permissions of an operator key. `admin`: everything. `support`: all reads, and retrying entries of the outbox.
 */
export type OperatorRole = 'support' | 'admin'

/** An operator key as it is stored: enough to verify one, never enough to make one. */
export interface StoredOperatorKey {
  readonly keyId: string
  /** The person or program to which it was issued. */
  readonly operator: string
  readonly role: OperatorRole
  /** Keyed hash of the whole key, base64url. */
  readonly hash: string
  /** Identifies the root secret with which `hash` was made. */
  readonly secretVersion: string
  /** UTC instant. */
  readonly createdAt: string
  /** The first UTC instant at which the key no longer works; null: it does not expire. */
  readonly expiresAt: string | null
  /** UTC instant of revocation; null: it was not revoked. */
  readonly revokedAt: string | null
  /** The first instant of the UTC hour in which the key was last used; null: it never was. */
  readonly lastUsedAt: string | null
  /**
   * The id of the operator key that issued it. Null: the holder of the root secret did. `unknown`: another key did,
   * before that was recorded.
   */
  readonly issuedBy: string | null
}

/** The claims of a presented operator key, and the hashes that prove them, before anything is looked up. */
export interface OperatorKeyClaim {
  readonly keyId: string
  /** As for a tenant's key: with the current root secret and, during a rotation, with the previous one. */
  readonly hashes: readonly [current: string, previous?: string]
}

/** Where a list of operator keys continues: after this key. */
export type OperatorKeyPosition = Pick<StoredOperatorKey, 'createdAt' | 'keyId'>

/** The keys of operators, who belong to no organization. They are changed through `OperatorChanges`. */
export interface OperatorKeys {
  /**
   * The key that a claim proves: it exists, is neither revoked nor expired, and its hash is one of those claimed. Null
   * for any other claim, of which only the key's own row is read.
   */
  prove(claim: OperatorKeyClaim): Promise<StoredOperatorKey | null>
  /**
   * Keys, oldest first, starting after `after` (null: at the oldest), at most `limit`, revoked and expired ones
   * included.
   */
  list(after: OperatorKeyPosition | null, limit: number): Promise<readonly StoredOperatorKey[]>
  /** Whether a key works now: it exists, and is neither revoked nor expired. */
  works(keyId: string): Promise<boolean>
  /** Of these keys, those that were revoked with all that descends from them. */
  endedWithDescent(keyIds: readonly string[]): Promise<readonly string[]>
  /** Records the hour in which a key was used, given as its first UTC instant. A later hour is never replaced. */
  noteKeyUse(keyId: string, hour: string): Promise<void>
  /** Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile. */
  rehashKey(keyId: string, hash: string, secretVersion: string): Promise<void>
}
