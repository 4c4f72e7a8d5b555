import type { Clock } from '../../../ports/platform.ts'
import type { WholeStore } from '../../../ports/archives.ts'
import type { DeletionPlaces } from '../../placement/operators/deletion-places.ts'

/** The ports by which an organization, or something of it, is removed. */
export interface RemovalWorld {
  readonly whole: (organizationId: string) => WholeStore
  readonly deletionPlaces: DeletionPlaces
  readonly clock: Clock
}

/**
 * For how long one request works, in ms. Whoever asked for more asks again: requests of any length would be cut off by
 * the platform, in the middle.
 */
export const REQUEST_MS = 10_000
