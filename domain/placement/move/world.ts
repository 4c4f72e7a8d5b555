import type { Clock, Deadline, RandomSource } from '../../../ports/platform.ts'
import type { MoveLedger } from '../../../ports/placement/move-ledger.ts'
import type { MovePlace } from '../../../ports/placement/move.ts'
import type { Place } from '../../../ports/placement/placement.ts'

/** The ports that moving a family needs. */
export interface MoveWorld {
  readonly ledger: MoveLedger
  /** Opens a place as a source or target of moves. No I/O. */
  readonly places: (place: Place) => MovePlace
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
}

const ID_BYTES = 10

/** A new id for a move, a journal or an attempt to switch: lower-case letters and digits. */
export function newMoveId({ random }: Pick<MoveWorld, 'random'>): string {
  return [...random.bytes(ID_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
