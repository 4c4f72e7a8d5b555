import type { Clock, Deadline, Log, RandomSource } from '../../../ports/platform.ts'
import type { MoveLedger, MovePlace, Place } from '../../../ports/placement.ts'
import { within } from '../../limits/waiting.ts'
import { relayed } from '../../../ports/relayed.ts'

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

/** The maximum pause of writes for one attempt to switch. An attempt that takes longer ends without effect. */
export const PAUSE_MAX_MS = 2_000

/** How much of the pause an attempt may spend on the last round; the remaining time is for the switch itself. */
export const LAST_ROUND_MAX_MS = 1_400

/** A round that wrote at most so many rows is followed by an attempt to switch, every other one by another round. */
export const SMALL_ROUND = 200
/** After so many rounds they get no shorter, and an attempt is made in any case. */
export const ROUNDS_MAX = 6

/** How many tables one step reads. */
export const TABLES_A_STEP = 16

/** How long the source keeps its rows after the move, or the target of a move that was given up what came late. */
export const KEPT_MS = 24 * 60 * 60_000
export const TIDY_AFTER_MS = 15 * 60_000

/** How long after that removing what is left is tried, in spite of failures. */
export const TIDY_MAX_MS = 24 * 60 * 60_000

/**
 * How long a mover waits for one call of a place. It is many times as long as a call takes, so a place that takes longer
 * does not work; whatever the call still does there is harmless to the move.
 */
const CALL_MAX_MS = 10_000

/** For how long a mover has the lease of a move. Longer than any step takes. */
export const MOVE_LEASE_MS = 60_000

/** The waits between attempts to switch: the first one, and the longest. */
export const FIRST_WAIT_MS = 500
export const LONGEST_WAIT_MS = 60_000

/** After each step a move rests for as long as the step took, but no longer than this. */
export const REST_MAX_MS = 1_000

/** How long a move waits when the schema of one place is older than that of the other. */
export const SCHEMA_WAIT_MS = 10_000

/** How often rows may be found different that should be the same, before the move is given up. */
export const REPAIRS_MAX = 20
