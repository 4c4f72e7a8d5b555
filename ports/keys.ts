import type { StoredKey, Organization } from './organizations.ts'
import type { PageEnd, ReadQuery, StoredRow } from './records.ts'

/** The claims of a presented key, and the hashes that prove them, before anything is looked up. */
export interface KeyClaim {
  readonly organizationId: string
  readonly keyId: string
  /**
   * Keyed hashes of the whole presented key: with the current root secret and, during a rotation, with the previous
   * one. Without a root secret nobody can choose such a hash, so a storage may compare them as plain text.
   */
  readonly hashes: readonly [current: string, previous?: string]
}

/** The permissions of an active key, and what is recorded of its use. */
export type WorkingKey = Pick<
  StoredKey,
  'keyId' | 'organizationId' | 'secretVersion' | 'scope' | 'ratePerMinute' | 'lastUsedAt'
>

/** The rows that a query found. */
export type QueryResult = PageEnd &
  /**
   * Rows as JSON text, one object a line with the query's fields in the order of `select`; empty without rows. Numbers
   * are written so that `JSON.parse` reads them exactly; whole numbers, text, truth values and JSON documents are
   * written as `JSON.stringify` would.
   */
  (
    | { readonly kind: 'lines'; readonly text: string }
    /** Rows as values, when they are too large for one text. */
    | { readonly kind: 'rows'; readonly rows: readonly StoredRow[] }
  )

export type KeyedRead =
  | { readonly authenticated: false }
  | {
      readonly authenticated: true
      readonly key: WorkingKey
      readonly organization: Organization
      /** One result per query, in the order of the queries; a `one` query yields one row or none. */
      readonly results: readonly QueryResult[]
      /** What is left of the key's rate, when the storage has counted the request; null: it has not. */
      readonly budget: KeyBudget | null
    }

/** Options of a read. */
export interface ReadTerms {
  /** Whether to count the read as a request against the key's rate. Default: no. */
  readonly isCounted?: boolean
}

/**
 * Reads of one tenant on behalf of a presented API key. The key look-up and the queries are one round trip and one
 * consistent view, so a key that was just revoked or has just expired reads nothing, and a valid key costs no extra
 * round trip.
 */
export interface KeyedReader {
  /**
   * Looks the key up and runs the queries only when it is proven: it exists, belongs to the claimed organization, is
   * neither revoked nor expired, and its stored hash is one of those claimed. For any other claim only the key's own
   * row is read. The size of a page's result is bounded: at most about 4 MiB of rows, or one row. A storage that
   * receives all requests of an organization counts those of keys with a rate, in memory and within the same call. All
   * other storages count none.
   */
  read(queries: readonly ReadQuery[], terms?: ReadTerms): Promise<KeyedRead>
}

/** Opens tenant data for a key. A request has no other way to reach tenant data. */
export interface KeyedStorage {
  /** No I/O happens before the first `read`. */
  open(claim: KeyClaim): KeyedReader
  /** The active platform key with that id; null: there is none. */
  findPlatformKey(keyId: string): Promise<StoredKey | null>
}

/** What is left of a key's rate after a request. */
export interface KeyBudget {
  /** Whether the request exceeded the rate. If so, it was not counted. */
  readonly isExceeded: boolean
  readonly ratePerMinute: number
  /** How many more requests would be admitted at this moment. */
  readonly remaining: number
  /** In how many ms `remaining` grows: when the oldest counted request is a minute old. */
  readonly renewsInMs: number
}

/** Updates of a key's row that follow from its use. */
export interface KeyUpkeep {
  /**
   * Records the hour in which a key was used, given as its first UTC instant. Writes nothing when that hour, or a later
   * one, is recorded already.
   * @param organizationId the key's owner, as far as the caller knows it: it may save looking up the key's database
   */
  noteKeyUse(keyId: string, hour: string, organizationId?: string | null): Promise<void>
  /**
   * Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile.
   * @param organizationId as for `noteKeyUse`
   */
  rehashKey(keyId: string, hash: string, secretVersion: string, organizationId?: string | null): Promise<void>
}

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
