import type {
  Administration,
  RevokedKey,
  StoredOperatorKey,
  KeyClaim,
  OperatorKeyClaim,
} from './organizations.ts'
import type { OutboxStore } from './outbox.ts'
import type { Position } from './records.ts'

// What operators change and the audit trail of it, and the people who sign in, with their sessions.

/**
 * A new operator key and, when it was issued without another key, the proof of the root secret that was used instead.
 */
export interface NewOperatorKey {
  readonly key: StoredOperatorKey
  /** Identifies the proof, so that it can be used only once. Null: the key was issued with another operator key. */
  readonly proof: string | null
}

/** An operator key that was revoked. */
export type RevokedOperatorKey = Pick<StoredOperatorKey, 'keyId' | 'operator' | 'role'>

/** An operator key to revoke, and when. */
export interface OperatorKeyRevocation {
  readonly keyId: string
  readonly revokedAt: string
  /**
   * Whether all keys that descend from it are revoked too: those that it issued, those that these issued, and so on, of
   * operators, of organizations and of the platform.
   */
  readonly withDescendants: boolean
}

/** What a revocation ended. */
export interface Revoked {
  /** The operator keys that were not revoked before, the oldest first. */
  readonly operatorKeys: readonly RevokedOperatorKey[]
  /**
   * The keys of organizations and of the platform that were not revoked before: those of the shared database first,
   * each part with the oldest first.
   */
  readonly keys: readonly RevokedKey[]
  /** The ids of all operator keys that are revoked now, those that were before among them. */
  readonly issuers: readonly string[]
  /**
   * Organizations whose keys could not be reached, so that some that descend from it may work still. The same
   * revocation again ends them. Sorted.
   */
  readonly unreached: readonly string[]
}

/**
 * The changes that one request of an operator may make. Each method is one atomic step, which also records the audit
 * entry for which the changes were opened: as `done` when the change was made, else as `refused`. A change in a
 * database other than that of the records is first recorded as `failed`, and with its true outcome afterwards. One that
 * was refused may be tried again for the same entry, when it was refused because others overtook it.
 */
export interface OperatorChanges {
  readonly saveOrganization: Administration['saveOrganization']
  /** As in `Administration`. False, and nothing is stored: the operator key that issues it has ended. */
  readonly addKey: Administration['addKey']
  readonly revokeKey: Administration['revokeKey']
  /** As in `Administration`. False also when the operator key that issues the successor has ended. */
  readonly rotateKey: Administration['rotateKey']
  /** Makes an outbox entry due again, as `OutboxStore` says. */
  readonly redrive: OutboxStore['redrive']
  /**
   * Stores a new operator key. The key id is unique; storing one twice is an error. In every other case than `added`,
   * nothing was stored. `proof_used`: another key was issued on the same proof. `issuer_ended`: the key that issues it
   * is revoked, has expired, or ends before the new key would.
   */
  addOperatorKey(added: NewOperatorKey): Promise<'added' | 'proof_used' | 'issuer_ended'>
  /**
   * Revokes an operator key, and what descends from it if that is asked for, in one step: none of these keys can issue
   * another one meanwhile. Keys in databases of families follow in steps of their own. The audit record names what was
   * revoked; while an organization is not reached, its outcome is `failed`. Revoking a key again keeps the first
   * instant, and ends what an earlier try did not reach.
   * @returns null: there is no such key
   */
  revokeOperatorKey(revocation: OperatorKeyRevocation): Promise<Revoked | null>
  /**
   * Gives a person a role, in place of the one that they had there. A change of the role ends their sessions and the
   * links to sign in that they have not used, in the same step, if it is the role in the whole service or the only one
   * that they have. Otherwise those stay for the roles that others gave them: every request reads all roles, so the
   * change applies to the next one all the same.
   * False, and nothing is stored: the stored role is not `replaced`, or who asks has no role any more.
   * @param replaced what was read before; null: there must be none; left out: whatever there is
   * @param asking the person who asks; null: an operator key does
   */
  savePerson(
    person: PersonInRole,
    replaced: Pick<PersonInRole, 'role' | 'name'> | null | undefined,
    asking: string | null,
  ): Promise<boolean>
  /**
   * Gives a person several roles, all of them or none, in one step. A name that is null leaves the one that is there.
   * @param roles of one person. Each has a record of its own, about its own place
   * @param auditIds the ids of the records after the first one, whose id is that of the entry
   * @returns false: nothing is stored, because who asks has no role any more
   */
  addPerson(
    roles: readonly PersonInRole[],
    auditIds: readonly string[],
    asking: string | null,
  ): Promise<boolean>
  /**
   * Removes the role of a person and ends their sessions and links, in one step and within the same bounds. False, and
   * nothing is removed: as for `savePerson`, or they have no role there.
   */
  removePerson(
    person: Pick<PersonInRole, 'person' | 'organizationId'>,
    replaced: Pick<PersonInRole, 'role' | 'name'> | null | undefined,
    asking: string | null,
  ): Promise<boolean>
  /** Ends all sessions of a person. Returns how many there were. */
  endSessions(person: string): Promise<number>
}

/** Opens changes for an audit entry. An operator has no other way to change anything. No I/O. */
export type OpenOperatorChanges = (entry: AuditEntry) => OperatorChanges

/**
 * The outcome of a change that an operator asked for. `done`: it was made. `refused`: it was not made, because the
 * stored data did not allow it. `forbidden`: it was not made, because the operator's role does not allow it. `failed`:
 * the service failed meanwhile, and the change may or may not have been made.
 */
export type AuditOutcome = 'done' | 'refused' | 'forbidden' | 'failed'

/**
 * What a change is about. It names things by their ids, and settings by their names, so it holds no secret and no
 * personal data. When the change was not made, it is what the change would have been about.
 */
export type AuditSubject =
  /** The settings of the organization; `changed`: those that get another value. */
  | { readonly type: 'settings'; readonly changed: readonly string[] }
  /**
   * A key of an organization, of the platform or of an operator. `successorId`: the key that replaces it.
   * `descendants`, `keys`: the operator keys that descend from it, and the keys of organizations and of the platform that
   * do, which were revoked with it. `unreached`: the organizations whose keys were not reached (only if there are any).
   */
  | {
      readonly type: 'key'
      readonly id: string
      readonly successorId?: string
      readonly descendants?: readonly string[]
      readonly keys?: readonly string[]
      readonly unreached?: readonly string[]
    }
  /**
   * An import: its kind, the rows of the file that were read so far, how many of them were new or replaced different
   * content (only when all are written), and the number of problems that were found in the file (only if there are
   * any). `id` null: none was opened.
   */
  | {
      readonly type: 'import'
      readonly id: string | null
      readonly kind?: string
      /** Given for a dry run, which writes nothing. */
      readonly dryRun?: true
      readonly rows?: number
      readonly changedRows?: number
      readonly problems?: number
    }
  /** A move of the organization's family. `id` null: none was begun. */
  | { readonly type: 'move'; readonly id: string | null; readonly to?: 'own' | 'shared' }
  /** An archive of the organization: its name where it has one, and whether secrets are in it. */
  | { readonly type: 'archive'; readonly name: string | null; readonly secrets: boolean }
  /** Forms that were saved, published or taken back. */
  | { readonly type: 'forms'; readonly ids: readonly string[]; readonly changed?: readonly FormChange[] }
  /** Automations that were saved, paused or resumed. `changed`: the keys of each whose values changed. */
  | {
      readonly type: 'automations'
      readonly ids: readonly string[]
      readonly changed?: readonly { readonly id: string; readonly keys: readonly string[] }[]
    }
  /** A message of an automation of a form that was sent to whoever tries it. Its recipient is not recorded. */
  | { readonly type: 'test'; readonly formId: string; readonly channel: 'email' | 'sms' }
  /** Rows that were deleted. `kind` null: all rows of an organization, of every kind. */
  | { readonly type: 'rows'; readonly kind: string | null; readonly rows: number }
  /** Submissions that were marked: how many, and as what. */
  | {
      readonly type: 'submissions'
      readonly count: number
      readonly as: 'read' | 'unread' | 'spam' | 'clean'
    }
  /** Contacts of a person who was erased. Addresses are not recorded. */
  | {
      readonly type: 'contacts'
      readonly ids: readonly string[]
      /** Given for a dry run, which erases nothing. */
      readonly dryRun?: true
    }
  /** For how many days submissions and sends are kept; null: for ever. */
  | { readonly type: 'retention'; readonly submissions: number | null; readonly sends: number | null }
  /** A person's role, by their address; null: it was taken. */
  | { readonly type: 'person'; readonly email: string; readonly role: PersonRole | null }
  /** A webhook, by its public id; `changed`: the settings that were named. */
  | { readonly type: 'webhook'; readonly id: string; readonly changed?: readonly string[] }
  /** An entry of the outbox. */
  | { readonly type: 'entry'; readonly id: string }

/** What changed in a form: names only. Of many fields, the first are named. */
export interface FormChange {
  readonly id: string
  /** The keys of the form whose values changed. */
  readonly keys: readonly string[]
  /** The ids of the fields that were added, changed or removed. */
  readonly fieldIds: readonly string[]
}

/** Who asked for a change, when, and of what. It holds no secret and no personal data of customers. */
export interface AuditEntry {
  /** Random, and new for each request. One request leaves at most one record. */
  readonly auditId: string
  /** UTC instant of the request. */
  readonly at: string
  /** Null: the root secret was used in place of a key. */
  readonly operatorKeyId: string | null
  /** The operator's name in that key. */
  readonly operator: string
  /** The kind of change, such as `key.revoke`. */
  readonly action: string
  /** The organization that the change is about; null: the platform, or the service itself. */
  readonly organizationId: string | null
  /** Null: not known, because the request was refused before that was clear, or is from before it was recorded. */
  readonly subject: AuditSubject | null
}

/** An audit entry with its outcome, as it is stored. */
export interface AuditRecord extends AuditEntry {
  readonly outcome: AuditOutcome
}

/** Narrows a list of records to those that have all of these values; null, or left out: any. */
export type AuditFilter = Readonly<
  Partial<Record<keyof Pick<AuditRecord, 'organizationId' | 'operatorKeyId' | 'action'>, string | null>>
>

/**
 * The audit trail of operators. A change that was made is recorded together with it, through `OperatorChanges`. This
 * port records the changes that were not made, and reads all records.
 */
export interface Audit {
  /**
   * Records an entry, unless it was recorded already: the first outcome stays. But a refused change that is recorded as
   * failed is tried again, so it is failed until it is settled.
   */
  record(record: AuditRecord): Promise<void>
  /**
   * Replaces the outcome `failed` of a record, and its subject. A change in another database is first recorded as
   * failed, so that no change is without a record.
   */
  settle(auditId: string, outcome: AuditOutcome, subject: AuditSubject | null): Promise<void>
  /** Records, newest first, starting after `after` (null: at the newest), at most `limit`. */
  list(filter: AuditFilter, after: Position | null, limit: number): Promise<readonly AuditRecord[]>
}

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
