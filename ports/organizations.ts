import type { PlaceChoice } from './placement.ts'
import type { PageEnd, Position, ReadQuery, StoredRow } from './records.ts'

/**
 * The kinds of point-of-sale sources. Every other list of kinds is derived from this one, or does not compile when a
 * kind is missing.
 */
export type PosKind = 'legacy_vendor' | 'odbc_shared' | 'odbc_second'

/** The point-of-sale source of an organization: a kind of source, and the tenant's name in it. */
export interface PosSourceTie {
  readonly kind: PosKind
  readonly tenant: string
}

/** One tenant, as the operator configured it. */
export interface Organization {
  readonly organizationId: string
  readonly name: string
  /** Local part of the tenant's sender address; null: the tenant cannot send email. */
  readonly slug: string | null
  /** The parent organization, whose reviews collection also includes the reviews of this one. */
  readonly parentId: string | null
  /** E.164; null: the tenant cannot send SMS from a number of its own. */
  readonly smsNumber: string | null
  /** The country in which national phone numbers are read (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
  readonly posSource: PosSourceTie | null
  /** Whether the tenant's provider reports billing events. */
  readonly billingEvents: boolean
  /** Whether the tenant may use the analytics of members, cohorts and cancellations. */
  readonly analytics: boolean
  readonly retentionOfferAnalytics: boolean
  /** The maximum number of messages that the tenant's automations send within any hour. */
  readonly automationHourly: number
}

/** What an organization may keep for a limited time: what came in through forms, and the log of what was sent. */
export type KeptKind = 'submissions' | 'sends'

/** For how many days an organization keeps each of them; null: for ever. */
export type RetentionSettings = Readonly<Record<KeptKind, number | null>>

/** What is stored of an organization as its settings. */
export interface StoredSettings {
  readonly organization: Organization
  readonly retention: RetentionSettings
}

/** The two kinds of API key: bound to one organization, or the operator's own (sends only). */
export type KeyKind = 'tenant' | 'platform'

/** What a key may be used for: to read data, to send messages, or both. */
export type KeyScope = 'read' | 'send' | 'all'

/** The attributes with which a key is issued. They never change. */
export interface KeyAttributes {
  /** The operator's name for the key; null: none. */
  readonly label: string | null
  readonly scope: KeyScope
  /** The maximum number of requests within any 60 seconds; null: unlimited. */
  readonly ratePerMinute: number | null
}

/** An API key as it is stored: enough to verify one, never enough to make one. */
export interface StoredKey extends KeyAttributes {
  readonly keyId: string
  readonly kind: KeyKind
  /** Null for a platform key. */
  readonly organizationId: string | null
  /** Keyed hash of the whole key, base64url. */
  readonly hash: string
  /** Identifies the root secret with which `hash` was made. */
  readonly secretVersion: string
  readonly createdAt: string
  /** UTC instant of revocation; null: it was not revoked. */
  readonly revokedAt: string | null
  /** The first UTC instant at which the key no longer works; null: it does not expire. */
  readonly expiresAt: string | null
  /** The first instant of the UTC hour in which the key was last used; null: it never was. */
  readonly lastUsedAt: string | null
  /** The key that replaced it in a rotation; null: none did. */
  readonly successorId: string | null
  /**
   * The id of the operator key that issued it, or that replaced another key by it; the address of the person who did.
   * Null: the holder of the root secret did. `unknown`: it was issued before that was recorded.
   */
  readonly issuedBy: string | null
}

/** A key of an organization, or of the platform (null), that was revoked with the operator key that issued it. */
export type RevokedKey = Pick<StoredKey, 'keyId' | 'organizationId'>

/** The replacement of a key by another one of the same owner. */
export interface KeyRotation {
  /** The key to be replaced. */
  readonly keyId: string
  readonly successor: StoredKey
  /** The UTC instant at which the replaced key ends, unless it expires before. */
  readonly endsAt: string
}

/** How many active keys of all kinds (neither revoked nor expired) and how many form passwords are stored. */
export interface HashCounts {
  readonly keys: number
  readonly formPasswords: number
  /** Secrets of webhooks, which are encrypted under it; left out: there are none. */
  readonly webhookSecrets?: number
}

/** An active key, or a form with a password. */
export interface HashHolder {
  readonly kind: 'key' | 'operator key' | 'form' | 'webhook'
  readonly id: string
  /** Null for a platform key, and for an operator's. */
  readonly organizationId: string | null
}

/**
 * Why a family cannot have the requested database of its own. `no_places`: no family can have one here.
 * `no_jurisdiction`: the platform cannot keep it within the jurisdiction.
 */
export type PlaceRefusal = 'no_places' | 'no_jurisdiction'

/**
 * The outcome of saving an organization. Unless it is `saved`, nothing was written. `parent_below`: the parent is one
 * of the organizations below it. `moving`: the organization would join or leave a family that is being moved.
 * `restoring`: its rows are being restored from an archive.
 */
export type SaveOrganizationOutcome =
  | 'saved'
  | 'slug_taken'
  | 'parent_missing'
  | 'parent_below'
  | 'changed'
  | 'elsewhere'
  | 'moving'
  | 'restoring'
  | PlaceRefusal

/** What the operator administers: organizations and keys. The one port that is not bound to a tenant. */
export interface Administration extends KeyUpkeep {
  /**
   * Creates the organization or replaces its settings. A slug that another organization holds is refused. When the
   * parent changes, the organization's reviews move, in the same step, from those that the old parent may read to those
   * that the new one may read.
   * @param replaced the settings on which the new ones are based (null: there was no such organization). When others
   *   are stored by now, nothing is written and the outcome is `changed`. Left out: the stored settings are replaced,
   *   whatever they are.
   * @param choice the place of a new organization without a parent; left out: the shared database. An existing
   *   organization keeps its place, and a new one with a parent goes to the parent's place: with another choice, or
   *   with a parent in another place, the outcome is `elsewhere`
   * @param retention the retention that must be set for `replaced` to be what is stored; left out: any
   */
  saveOrganization(
    organization: Organization,
    replaced?: Organization | null,
    choice?: PlaceChoice,
    retention?: RetentionSettings,
  ): Promise<SaveOrganizationOutcome>
  /** The organization, or null when there is none of that id. */
  findOrganization(organizationId: string): Promise<Organization | null>
  /** Organizations by their id, starting after `afterId` (null: at the first), at most `limit`. */
  listOrganizations(afterId: string | null, limit: number): Promise<readonly Organization[]>
  /** Stores a new key. The key id is unique; storing one twice is an error. Always true. */
  addKey(key: StoredKey): Promise<boolean>
  /** The key with that id, whether it is active or not; null: there is none. */
  findKey(keyId: string): Promise<StoredKey | null>
  /**
   * The keys of an organization, or the platform keys for null, inactive ones included: oldest first, starting after
   * `after` (null: at the oldest), at most `limit`.
   */
  listKeys(
    organizationId: string | null,
    after: Position | null,
    limit: number,
  ): Promise<readonly StoredKey[]>
  /** Revokes a key. Revoking it again keeps the first instant. False: there is no such key. */
  revokeKey(keyId: string, revokedAt: string): Promise<boolean>
  /**
   * Revokes the keys of an organization that any of these operator keys issued.
   * @returns those that were not revoked before, the oldest first
   */
  revokeIssued(
    organizationId: string,
    issuers: readonly string[],
    revokedAt: string,
  ): Promise<readonly RevokedKey[]>
  /**
   * Stores the successor of a key and ends the key at `endsAt`, in one step. False, and nothing is stored: the key does
   * not exist, is no longer active, or already has a successor.
   */
  rotateKey(rotation: KeyRotation): Promise<boolean>
  /**
   * Counts the active keys and the form passwords that are hashed with this version of the root secret (null: any
   * version), over all organizations, the platform and operators. The hash of a form password contains the version
   * between two `$`. Counts the secrets of webhooks that are encrypted under it, too.
   */
  countHashes(secretVersion: string | null): Promise<HashCounts>
  /** The first `limit` of the keys and forms that `countHashes` counts: keys sorted by id, then forms, then webhooks sorted by id. */
  findHashes(secretVersion: string, limit: number): Promise<readonly HashHolder[]>
}

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

/** A read of an organization by somebody whose right to it was proven without a key of it: who signed in. */
export interface AuthorizedClaim {
  readonly organizationId: string
  readonly keyId: null
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
      /** Null: it was read without a key, by an `AuthorizedClaim`. */
      readonly key: WorkingKey | null
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
  /**
   * No I/O happens before the first `read`. For an `AuthorizedClaim` no key is checked, and the key that a read answers
   * has the scope `read`; of an organization that is being restored or deleted nothing is read.
   */
  open(claim: KeyClaim | AuthorizedClaim): KeyedReader
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
export interface StoredOperatorKey extends Pick<
  StoredKey,
  'keyId' | 'hash' | 'secretVersion' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'
> {
  /** The person or program to which it was issued. */
  readonly operator: string
  readonly role: OperatorRole
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
  list(after: Position | null, limit: number): Promise<readonly StoredOperatorKey[]>
  /** Whether who issued a key may still do so: an operator key that works now, or a person who has a role. */
  works(issuerId: string): Promise<boolean>
  /** Of these keys, those that were revoked with all that descends from them. */
  endedWithDescent(keyIds: readonly string[]): Promise<readonly string[]>
  /** Records the hour in which a key was used, given as its first UTC instant. A later hour is never replaced. */
  noteKeyUse(keyId: string, hour: string): Promise<void>
  /** Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile. */
  rehashKey(keyId: string, hash: string, secretVersion: string): Promise<void>
}
