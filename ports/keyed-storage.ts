import type { StoredKey } from './administration.ts'
import type { Organization } from './organization.ts'
import type { ReadQuery, StoredRow } from './query.ts'

/** What a presented key says of itself before anything is looked up. */
export interface KeyClaim {
  readonly organizationId: string
  readonly keyId: string
}

/** Decides whether the stored key is the one that was presented (a keyed hash, compared in constant time). */
export type VerifyKey = (stored: StoredKey) => Promise<boolean>

export type KeyedRead =
  | { readonly authenticated: false }
  | {
      readonly authenticated: true
      readonly key: StoredKey
      readonly organization: Organization
      /** One list of rows per query, in the order of the queries; a `one` query yields one row or none. */
      readonly results: readonly (readonly StoredRow[])[]
    }

/**
 * Reads of one tenant on behalf of a presented API key. The key look-up and the queries are one round trip and
 * one consistent view, so a key revoked a moment ago gets nothing and a good one costs no extra trip.
 */
export interface KeyedReader {
  /**
   * Looks the key up and runs the queries. Rows are handed over only when the key exists, belongs to the claimed
   * organization, is not revoked and `verify` accepts it.
   */
  read(queries: readonly ReadQuery[]): Promise<KeyedRead>
}

/** Opens tenant data for a key. There is no other way from a request to tenant data. */
export interface KeyedStorage {
  /** No I/O happens before the first `read`. */
  open(claim: KeyClaim, verify: VerifyKey): KeyedReader
  /** The platform key of that id, or null. */
  findPlatformKey(keyId: string): Promise<StoredKey | null>
}
