import type { PlacedOrganization } from '../../../ports/placement.ts'

/** A database does not hold the organization that it was asked about. Nothing was read or written. */
export class ElsewhereError extends Error {
  override readonly name = 'ElsewhereError'
  /** The organization's place, when the database that refused it knows the place; null: the directory must be asked. */
  readonly found: PlacedOrganization | null

  constructor(found: PlacedOrganization | null = null, options?: ErrorOptions) {
    super('The organization lives in another database.', options)
    this.found = found
  }
}

/** Does work in a database. Null: the database does not hold the organization that the work is about. */
export async function unlessElsewhere<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ElsewhereError) return null
    throw error
  }
}

/**
 * The family is being moved to another place, and until that has ended, no organization can join or leave it. Nothing
 * was written.
 */
export class MovingError extends Error {
  override readonly name = 'MovingError'

  constructor(options?: ErrorOptions) {
    super('The family is being moved, so nothing can join or leave it.', options)
  }
}

/** The family is being moved to another place, and its writes are paused for a moment. Nothing was written. */
export class PausedError extends Error {
  override readonly name = 'PausedError'

  constructor(options?: ErrorOptions) {
    super('The family is being moved, and its writes are paused.', options)
  }
}
