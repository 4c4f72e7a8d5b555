/** Updates of a key's row that follow from its use. */
export interface KeyUpkeep {
  /**
   * Records the hour in which a key was used, given as its first UTC instant. Writes nothing when that hour, or a later
   * one, is recorded already.
   * @param organizationId the key's owner, as far as the caller knows it: it may save looking up the key's database
   */
  noteKeyUse(keyId: string, hour: string, organizationId?: string | null): Promise<void>
  /**
   * Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile.
   * @param organizationId as for `noteKeyUse`
   */
  rehashKey(keyId: string, hash: string, secretVersion: string, organizationId?: string | null): Promise<void>
}
