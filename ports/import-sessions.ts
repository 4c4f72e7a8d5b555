import type { Position, StoredRow } from './records.ts'

export type ImportFormat = 'ndjson' | 'csv'

/**
 * The state of an import. `receiving`: it takes parts, and the organization's data is not yet changed. `writing`: the
 * decision to write all rows was made, and is final; a dry run compares them instead with what is stored. `done`: all rows
 * are written. `checked`: a dry run found nothing wrong, and nothing is written. `refused`: the file has problems, which `problems` lists. `aborted`: it was given up.
 * The last four are final.
 */
export type ImportState = 'receiving' | 'writing' | 'done' | 'checked' | 'refused' | 'aborted'

/** A problem in a line of the file. `line` counts from 1, `field` is a dotted path. */
export interface ImportProblem {
  readonly line: number
  readonly field: string
  readonly message: string
}

/**
 * The fields of a CSV file's columns whose names do not say it, by the names of the columns. An empty field: the column
 * is left out.
 */
export type ImportMapping = Readonly<Record<string, string>>

/** Identifies an import. Two of the same kind, format, size, digest, way of checking and mapping are the same. */
export interface ImportedFile {
  /** The import kind, which is also the collection of the rows. */
  readonly kind: string
  readonly format: ImportFormat
  readonly totalBytes: number
  /** SHA-256 of the concatenated digests of its parts, base64url. */
  readonly digest: string
  /** Whether the file is only checked, and nothing of it is ever written. Left out: false. */
  readonly isDryRun?: boolean
  /** Left out: empty. */
  readonly mapping?: ImportMapping
  /** Whether columns that are no field become attributes under their own names. Left out: false. */
  readonly takesAttributes?: boolean
  /** Whether all problems are listed, as far as they can be stored. Only for a dry run. Left out: false. */
  readonly listsProblems?: boolean
}

/**
 * How the rows of a session become those of its collection. 0: each is complete and replaces what is stored under its id.
 * 1: all have ids, and leave parts of what is stored. 2: some have no id, and are of whoever has their email or phone; then no
 * row clears what it does not name.
 */
export type Matching = 0 | 1 | 2

/** One import of one file into one organization. */
export interface ImportSession extends Required<ImportedFile> {
  readonly matching: Matching
  readonly importId: string
  readonly state: ImportState
  /** The UTC instants of the opening and of the last change. */
  readonly openedAt: string
  readonly touchedAt: string
  /** The number of the part to take next; the first is 1. */
  readonly nextPart: number
  readonly receivedBytes: number
  /** How many records have been read so far. */
  readonly readRows: number
  /** How many rows were skipped because all of their cells are empty. */
  readonly skippedRows: number
  /** The problems found so far, in the order of the lines. */
  readonly problems: readonly ImportProblem[]
  /** What the operator should know although the file is in order, as sentences. */
  readonly warnings: readonly string[]
  /**
   * The state of reading between two parts, as JSON that only the domain writes and reads. Empty once the session is no
   * longer `receiving`, because it may contain a part of a line.
   */
  readonly reading: string
  /** The stored fields of the staged rows; null: drafts are staged, which are completed when they are written. */
  readonly stagedFields: readonly string[] | null
  /** How many chunks of rows are staged, and how many of those are written. */
  readonly chunks: number
  readonly writtenChunks: number
  readonly writtenRows: number
  /** How many written rows were inserted, or replaced different content. */
  readonly changedRows: number
  /** How many of the changed rows were stored for the first time; null: the session does not match, so it does not know. */
  readonly newRows: number | null
  /** How many rows were of whom an earlier row of the file was; null: the session does not match. */
  readonly mergedRows: number | null
}

/** The keys of a part's lines that belong to one bucket. Equal keys belong to the same bucket. */
export interface StagedKeys {
  readonly bucket: number
  readonly keys: readonly string[]
  /** The line of each key. */
  readonly lines: readonly number[]
}

/** Everything that one part adds to its session. */
export interface StagedPart {
  readonly part: number
  /** SHA-256 of the part, base64url. */
  readonly digest: string
  readonly bytes: number
  readonly readRows: number
  readonly skippedRows: number
  /**
   * All problems of the session, including those of this part. A session with problems is never written, so its rows
   * need not be stored.
   */
  readonly problems: readonly ImportProblem[]
  /** All warnings of the session, including those of this part. */
  readonly warnings: readonly string[]
  readonly state: 'receiving' | 'refused'
  readonly reading: string
  /**
   * The rows to write: complete rows, or drafts when the session stages drafts. In those of a part that matches, null is a
   * field that was not given, and `collection.name` a member of a document.
   */
  readonly rows: readonly StoredRow[]
  readonly matching: Matching
  readonly keys: readonly StagedKeys[]
}

/** A key that occurs in several lines of a file. */
export interface RepeatedKey {
  readonly key: string
  /** In ascending order. */
  readonly lines: readonly number[]
}

/** A chunk of staged rows that waits to be written, or what is left of it. */
export interface StagedChunk {
  readonly chunk: number
  readonly rows: readonly StoredRow[]
}

/** What rows of a chunk have that may find who they are of. */
export interface MatchKeys {
  readonly ids: readonly string[]
  /** As `emailKey` has them. */
  readonly emails: readonly string[]
  /** E.164. */
  readonly phones: readonly string[]
}

/**
 * What an import did with a contact that was stored before: 0: nothing, 1: changed it, 2: stored it under a given id. -1:
 * it was not met yet, and will be several times.
 */
export type Touch = -1 | 0 | 1 | 2

/** Who the rows of a chunk may be of. */
export interface Matches {
  /** All stored fields of contacts. Of those that share an email or a phone, the oldest. */
  readonly contacts: readonly StoredRow[]
  /** What this import did with them so far, by id; those that it made under an id of its own are not listed. */
  readonly touched: ReadonlyMap<string, Touch>
  /** The organization's clock when they were read. */
  readonly at: string
}

/** Contacts as the rows of a chunk leave them. */
export interface MatchedRows {
  /** Complete rows: those that are new or differ from what was read. */
  readonly rows: readonly StoredRow[]
  readonly touched: readonly (readonly [contactId: string, touch: Touch])[]
  /** What the chunk adds to the counts of its session. */
  readonly counts: Readonly<Record<'changedRows' | 'newRows' | 'mergedRows', number>>
  /** All warnings of the session. */
  readonly warnings: readonly string[]
  /** When the contacts were read. Nothing is written when one that has one of these keys was changed since. */
  readonly at: string
  readonly keys: MatchKeys
}

/**
 * The rows to write for a chunk, or how many rows another store has changed for it. Matched rows may be of the first
 * `taken` rows of the chunk's `of`, of which the others then wait.
 */
export type WrittenChunk =
  | { readonly chunk: number; readonly taken: number; readonly of: number; readonly matched: MatchedRows }
  | { readonly chunk: number; readonly rows: readonly StoredRow[] }
  | { readonly chunk: number; readonly changed: number }

/**
 * The imports of one organization. They are in the same database as its data, so that writing a chunk of rows and
 * recording that it was written are one step. Every method is atomic. A session that is passed to a method identifies
 * the import and provides the values that never change. Whether it is still in the required state is checked in the
 * same step.
 */
export interface ImportSessions {
  /**
   * Opens a session, unless one of the same kind is `receiving` or `writing`: an organization has at most one open
   * session of a kind, so that two imports never mix. Returns the session that is then open; the caller compares
   * `importId`.
   * @param staging whether complete rows or drafts are staged
   */
  open(
    importId: string,
    file: ImportedFile,
    staging: 'rows' | 'drafts',
    reading: string,
  ): Promise<ImportSession>
  /** The session with that id; null: the organization has none. */
  find(importId: string): Promise<ImportSession | null>
  /** The stored sessions after a position, latest opening first, at most `limit`; null: from the start. */
  list(after: Position | null, limit: number): Promise<readonly ImportSession[]>
  /** The digests of the parts that were taken, in order. */
  digests(importId: string): Promise<readonly string[]>
  /**
   * Adds a part. Returns the changed session. Null, and nothing is changed: the session is not `receiving`, or this is
   * not its next part.
   */
  addPart(session: ImportSession, part: StagedPart): Promise<ImportSession | null>
  /** Keys of a bucket that occur in more than one line, at most `limit` of them. */
  repeatedKeys(importId: string, bucket: number, limit: number): Promise<readonly RepeatedKey[]>
  /** Marks the contacts whose ids occur in more than one line, so that each is counted once. Done again: nothing more. */
  markRepeated(importId: string, bucket: number): Promise<void>
  /** All keys of a bucket with their lines. */
  keysIn(importId: string, bucket: number): Promise<readonly RepeatedKey[]>
  /**
   * Ends a session that is `receiving`, or a dry run that is `writing`. Returns the ended session; null: it is neither.
   */
  end(
    importId: string,
    state: 'checked' | 'refused' | 'aborted',
    problems: readonly ImportProblem[],
  ): Promise<ImportSession | null>
  /**
   * Starts writing a session: its state changes from `receiving` to `writing`, or to `done` when it has no rows. Of a dry
   * run, `writeNext` and `writeChunk` only count what they would have written, and it ends as `checked`. Null: the session
   * is not `receiving`.
   * @param serviceWideIds whether ids of the collection are unique in the whole service. If so, the result is also null
   *   while another organization's import of the kind is being written, or when an id belongs to another organization
   */
  startWriting(session: ImportSession, serviceWideIds: boolean): Promise<ImportSession | null>
  /**
   * Writes the next chunks of staged rows as `TenantWriter.upsert` would, at most `chunksMax` of them, and counts them,
   * in one step. The database serves nothing else meanwhile, so callers keep steps short. Concurrent callers write
   * different chunks. The last chunk makes the session `done`. Throws for drafts.
   * @returns the changed session; null: it is not `writing`
   */
  writeNext(session: ImportSession, chunksMax: number): Promise<ImportSession | null>
  /** The next chunk of a session that is `writing`, for a caller that completes its rows or writes them elsewhere. */
  nextChunk(session: ImportSession): Promise<StagedChunk | null>
  /**
   * The contacts that have one of these keys; for a dry run, as the chunks before would have left them.
   * @param bytesMax above which only their size is returned, because they would fill a Worker's memory
   */
  findMatches(
    session: ImportSession,
    keys: MatchKeys,
    bytesMax: number,
  ): Promise<Matches | { readonly bytes: number }>
  /**
   * Like `writeNext`, with these rows in place of the staged ones. Null also when another chunk is next, or another number
   * of its rows is left, and when somebody changed a contact since those were read to which the rows were matched.
   */
  writeChunk(session: ImportSession, written: WrittenChunk): Promise<ImportSession | null>
  /** Removes some of the staged rows of a session that has ended. False: nothing is left. */
  dropStaged(importId: string): Promise<boolean>
}

/** Identifies one import in the service. */
export interface ImportRef {
  readonly organizationId: string
  readonly importId: string
}

/** The imports of all organizations, for background work. It gives access to their ids only. */
export interface ImportDirectory {
  /** Sessions in this state that have not changed since an instant, the longest unchanged first, at most `limit`. */
  untouched(state: ImportState, since: string, limit: number): Promise<readonly ImportRef[]>
  /** Ended sessions that still have staged rows, at most `limit`. */
  withLeftovers(limit: number): Promise<readonly ImportRef[]>
  /** Removes ended sessions that have no staged rows and have not changed since an instant: at most `limit`. */
  forget(since: string, limit: number): Promise<void>
}
