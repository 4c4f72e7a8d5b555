/**
 * What the holder of an operator key may do. `admin`: everything. `support`: everything that reads, and retrying the
 * outbox.
 */
export type OperatorRole = 'support' | 'admin'

/** The key of an operator as it is stored: enough to verify one, never enough to make one. */
export interface StoredOperatorKey {
  readonly keyId: string
  /** The person or program that it was issued to. */
  readonly operator: string
  readonly role: OperatorRole
  /** Keyed hash of the whole key, base64url. */
  readonly hash: string
  /** Names the root secret under which `hash` was made. */
  readonly secretVersion: string
  /** UTC instant. */
  readonly createdAt: string
  /** UTC instant from which on the key does not work; null: it works until it is revoked. */
  readonly expiresAt: string | null
  /** UTC instant of revocation; null while the key works. */
  readonly revokedAt: string | null
  /** The hour of its last use, as the UTC instant at which the hour began; null: never used. */
  readonly lastUsedAt: string | null
}

/** What a presented operator key claims, and the proof that comes with it, before anything is looked up. */
export interface OperatorKeyClaim {
  readonly keyId: string
  /** As of a tenant's key: under the current root secret, and under the previous one while a rotation lasts. */
  readonly hashes: readonly [current: string, previous?: string]
}

/** Where a list of operator keys continues: after this key. */
export type OperatorKeyPosition = Pick<StoredOperatorKey, 'createdAt' | 'keyId'>

/** The keys of operators, who belong to no organization. Changes of them are made through `OperatorChanges`. */
export interface OperatorKeys {
  /**
   * The key that a claim proves: it exists, is neither revoked nor expired, and its hash is one of those claimed. Null for
   * any other claim, of which only the key's own row is read.
   */
  prove(claim: OperatorKeyClaim): Promise<StoredOperatorKey | null>
  /** Keys, oldest first, starting after `after` (null: at the oldest), at most `limit`, revoked and expired ones included. */
  list(after: OperatorKeyPosition | null, limit: number): Promise<readonly StoredOperatorKey[]>
  /** Notes a use of a key in an hour, which is given as the instant at which it began. A later hour is never replaced. */
  noteKeyUse(keyId: string, hour: string): Promise<void>
  /** Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile. */
  rehashKey(keyId: string, hash: string, secretVersion: string): Promise<void>
}
