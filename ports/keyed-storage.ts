import type { StoredKey } from './administration.ts'
import type { Organization } from './organization.ts'
import type { ReadQuery, StoredRow } from './query.ts'

/** What a presented key claims, and the proof that comes with it, before anything is looked up. */
export interface KeyClaim {
  readonly organizationId: string
  readonly keyId: string
  /**
   * Keyed hashes of the whole presented key: under the current root secret, and under the previous one while a rotation
   * lasts. Nobody without a root secret can choose one, so a storage may compare them as plain text.
   */
  readonly hashes: readonly [current: string, previous?: string]
}

/** What a key that works may do, and what is noted of its use. */
export type WorkingKey = Pick<
  StoredKey,
  'keyId' | 'organizationId' | 'secretVersion' | 'scope' | 'ratePerMinute' | 'lastUsedAt'
>

/** What a query found. */
export type QueryResult =
  /**
   * Rows as JSON text, one object a line with the query's fields in the order of `select`; empty without rows. Numbers
   * are written so that `JSON.parse` reads them exactly; whole numbers, text, truth values and JSON documents are
   * written as `JSON.stringify` would.
   */
  | { readonly kind: 'lines'; readonly text: string }
  /** Rows as values, where they are too large to travel as one text. */
  | {
      readonly kind: 'rows'
      readonly rows: readonly StoredRow[]
      /** Whether rows that the query asked for were left out, because together they are too large. */
      readonly isCutShort: boolean
    }

export type KeyedRead =
  | { readonly authenticated: false }
  | {
      readonly authenticated: true
      readonly key: WorkingKey
      readonly organization: Organization
      /** One result per query, in the order of the queries; a `one` query yields one row or none. */
      readonly results: readonly QueryResult[]
    }

/**
 * Reads of one tenant on behalf of a presented API key. The key look-up and the queries are one round trip and one
 * consistent view, so a key that was just revoked or has just expired reads nothing, and a valid key costs no extra round trip.
 */
export interface KeyedReader {
  /**
   * Looks the key up and, only when it is proven, runs the queries: it exists, belongs to the claimed organization, is
   * neither revoked nor expired, and its stored hash is one of those claimed. For any other claim only the key's own row
   * is read. The result of a page is bounded: at most about 4 MiB of rows, or one row.
   */
  read(queries: readonly ReadQuery[]): Promise<KeyedRead>
}

/** Opens tenant data for a key. A request cannot reach tenant data in any other way. */
export interface KeyedStorage {
  /** No I/O happens before the first `read`. */
  open(claim: KeyClaim): KeyedReader
  /** The platform key of that id; null: there is none that is neither revoked nor expired. */
  findPlatformKey(keyId: string): Promise<StoredKey | null>
}
