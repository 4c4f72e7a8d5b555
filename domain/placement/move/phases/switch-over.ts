import type { Move } from '../../../../ports/placement/move-ledger.ts'
import { toInstant } from '../../../text/instant.ts'
import { doublingPauses } from '../../../bounds/backoff.ts'
import { drainJournal } from './drain.ts'
import type { Filling } from './filling.ts'
import { DRAIN_MAX_MS, DRAINED, FIRST_WAIT_MS, LONGEST_WAIT_MS, PAUSE_MAX_MS } from '../limits.ts'
import { shownProgress } from '../progress.ts'
import { newMoveId, type MoveWorld } from '../world.ts'

/** An attempt to switch, with the token that the ledger has for it. */
interface Try {
  readonly move: Move
  readonly token: string
  readonly startedMs: number
}

/**
 * Pauses writes, copies the rows that the journal still names, and makes the target the family's place. If a condition
 * is not met, or it takes too long, the attempt ends without effect: writes continue, and another attempt is made
 * later.
 * @returns the move after the attempt; null: another mover has changed it
 */
export async function switchOver(world: MoveWorld, move: Move, filling: Filling): Promise<Move | null> {
  const token = newMoveId(world)
  const trying = await world.ledger.turn(move, { phase: 'switching', token })
  if (trying === null) return null
  const startedMs = world.clock.nowMs()
  const attempt = { move: trying, token, startedMs }
  await filling.source.pause(filling.journalId, token, startedMs + PAUSE_MAX_MS)
  const switched = await finishTry(world, attempt, filling)
  if (switched === null) return giveBack(world, trying, filling)
  const emptying = await letIn(world, switched, filling)
  const pausedMs = world.clock.nowMs() - startedMs
  await world.ledger.show(move.moveId, { ...shownProgress(filling.progress, filling.tables), pausedMs })
  return emptying
}

/**
 * Allows writes in the target of a move that has switched, and closes the source. The target need not wait for that: a
 * sealed source answers only those to whom the directory has named it since their request began.
 */
export async function letIn(
  { ledger }: MoveWorld,
  switched: Move,
  { source, target }: Pick<Filling, 'source' | 'target'>,
): Promise<Move | null> {
  if (switched.token !== null) await target.open(switched.token)
  await source.close()
  return ledger.turn(switched, { phase: 'emptying' })
}

/** The part of an attempt during which writes are paused. Null: it could not be completed. */
async function finishTry(
  world: MoveWorld,
  { move, token, startedMs }: Try,
  start: Filling,
): Promise<Move | null> {
  const { source, target, moveId, journalId, tables } = start
  const filling = await drainAll(world, start, startedMs + DRAIN_MAX_MS)
  if (filling?.progress.pass !== 'settled') return null
  const [isJournaling, targetTables] = await Promise.all([
    source.isJournaling(journalId, tables),
    target.tables(),
  ])
  if (!isJournaling || JSON.stringify(targetTables) !== JSON.stringify(tables)) return null
  if (!(await target.finish(moveId, filling.version, token))) return null
  if (!(await source.seal(journalId, token))) return null
  // Between the last look at the journal and the seal, a write may have ended an expired pause.
  if ((await source.readJournal(journalId, 1)).length > 0) return null
  return world.ledger.switch(move, toInstant(world.clock.nowMs()))
}

/** Applies all of the journal, which no longer grows. Null: not in time, or another mover fills the target. */
async function drainAll(world: MoveWorld, start: Filling, untilMs: number): Promise<Filling | null> {
  let filling = start
  while (world.clock.nowMs() < untilMs) {
    const drained = await drainJournal(filling, DRAINED)
    if (drained.kind !== 'filled') return null
    filling = drained.filling
    if (drained.taken === 0) return filling
  }
  return null
}

/**
 * Ends an attempt that was not completed, whoever began it. The ledger is changed first: after that the attempt can no
 * longer switch, so writes can be allowed again. The ledger keeps the token until the clean-up is complete.
 */
export async function giveBack(
  world: MoveWorld,
  trying: Move,
  sides: Pick<Filling, 'source' | 'target'>,
): Promise<Move | null> {
  const waits = doublingPauses(FIRST_WAIT_MS, trying.tries + 1, LONGEST_WAIT_MS)
  const notBefore = toInstant(world.clock.nowMs() + (waits.at(-1) ?? LONGEST_WAIT_MS))
  const back = await world.ledger.turn(trying, { phase: 'copying', tries: trying.tries + 1, notBefore })
  return back === null ? null : cleanUp(world, back, sides)
}

/** Ends the pause of an attempt that failed, and allows filling again. */
export async function cleanUp(
  { ledger }: MoveWorld,
  move: Move,
  { source, target }: Pick<Filling, 'source' | 'target'>,
): Promise<Move | null> {
  if (move.token === null) return move
  await source.resume(move.token)
  await target.reopen(move.moveId, move.token)
  return ledger.turn(move, { phase: 'copying', token: null })
}
