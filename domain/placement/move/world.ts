import type { Clock } from '../../../ports/clock.ts'
import type { Deadline } from '../../../ports/deadline.ts'
import type { MoveLedger } from '../../../ports/move-ledger.ts'
import type { MovePlace } from '../../../ports/move.ts'
import type { Place } from '../../../ports/placement.ts'
import type { RandomSource } from '../../../ports/random-source.ts'

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
