import type { Clock, Deadline, Log, RandomSource } from '../../../ports/platform.ts'
import type { MoveLedger } from '../../../ports/placement/move-ledger.ts'
import type { MovePlace } from '../../../ports/placement/move.ts'
import type { Place } from '../../../ports/placement/placement.ts'
import { within } from '../../limits/waiting.ts'
import { relayed } from '../../../ports/relayed.ts'
import { CALL_MAX_MS } from './limits.ts'

/** The ports that moving a family needs. */
export interface MoveWorld {
  readonly ledger: MoveLedger
  /** Opens a place as a source or target of moves. No I/O. */
  readonly places: (place: Place) => MovePlace
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

/**
 * A world whose places answer every call within a bounded time, or reject with `TimedOut`. So a database that never
 * answers stops no mover for good, and a move to it can still be given up.
 */
export function withBoundedPlaces(world: MoveWorld): MoveWorld {
  const bounded = (place: MovePlace): MovePlace => {
    const { rowsMax } = place
    return relayed<MovePlace>((ask) => within(world.deadline, CALL_MAX_MS, ask(place)), { rowsMax })
  }
  return { ...world, places: (place) => bounded(world.places(place)) }
}

const ID_BYTES = 10

/** A new id for a move, a mover or an attempt to switch: lower-case letters and digits. */
export function newMoveId({ random }: Pick<MoveWorld, 'random'>): string {
  return [...random.bytes(ID_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
