/** A database does not hold the organization that it was asked about. Nothing was read, and nothing was written. */
export class ElsewhereError extends Error {
  override readonly name = 'ElsewhereError'
}

/** The family is being moved to another place, and its writes are paused for a moment. Nothing was written. */
export class PausedError extends Error {
  override readonly name = 'PausedError'
}
