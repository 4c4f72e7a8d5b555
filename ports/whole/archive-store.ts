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
