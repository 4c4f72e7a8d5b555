/** What is written about a key because it was used. */
export interface KeyUpkeep {
  /**
   * Notes the hour in which a key was used, given as its first UTC instant. Writes nothing when that hour, or a later one,
   * is noted already.
   */
  noteKeyUse(keyId: string, hour: string): Promise<void>
  /** Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile. */
  rehashKey(keyId: string, hash: string, secretVersion: string): Promise<void>
}
