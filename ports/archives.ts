import type { Organization } from './organizations.ts'
import type { StoredValue } from './moves.ts'
import type { Deletion, Erasure, Retention, RowRemoval } from './erasure.ts'

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

/** Everything that is stored of one organization, as a whole. */
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
