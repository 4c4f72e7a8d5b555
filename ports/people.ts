import type { KeyClaim, OperatorKeyClaim, StoredOperatorKey } from './organizations.ts'

/**
 * What a person may do. `admin` and `support` work for the service, in all organizations or, as `support`, in some;
 * `owner` and `member` belong to an organization.
 */
export type PersonRole = 'support' | 'admin' | 'owner' | 'member'

/** A person, with their role in one organization, or in the whole service. */
export interface PersonInRole {
  /** Tells people apart: the address as `emailKey` makes it. */
  readonly person: string
  /** Null: the whole service. */
  readonly organizationId: string | null
  readonly role: PersonRole
  /** The address as it was given. */
  readonly email: string
  /** What whoever gave the role calls them; null: nothing. */
  readonly name: string | null
  /** UTC instant. */
  readonly addedAt: string
  /** The name of the operator, or the address of the person, who gave the role. */
  readonly addedBy: string
}

/** Where a list of people continues: after this one. */
export type PersonPosition = Pick<PersonInRole, 'person' | 'organizationId'>

/** How somebody signed in. */
export type SignedIn =
  | { readonly kind: 'person'; readonly person: string }
  /** With a key of an organization: the claim that proves it, at each request anew. */
  | { readonly kind: 'tenantKey'; readonly claim: KeyClaim }
  | { readonly kind: 'operatorKey'; readonly claim: OperatorKeyClaim }

/** A session, as it is stored. The secret that opens it is known to the browser alone. */
export interface Session {
  /** Names it in lists. */
  readonly sessionId: string
  /** UTC instant. */
  readonly createdAt: string
  /** The instant of its last use, to within a few minutes. */
  readonly lastSeenAt: string
  /** The first UTC instant at which it no longer works, however often it is used. */
  readonly expiresAt: string
  /** The name of the browser, for people. */
  readonly browser: string
}

/** A session that is about to be stored. */
export interface NewSession extends Session {
  readonly by: SignedIn
}

/** Who has a session that works. */
export type SessionHolder =
  /** With all of their roles. */
  | { readonly kind: 'person'; readonly person: string; readonly roles: readonly PersonInRole[] }
  | {
      readonly kind: 'tenantKey'
      readonly claim: KeyClaim
      /** False: the organization lives in another database, which alone knows whether the key works. */
      readonly isProven: boolean
    }
  | { readonly kind: 'operatorKey'; readonly key: StoredOperatorKey }

/** A session that works. */
export interface OpenSession extends Session {
  readonly by: SessionHolder
}

/** When sessions work: they have not reached their end, and were used since an instant. UTC. */
export interface SessionTimes {
  readonly now: string
  readonly usedSince: string
}

/** A link to sign in that is about to be sent. */
export interface NewLink {
  /** Of the token that the link carries. */
  readonly hash: string
  readonly person: string
  /** Of the cookie of the browser that asked. */
  readonly browserHash: string
  /** A keyed hash of the network that asked; null: not known. */
  readonly network: string | null
  readonly createdAt: string
}

/** The bounds of sending links. */
export interface LinkBounds {
  /** Links are counted that were made after this UTC instant. */
  readonly since: string
  readonly perPerson: number
  readonly perNetwork: number
  /** Links that were made before this UTC instant are removed. */
  readonly keptSince: string
}

/** A link that was opened. */
export interface OpenedLink extends Pick<NewLink, 'hash' | 'browserHash'> {
  /** A link that was made before this UTC instant no longer works. */
  readonly since: string
}

/** People and their sessions. Roles are changed through `OperatorChanges`, which records that. */
export interface People {
  /** A person in an organization, or in the service (null); null: they have no role there. */
  find(person: string, organizationId: string | null): Promise<PersonInRole | null>
  /**
   * The people of an organization; for null, everybody with each of their roles. By person, then organization, starting
   * after `after` (null: at the first), at most `limit`.
   */
  list(
    organizationId: string | null,
    after: PersonPosition | null,
    limit: number,
  ): Promise<readonly PersonInRole[]>
  /**
   * Who answers for an organization: its owners, and then the admins of the service, each person once, at most `limit`
   * of either.
   */
  answerable(organizationId: string, limit: number): Promise<readonly PersonInRole[]>
  /** Removes everybody's role in an organization that is deleted. */
  forget(organizationId: string): Promise<void>

  /**
   * Stores a link unless that would pass the bounds, and removes old ones. One atomic step.
   * @returns the address to which it is to be sent; null: there is no such person, or enough was sent already
   */
  addLink(link: NewLink, bounds: LinkBounds): Promise<string | null>
  /**
   * Uses a link up and opens the session of its person, in one atomic step: a link works once. `elsewhere`: another
   * browser asked for it, and it stays usable there. `gone`: it is unknown, too old or was used, or its person has no
   * role any more.
   */
  useLink(link: OpenedLink, session: Session, sessionHash: string): Promise<'opened' | 'elsewhere' | 'gone'>

  /** Stores a session, and removes those that have reached their end. */
  openSession(session: NewSession, hash: string): Promise<void>
  /**
   * The session with one of these hashes, with the roles of its person or the key that opened it. Null: there is none
   * that works, or its key has ended. One read.
   */
  findSession(hashes: readonly string[], times: SessionTimes): Promise<OpenSession | null>
  /** Records that a session is in use. A later instant is never replaced. */
  noteUse(hashes: readonly string[], now: string): Promise<void>
  /** The sessions of a person that work, the newest first; at most 100. */
  sessionsOf(person: string, times: SessionTimes): Promise<readonly Session[]>
  /** Ends the session with one of these hashes. Ending it again changes nothing. */
  endSession(hashes: readonly string[]): Promise<void>
  /**
   * Ends one session of a person or, for null, all of theirs.
   * @returns how many were stored
   */
  endSessionsOf(person: string, sessionId: string | null): Promise<number>
}
