import type { MovePlace } from '../../../ports/placement/move.ts'
import { within } from '../../bounds/within.ts'
import { CALL_MAX_MS } from './limits.ts'
import type { MoveWorld } from './world.ts'

/**
 * A world whose places answer every call within a bounded time, or reject with `TimedOut`. So a database that never
 * answers stops no mover for good, and a move to it can still be given up.
 */
export function withBoundedPlaces<World extends Pick<MoveWorld, 'places' | 'deadline'>>(world: World): World {
  return { ...world, places: (place) => bounded(world.places(place), world.deadline) }
}

/** A method of a place, whichever it is. */
type Method = (...given: readonly unknown[]) => Promise<unknown>

function bounded(place: MovePlace, deadline: MoveWorld['deadline']): MovePlace {
  const entries = Object.entries(place).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member]
    const method = member as Method
    return [name, (...given: readonly unknown[]) => within(deadline, CALL_MAX_MS, method(...given))]
  })
  // Every entry has the type that it had before.
  return Object.fromEntries(entries) as MovePlace
}
