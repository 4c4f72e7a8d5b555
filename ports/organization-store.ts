import type { Alert } from './messaging.ts'
import type { Organization, KeptKind, RetentionSettings, StoredSettings } from './organizations.ts'
import type { Webhook } from './outbox.ts'
import type { StoredValue } from './placement.ts'

/**
 * Everything that is stored of one organization, as a whole: archived and restored, erased for a person, kept for a
 * time, removed, deleted.
 */
export interface OrganizationStore extends RowRemoval, Erasure, Deletion, Retention {
  /** The archived tables, according to the present schema, in the order of their names. */
  tables(): Promise<readonly ArchivedTable[]>
  /** One of them; null: none has that name. */
  table(name: string): Promise<ArchivedTable | null>
  /**
   * Rows of a table after a position (null: from the first): a bounded number, and about a megabyte, or a single row
   * that is larger.
   */
  read(table: string, after: ArchivePosition | null): Promise<ArchivedRows>
  /** The latest restoration of the organization; null: it was never restored. */
  restoration(): Promise<Restoration | null>
  /**
   * Closes the organization, so that a restoration can write its rows: until `open`, its keys and forms are unknown.
   * An organization that exists must have no rows; its keys stay.
   */
  begin(restoration: Restoration, slug: string | null): Promise<BeginOutcome>
  /**
   * Writes a part, without deriving rows from its rows, because the archive has those too. Rows that are there already
   * stay. `lost`: it is not the next part of this restoration, and nothing was written. `unfit`: no table can hold one of
   * the rows; those of others may be there.
   */
  write(part: RestoredPart): Promise<'written' | 'lost' | 'unfit'>
  /** Saves the progress of the present restoration. False: it is not the present one any more, or has ended. */
  saveProgress(restoreId: string, progress: string): Promise<boolean>
  /**
   * Opens the organization, and lets its parent read its reviews, in one step. `lost`: the restoration is not the
   * present one, or has ended.
   */
  open(opening: Opening): Promise<'opened' | 'lost' | 'slug_taken' | 'parent_missing'>
}

/** A column of an archive's table, by the name that its values have in archives. */
export interface ArchivedColumn {
  readonly field: string
  readonly type: 'text' | 'integer' | 'real'
  readonly isNullable: boolean
  /** Whether the text is a JSON document, or the number a truth value. */
  readonly holds: 'value' | 'document' | 'truth'
  /** Whether the value proves who somebody is, so that archives without secrets do not have it. */
  readonly isSecret: boolean
}

/**
 * A table whose rows of an organization are archived. The organization's id is no column, and neither is what follows
 * from it and from the other columns, so that the same rows can be restored under another id.
 */
export interface ArchivedTable {
  readonly name: string
  /** First those by which the rows are ordered. */
  readonly columns: readonly ArchivedColumn[]
  /** Whether archives without secrets lack all of its rows. */
  readonly isSecret: boolean
}

/** Where reading a table continues: after the row with this key. Only the store writes and reads it. */
export type ArchivePosition = readonly StoredValue[]

/** Rows in the order of their keys, each with its values in the order of the table's columns. */
export interface ArchivedRows {
  readonly rows: readonly (readonly StoredValue[])[]
  /** Null: these are the last rows. */
  readonly next: ArchivePosition | null
}

/** The restoration of an organization from an archive. */
export interface Restoration {
  readonly restoreId: string
  /** The name of the archive, for people. */
  readonly archive: string
  /** SHA-256 of the archive's manifest, in hexadecimal digits: it identifies the archive. */
  readonly digest: string
  /** The number of the part to write next, from 1. */
  readonly nextPart: number
  /** JSON that only the domain writes and reads. */
  readonly progress: string
  readonly startedAt: string
  /** The UTC instant at which the organization was opened; null: it is closed, because its rows are being written. */
  readonly endedAt: string | null
}

/**
 * `restoring`: another restoration of the organization has begun and not ended. `has_rows`: the organization has rows.
 * `slug_taken`: another organization has the slug.
 */
export type BeginOutcome = 'begun' | 'restoring' | 'has_rows' | 'slug_taken'

/** A part of an archive: rows of one table, and the progress after them. */
export interface RestoredPart {
  readonly restoreId: string
  readonly part: number
  readonly table: string
  /** The fields of the rows, in the order of their values: columns of the table. Others get their defaults. */
  readonly fields: readonly string[]
  readonly rows: readonly (readonly StoredValue[])[]
  readonly progress: string
}

/** How an organization is opened after its rows were written. */
export interface Opening {
  readonly restoreId: string
  /** Its stored row, as the archive has it: values by field, with the organization's clock. */
  readonly row: Readonly<Record<string, StoredValue>>
  readonly parentId: Organization['parentId']
  /** Operator keys that were revoked with all that descends from them: the keys that they issued come back revoked. */
  readonly endedIssuers: readonly string[]
  readonly now: string
}

/** A person, by everything by which rows may know them. */
export interface Person {
  readonly contactIds: readonly string[]
  /** Addresses in the form in which they are compared. */
  readonly emailKeys: readonly string[]
  /** E.164. */
  readonly phones: readonly string[]
}

/** A person whose rows are to be erased. `emailKeys` has other spellings of the same addresses too, in lower case. */
export interface KnownPerson extends Person {
  /** The phone numbers as people write them: digits only, without zeros at the beginning, national and international. */
  readonly numbers: readonly string[]
}

/** A person who was looked for. */
export interface FoundPerson extends Person {
  /** The organization's clock when they were looked for; null: it is closed. */
  readonly clockAt: string | null
}

/** What one step of an erasure did. */
export interface ErasureStep {
  /** How many rows it changed or removed. */
  readonly rows: number
  /** How many of them are contacts. */
  readonly contacts: number
  /** The organization's clock after its last change; null: it is closed. */
  readonly clockAt: string | null
  /** Where the next step continues; null: everything was looked at. Only the store reads it. */
  readonly next: string | null
}

/** Erases what is stored about a person. */
export interface Erasure {
  /**
   * The contacts with one of the ids or addresses, together with all addresses of theirs and those that were given.
   * Ids that no contact has are left out.
   */
  findPerson(named: Person): Promise<FoundPerson>
  /** The id of an import that has begun and not ended; null: there is none. */
  openImport(): Promise<string | null>
  /**
   * Erases the person in some rows: every field that the records declare as personal gets the value that remains. What
   * was still to be sent to them is dropped, and recipients become `erased`. May be repeated.
   * @param position where to continue; null: at the beginning
   * @param closedAt the `updatedAt` of what is changed while the organization is closed, when it has no clock
   */
  eraseSome(person: KnownPerson, position: string | null, closedAt?: string): Promise<ErasureStep>
  /**
   * Looks at the same rows as `eraseSome`, and changes none. `rows` counts those that hold anything of the person, so an
   * erasure reports that many at most: it changes a message with the submission that it follows, and counts the two once.
   */
  findSome(person: KnownPerson, position: string | null): Promise<ErasureStep>
}

/**
 * What tells an erased person apart: the id of their contact, or a keyed hash of an address of theirs. A number is hashed
 * twice, by its international digits (`phone`) and by its national ones, because people write either.
 */
export type ErasureMarkKind = 'contact' | 'email' | 'phone' | 'national'

export interface ErasureMark {
  readonly kind: ErasureMarkKind
  /** The contact's id, or the hash. It reveals no address. */
  readonly value: string
  /** The version of the root secret under which the address was hashed; empty for a contact. */
  readonly secretVersion: string
}

/** A mark as it was recorded. */
export interface RecordedErasure extends ErasureMark {
  readonly organizationId: string
  /** By the clock of the organization: states of it that are earlier may have the person. */
  readonly erasedAt: string
}

/**
 * Who was erased from which organization, so that no older archive brings them back. It is in the shared database, and
 * outlives the organization.
 */
export interface ErasureLedger {
  /** Records marks. Of one that is recorded again, the later instant of erasure counts. */
  record(
    organizationId: string,
    marks: readonly ErasureMark[],
    erasedAt: string,
    recordedAt: string,
  ): Promise<void>
  /** Marks of these organizations that were erased after an instant, after one of them (null: from the first), at most `limit`. */
  since(
    organizationIds: readonly string[],
    instant: string,
    after: RecordedErasure | null,
    limit: number,
  ): Promise<readonly RecordedErasure[]>
  /** Forgets marks that were recorded before an instant, at most `limit`. Returns how many. */
  forget(before: string, limit: number): Promise<number>
}

/** Removes an organization with everything that one database stores of it. */
export interface Deletion {
  /**
   * Closes the organization for good: its keys and forms are unknown from now on, and nobody can create or restore it.
   * Also ends a restoration. May be repeated. `unknown`: there is nothing to delete.
   */
  beginDeletion(now: string): Promise<'begun' | 'has_children' | 'unknown'>
  /**
   * Removes some rows of one table; null: there are none any more, and the id is free. Nothing is noted of these rows,
   * because nobody can read the organization any more.
   */
  deleteSome(): Promise<{ readonly table: string; readonly rows: number } | null>
}

/**
 * The outcome of setting the retention: what it is afterwards. `missing`: there is no such organization. `changed`:
 * other settings are stored by now. In both cases nothing was written.
 */
export type SetRetentionOutcome =
  | { readonly kind: 'set'; readonly retention: RetentionSettings }
  | { readonly kind: 'missing' | 'changed' }

/** The retention of one organization. */
export interface Retention {
  retention(): Promise<RetentionSettings>
  /**
   * Saves settings in one step, and makes them due at once. A setting that is left out stays as it is.
   * @param replaced the settings that must still be stored; left out: whatever is stored
   */
  setRetention(
    settings: Partial<RetentionSettings>,
    now: string,
    replaced?: StoredSettings,
  ): Promise<SetRetentionOutcome>
}

/** A webhook of which nothing succeeds. */
export interface FailingWebhook extends Pick<Webhook, 'webhookId' | 'url'> {
  readonly organizationId: string
  readonly failingSince: string
}

/** A setting whose time has come. */
export interface DueRetention {
  readonly organizationId: string
  readonly kind: KeptKind
  readonly days: number
}

/** The retention of all organizations of one database. */
export interface RetentionDirectory {
  /** Settings that should have been applied at `now` or earlier, at most `limit`. */
  due(now: string, limit: number): Promise<readonly DueRetention[]>
  /**
   * When the next setting is due, a key of a send is free again, a delivery to a webhook or a sign of a flood is forgotten,
   * or a webhook is to be switched off because it fails; null: there is none.
   */
  nextDue(): Promise<string | null>
  /**
   * Removes some of what an organization has kept since before an instant. When nothing is left, the setting is due
   * again at `next`. Returns how many rows were removed: none when the setting was changed since it was found due.
   */
  apply(due: DueRetention, before: string, now: string, next: string): Promise<number>
  /** Webhooks that are on and have failed since an instant or longer, at most `limit`. */
  failingWebhooks(since: string, limit: number): Promise<readonly FailingWebhook[]>
  /**
   * Switches a webhook off that is on and still fails since then, and writes the alert about that, in one step. False: it
   * is not so any more, or all that failed was dropped since; then it fails no more.
   */
  switchOffFailing(webhook: FailingWebhook, alert: Alert, now: string): Promise<boolean>
  /** Forgets keys of sends that are free again at `now`, at most `limit`. Returns how many. */
  forgetSendKeys(now: string, limit: number): Promise<number>
  /** Forgets deliveries to webhooks that are kept no longer at `now`, at most `limit`. Returns how many. */
  forgetDeliveries(now: string, limit: number): Promise<number>
  /** Forgets what came to forms so long ago that it is no sign of a flood at `now`, at most `limit`. Returns how many. */
  forgetSigns(now: string, limit: number): Promise<number>
  /** Forgets removals from before an instant, at most `limit`. Returns how many. */
  forgetRemovals(before: string, limit: number): Promise<number>
}

/** What identifies a row within an organization and a collection: its id, behind its parent's where it needs that. */
export type RowKey = readonly string[]

/** Rows of one collection that refer to rows of another. */
export interface ReferringRows {
  readonly collection: string
  readonly rows: number
}

/**
 * `unknown`: there are no rows with these keys (at most ten of them). `needed`: other rows refer to some of them.
 * `importing`: an import is open, whose rows may refer to them. In these cases nothing was removed.
 */
export type RowsRemoved =
  | { readonly kind: 'removed'; readonly rows: number }
  | { readonly kind: 'unknown'; readonly keys: readonly RowKey[] }
  | { readonly kind: 'importing'; readonly importId: string }
  | { readonly kind: 'needed'; readonly by: readonly ReferringRows[] }

/** Removes rows that should never have been there. */
export interface RowRemoval {
  /**
   * Removes rows of a collection, all or none of them, in one step. What other rows derive from them is right
   * afterwards, and what a tenant could read leaves a removal. With a submission goes what was still to be done because of
   * it. Callers bound the number of keys.
   */
  removeRows(collection: string, keys: readonly RowKey[]): Promise<RowsRemoved>
}

/** An archive as a store lists it. */
export interface StoredArchive {
  readonly name: string
  readonly bytes: number
}

/** Keeps archives by name. Names consist of letters, digits, `_`, `-` and `.`. */
export interface ArchiveStore {
  /**
   * Stores an archive that is given piece by piece, in bounded memory. It appears when it is complete; when the pieces
   * end with an error, nothing appears, and this rejects with that error.
   */
  put(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /** Archives by their names, in the order of code units, starting after a name (null: at the first), at most `limit`. */
  list(after: string | null, limit: number): Promise<readonly StoredArchive[]>
  /** Bytes of an archive from an offset on, at most `length`; null: there is no such archive. Empty: it has no more. */
  read(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | null>
  /** Removes an archive, if it is there. */
  remove(name: string): Promise<void>
}

/** Encrypts an archive on its way into a store, in bounded memory. */
export type ArchiveSeal = (archive: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** Computes the SHA-256 of bytes that come piece by piece, in constant memory. */
export interface ArchiveDigest {
  update(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** The digest in hexadecimal digits. Called once, after everything else. */
  end(): Promise<string>
}

/** Begins a digest. */
export type OpenDigest = () => ArchiveDigest
