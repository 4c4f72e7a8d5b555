import type { Move } from '../../../../ports/placement/move-ledger.ts'
import { drainJournal } from './drain.ts'
import { currentFilling, type Filled, type Filling } from './filling.ts'
import { DRAINED, DRAINED_AT_ONCE, REPAIRS_MAX, SMALL_JOURNAL } from '../limits.ts'
import { shownProgress } from '../progress.ts'
import { reconcileSpans } from './reconcile.ts'
import { cleanUp, switchOver } from './switch-over.ts'
import type { MoveWorld } from '../world.ts'

/**
 * A step of a move that copies: it applies some of the journal and copies a span of rows. When everything is settled,
 * it attempts to switch instead.
 */
export async function copyStep(world: MoveWorld, given: Move): Promise<Move | null> {
  const sides = { source: world.places(given.source), target: world.places(given.target) }
  const move = await cleanUp(world, given, sides)
  const { journalId, tables } = given
  if (move === null || journalId === null || tables === null) return move
  const filling = await currentFilling({ ...sides, moveId: move.moveId, journalId, tables })
  if (filling === null) return move
  if (filling.progress.repairs > REPAIRS_MAX) {
    return world.ledger.turn(move, {
      phase: 'aborting',
      failure: 'Copied rows were found different again and again.',
    })
  }
  const drained = await drainJournal(filling, DRAINED)
  if (drained.kind !== 'filled') return tradedValues(world, move, filling, drained)
  if (drained.filling.progress.pass === 'settled') return settledStep(world, move, drained)
  const filled = await reconcileSpans(drained.filling)
  if (filled.kind === 'conflict') return tradedValues(world, move, drained.filling, filled)
  if (filled.kind === 'filled') {
    await world.ledger.show(move.moveId, shownProgress(filled.filling.progress, tables))
  }
  return move
}

/** The step when the target equals the source except for the rows in the journal. */
async function settledStep(
  world: MoveWorld,
  move: Move,
  drained: { readonly filling: Filling; readonly taken: number },
): Promise<Move | null> {
  if (drained.taken > SMALL_JOURNAL) return move
  if (move.notBefore !== null && Date.parse(move.notBefore) > world.clock.nowMs()) return move
  const { source, tables, journalId } = drained.filling
  if (await source.isJournaling(journalId, tables)) return switchOver(world, move, drained.filling)
  // The schema of the source has changed, so its rows must be read again.
  await source.stop(journalId)
  return world.ledger.turn(move, { phase: 'starting' })
}

/**
 * Handles rows that exchange a unique value. All of them have been written, so the journal names them, and applying
 * much of it in one step deletes the old rows before it inserts the new ones. When the journal has no entries, the move
 * is aborted.
 */
async function tradedValues(
  world: MoveWorld,
  move: Move,
  filling: Filling,
  unfilled: Exclude<Filled, { kind: 'filled' }>,
): Promise<Move | null> {
  if (unfilled.kind !== 'conflict') return move
  const current = await currentFilling(filling)
  if (current === null) return move
  const drained = await drainJournal(current, DRAINED_AT_ONCE)
  if (drained.kind === 'overtaken' || (drained.kind === 'filled' && drained.taken > 0)) return move
  return world.ledger.turn(move, {
    phase: 'aborting',
    failure: 'A row needs a unique value that another row of the target has.',
  })
}
