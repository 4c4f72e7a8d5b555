/** What is written about a key because it was used. */
export interface KeyUpkeep {
  /**
   * Notes the hour in which a key was used, given as its first UTC instant. Writes nothing when that hour, or a later one,
   * is noted already.
   * @param organizationId whose key it is, as far as the caller knows: it may spare a look for the key's database
   */
  noteKeyUse(keyId: string, hour: string, organizationId?: string | null): Promise<void>
  /**
   * Replaces a key's hash after a rotation of the root secret, unless the key was revoked meanwhile.
   * @param organizationId as for `noteKeyUse`
   */
  rehashKey(keyId: string, hash: string, secretVersion: string, organizationId?: string | null): Promise<void>
}
