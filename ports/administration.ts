import type { Organization } from './organization.ts'

/** The two kinds of API key: bound to one organization, or the operator's own (sends only). */
export type KeyKind = 'tenant' | 'platform'

/** An API key as it is stored: enough to verify one, never enough to make one. */
export interface StoredKey {
  readonly keyId: string
  readonly kind: KeyKind
  /** Null for a platform key. */
  readonly organizationId: string | null
  /** Keyed hash of the whole key, base64url. */
  readonly hash: string
  /** Names the root secret under which `hash` was made. */
  readonly secretVersion: string
  readonly createdAt: string
  /** UTC instant of revocation; null while the key works. */
  readonly revokedAt: string | null
}

/** How many keys that work and how many form passwords are stored. */
export interface HashCounts {
  readonly keys: number
  readonly formPasswords: number
}

/** A key that works, or a form with a password. */
export interface HashHolder {
  readonly kind: 'key' | 'form'
  readonly id: string
  /** Null for a platform key. */
  readonly organizationId: string | null
}

/** What the operator administers: organizations and keys. The one port that is not bound to a tenant. */
export interface Administration {
  /**
   * Creates the organization or replaces its settings. A slug that another organization holds is refused. When the parent
   * changes, the organization's reviews move from what the old parent may read to what the new one may, in the same step.
   */
  saveOrganization(organization: Organization): Promise<'saved' | 'slug_taken' | 'parent_missing'>
  /** The organization, or null when there is none of that id. */
  findOrganization(organizationId: string): Promise<Organization | null>
  /** Organizations by their id, starting after `afterId` (null: at the first), at most `limit`. */
  listOrganizations(afterId: string | null, limit: number): Promise<readonly Organization[]>
  /** Stores a new key. The key id is unique; storing one twice is an error. */
  addKey(key: StoredKey): Promise<void>
  /** The keys of an organization, or the platform keys for null, oldest first, revoked ones included. */
  listKeys(organizationId: string | null): Promise<readonly StoredKey[]>
  /** Revokes a key. Revoking it again keeps the first instant. False: there is no such key. */
  revokeKey(keyId: string, revokedAt: string): Promise<boolean>
  /** Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile. */
  rehashKey(keyId: string, hash: string, secretVersion: string): Promise<void>
  /**
   * Counts, over all organizations and the platform, the keys that are not revoked and the form passwords, hashed under
   * the root secret of that version, or under any for null. The hash of a form password has the version between two `$`.
   */
  countHashes(secretVersion: string | null): Promise<HashCounts>
  /** The first `limit` of what `countHashes` counts: keys by their id, then forms by theirs. */
  findHashes(secretVersion: string, limit: number): Promise<readonly HashHolder[]>
}
