/** Draws randomness fit for secrets and identifiers. */
export interface RandomSource {
  /** `length` bytes from a cryptographically secure generator. Never throws. */
  bytes(length: number): Uint8Array<ArrayBuffer>
}
