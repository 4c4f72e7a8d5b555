import type { Move } from '../../../ports/move-ledger.ts'
import { toInstant } from '../../text/instant.ts'
import { doublingPauses } from '../../bounds/backoff.ts'
import { drainJournal } from './drain.ts'
import type { Filling } from './filling.ts'
import {
  DRAIN_MAX_MS,
  DRAINED,
  FIRST_WAIT_MS,
  LONGEST_WAIT_MS,
  OPEN_AFTER_MS,
  PAUSE_MAX_MS,
} from './limits.ts'
import { shownProgress } from './progress.ts'
import type { MoveWorld } from './world.ts'
import { newMoveId } from './world.ts'

/** A try to switch, under the token that the ledger has for it. */
interface Try {
  readonly move: Move
  readonly token: string
  readonly startedMs: number
}

/**
 * Pauses writes, copies what the journal still names, and lets the family live in the target. If anything is not as it must
 * be, or takes too long, the try is given back: writes go on, and another try is made later.
 * @returns the move after that; null: somebody else has changed it
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
 * Lets writes into the target of a move that has switched. The source is closed before: whoever remembers it must not read
 * there what is no longer so.
 */
export async function letIn(
  { ledger }: MoveWorld,
  switched: Move,
  { source, target }: Pick<Filling, 'source' | 'target'>,
): Promise<Move | null> {
  await source.close()
  if (switched.token !== null) await target.open(switched.token)
  return ledger.turn(switched, { phase: 'emptying' })
}

/** The rest of a try, while writes are paused. Null: it cannot be finished. */
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
  // Between the last look at the journal and the seal, a write may have found that its pause had passed.
  if ((await source.readJournal(journalId, 1)).length > 0) return null
  const nowMs = world.clock.nowMs()
  return world.ledger.switch(move, toInstant(nowMs), toInstant(nowMs + OPEN_AFTER_MS))
}

/** Empties the journal, to which nobody adds any more. Null: not in time, or somebody else fills. */
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
 * Ends a try that was not finished, whoever began it. First the ledger: after that the try can no longer switch, so that
 * writes may go on. What is to be cleaned up is known by the token until it was.
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

/** Ends the pause of a try that was given back, and goes on filling. */
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
