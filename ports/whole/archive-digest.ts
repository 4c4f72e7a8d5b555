/** Computes the SHA-256 of bytes that come piece by piece, in constant memory. */
export interface ArchiveDigest {
  update(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** The digest in hexadecimal digits. Called once, after everything else. */
  end(): Promise<string>
}

/** Begins a digest. */
export type OpenDigest = () => ArchiveDigest
