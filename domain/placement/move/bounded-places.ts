import type { MovePlace } from '../../../ports/placement/move.ts'
import { within } from '../../bounds/within.ts'
import { relayed } from '../../relay/relayed.ts'
import { CALL_MAX_MS } from './limits.ts'
import type { MoveWorld } from './world.ts'

/**
 * A world whose places answer every call within a bounded time, or reject with `TimedOut`. So a database that never
 * answers stops no mover for good, and a move to it can still be given up.
 */
export function withBoundedPlaces<World extends Pick<MoveWorld, 'places' | 'deadline'>>(world: World): World {
  return { ...world, places: (place) => bounded(world.places(place), world.deadline) }
}

function bounded(place: MovePlace, deadline: MoveWorld['deadline']): MovePlace {
  const { rowsMax } = place
  return relayed<MovePlace>((ask) => within(deadline, CALL_MAX_MS, ask(place)), { rowsMax })
}
