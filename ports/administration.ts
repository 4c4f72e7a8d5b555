import type { KeyUpkeep } from './key-upkeep.ts'
import type { Organization } from './organization.ts'
import type { PlaceChoice } from './placement.ts'

/** The two kinds of API key: bound to one organization, or the operator's own (sends only). */
export type KeyKind = 'tenant' | 'platform'

/** What a key may be used for: to read data, to send messages, or both. */
export type KeyScope = 'read' | 'send' | 'all'

/** What the operator says of a key when it is issued; it never changes. */
export interface KeyAttributes {
  /** What the operator calls the key; null: nothing. */
  readonly label: string | null
  readonly scope: KeyScope
  /** Most requests within any 60 seconds; null: as many as come. */
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
  /** Names the root secret under which `hash` was made. */
  readonly secretVersion: string
  readonly createdAt: string
  /** UTC instant of revocation; null: it was not revoked. */
  readonly revokedAt: string | null
  /** The first UTC instant at which the key no longer works; null: it has no end. */
  readonly expiresAt: string | null
  /** The first instant of the UTC hour in which the key was last used; null: it never was. */
  readonly lastUsedAt: string | null
  /** The key that took its place in a rotation; null: there was none. */
  readonly successorId: string | null
}

/** Where a list of keys continues: after this key. */
export type KeyPosition = Pick<StoredKey, 'createdAt' | 'keyId'>

/** The replacement of a key by another one of the same owner. */
export interface KeyRotation {
  /** The key to be replaced. */
  readonly keyId: string
  readonly successor: StoredKey
  /** UTC instant at which the replaced key ends, unless it ends before by itself. */
  readonly endsAt: string
}

/** How many keys of all kinds that work (neither revoked nor expired) and how many form passwords are stored. */
export interface HashCounts {
  readonly keys: number
  readonly formPasswords: number
}

/** A key that works, or a form with a password. */
export interface HashHolder {
  readonly kind: 'key' | 'operator key' | 'form'
  readonly id: string
  /** Null for a platform key, and for an operator's. */
  readonly organizationId: string | null
}

/**
 * What became of an organization that was to be saved. Anything but `saved`: nothing was written. `parent_below`: the
 * parent is one of those below the organization.
 */
export type SaveOrganizationOutcome =
  'saved' | 'slug_taken' | 'parent_missing' | 'parent_below' | 'changed' | 'elsewhere' | 'no_places'

/** What the operator administers: organizations and keys. The one port that is not bound to a tenant. */
export interface Administration extends KeyUpkeep {
  /**
   * Creates the organization or replaces its settings. A slug that another organization holds is refused. When the parent
   * changes, the organization's reviews move from what the old parent may read to what the new one may, in the same step.
   * @param replaced what the settings were made from (null: there was no such organization): when it is another one by
   *   now, nothing is written and the outcome is `changed`. Left out: whatever is stored is replaced.
   * @param choice where it is to live, if it is new and has no parent; left out: in the shared database. An organization
   *   that exists stays where it is, and a new one with a parent goes where that is: with another choice, and for a
   *   parent in another place, the outcome is `elsewhere`. `no_places`: there are no databases of families' own here.
   */
  saveOrganization(
    organization: Organization,
    replaced?: Organization | null,
    choice?: PlaceChoice,
  ): Promise<SaveOrganizationOutcome>
  /** The organization, or null when there is none of that id. */
  findOrganization(organizationId: string): Promise<Organization | null>
  /** Organizations by their id, starting after `afterId` (null: at the first), at most `limit`. */
  listOrganizations(afterId: string | null, limit: number): Promise<readonly Organization[]>
  /** Stores a new key. The key id is unique; storing one twice is an error. */
  addKey(key: StoredKey): Promise<void>
  /** The key of that id, whether it works or not; null: there is none. */
  findKey(keyId: string): Promise<StoredKey | null>
  /**
   * The keys of an organization, or the platform keys for null, oldest first, those that no longer work included, starting
   * after `after` (null: at the oldest), at most `limit`.
   */
  listKeys(
    organizationId: string | null,
    after: KeyPosition | null,
    limit: number,
  ): Promise<readonly StoredKey[]>
  /** Revokes a key. Revoking it again keeps the first instant. False: there is no such key. */
  revokeKey(keyId: string, revokedAt: string): Promise<boolean>
  /**
   * Stores the successor of a key and ends the key at `endsAt`, both or neither. False, and nothing is stored: there is
   * no such key, it does not work any more, or it has a successor already.
   */
  rotateKey(rotation: KeyRotation): Promise<boolean>
  /**
   * Counts, over all organizations, the platform and operators, the keys that work and the form passwords, hashed under the root
   * secret of that version, or under any for null. The hash of a form password has the version between two `$`.
   */
  countHashes(secretVersion: string | null): Promise<HashCounts>
  /** The first `limit` of what `countHashes` counts: keys by their id, then forms by theirs. */
  findHashes(secretVersion: string, limit: number): Promise<readonly HashHolder[]>
}
