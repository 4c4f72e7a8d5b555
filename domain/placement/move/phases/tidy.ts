import type { Move } from '../../../../ports/placement/move-ledger.ts'
import type { MovePlace } from '../../../../ports/placement/move.ts'
import { toInstant } from '../../../text/instant.ts'
import { unlessElsewhere } from '../../find/errors.ts'
import { withBoundedPlaces } from '../bounded-places.ts'
import { TIDY_AFTER_MS, TIDY_MAX_MS } from '../limits.ts'
import type { MoveWorld } from '../world.ts'

/**
 * Removes what is left of calls that took effect only after their move had ended. That happens when a mover dies, or
 * waits long for a database, and another mover ends the move meanwhile. Such a call can start a journal, which would
 * note every write of the family from then on, or begin to fill a database that nobody uses. It also empties a database
 * that did not answer when its move was given up. Safe to repeat, and for several callers at once.
 */
export async function tidyUp(world: MoveWorld, move: Move): Promise<void> {
  const { ledger, clock, places } = withBoundedPlaces(world)
  // The next try is noted first, so that a database that does not answer does not occupy every sweep.
  const nowMs = clock.nowMs()
  const isLastTry = move.endedAt === null || nowMs - Date.parse(move.endedAt) > TIDY_MAX_MS
  const notBefore = isLastTry ? null : toInstant(nowMs + TIDY_AFTER_MS)
  const noted = await ledger.turn(move, { phase: move.phase, notBefore })
  if (noted === null) return
  const [source, target] = [places(move.source), places(move.target)]
  for (const place of [source, target]) await unlessElsewhere(() => forgetAt(place, move.moveId))
  if (move.phase === 'aborted' && move.target.kind === 'own') await target.empty(move.moveId)
  await ledger.turn(noted, { phase: move.phase, notBefore: null })
}

async function forgetAt(place: MovePlace, moveId: string): Promise<void> {
  await place.stop(moveId)
  await place.forget(moveId)
}
