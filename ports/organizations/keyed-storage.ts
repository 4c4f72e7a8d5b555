import type { StoredKey } from './administration.ts'
import type { KeyBudget } from './key-budget.ts'
import type { Organization } from './organization.ts'
import type { PageEnd, ReadQuery, StoredRow } from '../records/query.ts'

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
