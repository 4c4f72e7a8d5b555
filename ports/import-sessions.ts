import type { StoredRow } from './query.ts'

export type ImportFormat = 'ndjson' | 'csv'

/**
 * How far an import is. `receiving`: parts are taken, and nothing of the organization's data is touched. `writing`: it
 * was decided that all rows are written, and that is never taken back. `done`: they are. `refused`: something is wrong
 * with the file, `problems` says what. `aborted`: it was given up. The last three are final.
 */
export type ImportState = 'receiving' | 'writing' | 'done' | 'refused' | 'aborted'

/** Something wrong with a line of the file. `line` counts from 1, `field` is a dotted path. */
export interface ImportProblem {
  readonly line: number
  readonly field: string
  readonly message: string
}

/** What an import is of. Two with the same kind, format, size and digest are imports of the same file. */
export interface ImportedFile {
  /** The import kind, which is also the collection that the rows go to. */
  readonly kind: string
  readonly format: ImportFormat
  readonly totalBytes: number
  /** SHA-256 of the digests of its parts, one behind the other, base64url. */
  readonly digest: string
}

/** One import of one file into one organization. */
export interface ImportSession extends ImportedFile {
  readonly importId: string
  readonly state: ImportState
  /** UTC instants: of the opening, and of the last thing that happened to it. */
  readonly openedAt: string
  readonly touchedAt: string
  /** The number of the part that is taken next; the first is 1. */
  readonly nextPart: number
  readonly receivedBytes: number
  /** Records read so far. */
  readonly readRows: number
  /** What is wrong so far, in the order of the lines. */
  readonly problems: readonly ImportProblem[]
  /** Where the reading stands between two parts: JSON that the domain wrote and reads. */
  readonly reading: string
  /** The stored fields that rows are staged with; null: they are staged as drafts, to be completed when they are written. */
  readonly stagedFields: readonly string[] | null
  /** Chunks of rows that are staged, and those of them that are written. */
  readonly chunks: number
  readonly writtenChunks: number
  readonly writtenRows: number
  /** Written rows that were inserted, or that replaced different content. */
  readonly changedRows: number
}

/** The keys of a part's lines that fall into one bucket. Equal keys fall into the same bucket. */
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
  /** All problems of the session from now on. With any, the session is never written, and its rows need not be kept. */
  readonly problems: readonly ImportProblem[]
  readonly state: 'receiving' | 'refused'
  readonly reading: string
  /** Rows to write: complete ones, or drafts when the session's rows are completed when they are written. */
  readonly rows: readonly StoredRow[]
  readonly keys: readonly StagedKeys[]
}

/** A key that stands in several lines of a file. */
export interface RepeatedKey {
  readonly key: string
  /** Ascending. */
  readonly lines: readonly number[]
}

/** A chunk of staged rows that waits to be written. */
export interface StagedChunk {
  readonly chunk: number
  readonly rows: readonly StoredRow[]
}

/** Rows of a chunk as they are written in its place, or how many of them another store says that it changed. */
export type WrittenChunk =
  | { readonly chunk: number; readonly rows: readonly StoredRow[] }
  | { readonly chunk: number; readonly changed: number }

/**
 * The imports of one organization, in the same database as its data, so that a chunk of rows and the note that it was
 * written are one step. Every method is atomic. A session that is given to a method tells which one is meant and what
 * never changes of it; whether it still is in the state that a method needs is looked up in the same step.
 */
export interface ImportSessions {
  /**
   * Opens a session, unless one of the same kind is `receiving` or `writing`: an organization has at most one of a kind,
   * so that two imports never mix. Returns the one that is open then; the caller compares `importId`.
   * @param staging whether rows are staged complete, or as drafts
   */
  open(
    importId: string,
    file: ImportedFile,
    staging: 'rows' | 'drafts',
    reading: string,
  ): Promise<ImportSession>
  /** The session of that id, or null when the organization has none. */
  find(importId: string): Promise<ImportSession | null>
  /** The sessions that are kept, the one opened last first, at most `limit`. */
  list(limit: number): Promise<readonly ImportSession[]>
  /** The digests of the parts that were taken, in order. */
  digests(importId: string): Promise<readonly string[]>
  /**
   * Adds a part. Returns the session after that; null, and nothing is changed, unless the session is `receiving` and this
   * is its next part.
   */
  addPart(session: ImportSession, part: StagedPart): Promise<ImportSession | null>
  /** Keys of a bucket that stand in more than one line, at most `limit` of them. */
  repeatedKeys(importId: string, bucket: number, limit: number): Promise<readonly RepeatedKey[]>
  /** All keys of a bucket with their lines. */
  keysIn(importId: string, bucket: number): Promise<readonly RepeatedKey[]>
  /** Ends a session that is `receiving`. Returns it after that; null when it is not. */
  end(
    importId: string,
    state: 'refused' | 'aborted',
    problems: readonly ImportProblem[],
  ): Promise<ImportSession | null>
  /**
   * Decides that a session is written: from `receiving` to `writing`, or to `done` when it has no rows. Null unless the
   * session is `receiving`.
   * @param serviceWideIds whether ids of the collection are unique in the whole service: then also null while another
   * organization's import of the kind is written, or when an id belongs to another organization
   */
  startWriting(session: ImportSession, serviceWideIds: boolean): Promise<ImportSession | null>
  /**
   * Writes the next chunks of staged rows as `TenantWriter.upsert` would, at most `chunksMax` of them, and counts them, in
   * one step. Nothing else is served by the database meanwhile, so a caller keeps steps short. Callers may run at the same
   * time, and each writes other chunks. The last chunk makes the session `done`. Throws for drafts.
   * @returns the session after that, or null when it is not `writing`
   */
  writeNext(session: ImportSession, chunksMax: number): Promise<ImportSession | null>
  /** The next chunk of a session that is `writing`, for a caller that completes its rows or writes them elsewhere. */
  nextChunk(importId: string): Promise<StagedChunk | null>
  /** As `writeNext`, with these rows in place of the staged ones; null also when another chunk is next. */
  writeChunk(session: ImportSession, written: WrittenChunk): Promise<ImportSession | null>
  /** Removes some of what is staged for a session that is over. False: nothing is left. */
  dropStaged(importId: string): Promise<boolean>
}

/** An import of the service. */
export interface ImportRef {
  readonly organizationId: string
  readonly importId: string
}

/** Imports of all organizations, for the work that nobody asks for. It shows their names and nothing else. */
export interface ImportDirectory {
  /** Sessions in this state that nothing has happened to since an instant, the longest untouched first, at most `limit`. */
  untouched(state: ImportState, since: string, limit: number): Promise<readonly ImportRef[]>
  /** Sessions that are over of which something is still staged, at most `limit`. */
  withLeftovers(limit: number): Promise<readonly ImportRef[]>
  /** Forgets sessions that are over, have nothing staged, and were not touched since an instant: at most `limit`. */
  forget(since: string, limit: number): Promise<void>
}
