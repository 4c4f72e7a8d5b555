import type { Move, MovePhase } from '../../../../ports/placement/move-ledger.ts'
import { toInstant } from '../../../text/instant.ts'
import { withBoundedPlaces } from '../bounded-places.ts'
import { copyStep } from './copying.ts'
import { MOVE_LEASE_MS, REST_MAX_MS, SCHEMA_WAIT_MS, TIDY_AFTER_MS } from '../limits.ts'
import { STARTED } from '../progress.ts'
import { giveBack, letIn } from './switch-over.ts'
import { newMoveId, type MoveWorld } from '../world.ts'

/** The result of one step of a move. */
export interface Advanced {
  readonly move: Move
  /** How long to wait before the next step, in ms. */
  readonly waitMs: number
}

/**
 * Does the next step of a move, according to the ledger: a bounded number of calls. It is safe for any number of
 * callers at once; the lease in the ledger only prevents them from doing the same work twice.
 * @param mover the name of the caller, who keeps the lease by using the same name again
 * @returns null: another mover works on the move, or it has ended
 */
export async function advanceMove(given: MoveWorld, moveId: string, mover: string): Promise<Advanced | null> {
  const world = withBoundedPlaces(given)
  const { ledger, clock } = world
  const nowMs = clock.nowMs()
  const taken = await ledger.take(moveId, mover, toInstant(nowMs), toInstant(nowMs + MOVE_LEASE_MS))
  if (taken === null) return null
  const stepped = await step(world, taken)
  const move = stepped ?? (await ledger.find(moveId))
  return move === null ? null : { move, waitMs: waitOf(world, move) }
}

/**
 * Works on a move until it has ended, or until an instant, in ms. Another caller can continue it.
 * @param wait waits for a duration in ms
 * @returns the latest state of the move; null: another mover works on it, or it had ended
 */
export async function runMove(
  world: MoveWorld,
  moveId: string,
  untilMs: number,
  wait: (durationMs: number) => Promise<void>,
): Promise<Move | null> {
  const mover = newMoveId(world)
  for (;;) {
    const beganMs = world.clock.nowMs()
    const advanced = await advanceOrLetGo(world, moveId, mover)
    if (advanced === null) return null
    const { move } = advanced
    const waitMs = Math.max(advanced.waitMs, restAfter(move, world.clock.nowMs() - beganMs))
    if (move.endedAt !== null) return move
    if (world.clock.nowMs() + waitMs >= untilMs) {
      await world.ledger.release(moveId, mover)
      return move
    }
    if (waitMs > 0) await wait(waitMs)
  }
}

/**
 * Like `advanceMove`. When the step fails, the lease is ended, so that the move can be continued, or given up, at once.
 * In the phase `switching` it stays: a call of the attempt may still be under way, and should not meet a later attempt.
 */
async function advanceOrLetGo(world: MoveWorld, moveId: string, mover: string): Promise<Advanced | null> {
  try {
    return await advanceMove(world, moveId, mover)
  } catch (error) {
    const { ledger } = world
    const letGo = async () => {
      if ((await ledger.find(moveId))?.phase !== 'switching') await ledger.release(moveId, mover)
    }
    // The step's own error tells more than one of the ledger, whose lease ends by itself.
    await letGo().catch(() => undefined)
    throw error
  }
}

/**
 * How long a move rests after a step, in ms. Requests need the same database and processor, so a move leaves them half
 * of the time.
 */
function restAfter({ phase }: Move, tookMs: number): number {
  return phase === 'copying' || phase === 'emptying' ? Math.min(tookMs, REST_MAX_MS) : 0
}

function waitOf({ clock }: MoveWorld, { notBefore, phase }: Move): number {
  if (notBefore === null || (phase !== 'copying' && phase !== 'starting')) return 0
  return Math.max(0, Date.parse(notBefore) - clock.nowMs())
}

async function step(world: MoveWorld, move: Move): Promise<Move | null> {
  const sides = { source: world.places(move.source), target: world.places(move.target) }
  switch (move.phase) {
    case 'starting':
      return move.isAbortAsked ? abort(world, move) : startStep(world, move)
    case 'copying':
      return move.isAbortAsked ? abort(world, move) : copyStep(world, move)
    // The mover that began this attempt to switch did not finish it.
    case 'switching':
      return giveBack(world, move, sides)
    case 'switched':
      return letIn(world, move, sides)
    case 'emptying':
      return emptyStep(world, move)
    case 'aborting':
      return abortStep(world, move)
    case 'done':
    case 'aborted':
      return move
  }
}

/** Starts the journal of the source and the filling of the target. */
async function startStep(world: MoveWorld, move: Move): Promise<Move | null> {
  const { ledger, clock, places } = world
  const source = places(move.source)
  const target = places(move.target)
  await target.begin(move.moveId, STARTED)
  const tables = await source.tables()
  if (JSON.stringify(await target.tables()) !== JSON.stringify(tables)) {
    const notBefore = toInstant(clock.nowMs() + SCHEMA_WAIT_MS)
    return ledger.turn(move, { phase: 'starting', notBefore })
  }
  const journalId = `${move.moveId}${newMoveId(world)}`
  await source.start(journalId, move.familyId, tables)
  const started = await ledger.turn(move, { phase: 'copying', journalId, tables, notBefore: null })
  // Another mover has started the move, with its own journal.
  if (started === null) await source.stop(journalId)
  return started
}

/** Deletes rows of the source after the switch. */
async function emptyStep(world: MoveWorld, move: Move): Promise<Move | null> {
  if (!(await world.places(move.source).empty(move.moveId))) return move
  await world.places(move.target).forget(move.moveId)
  return end(world, move, 'done')
}

function abort(world: MoveWorld, move: Move): Promise<Move | null> {
  return world.ledger.turn(move, { phase: 'aborting' })
}

/** Returns the source to normal operation, and deletes what was copied. */
async function abortStep(world: MoveWorld, move: Move): Promise<Move | null> {
  const source = world.places(move.source)
  if (move.token !== null) await source.resume(move.token)
  await source.stop(move.moveId)
  return (await isTargetEmpty(world, move)) ? end(world, move, 'aborted') : move
}

/**
 * Deletes what was copied, and returns whether nothing is left. A database of the family's own that does not answer
 * counts as empty: nobody else will ever use it, and what it holds is deleted when the move is tidied up. So a move can
 * be given up whatever its target does. The shared database has the ledger too, so without it no move can end.
 */
async function isTargetEmpty(world: MoveWorld, { moveId, target }: Move): Promise<boolean> {
  try {
    return await world.places(target).empty(moveId)
  } catch (error) {
    if (target.kind === 'own') return true
    throw error
  }
}

/** Ends a move, and notes when to tidy up after it. */
function end(
  { ledger, clock }: MoveWorld,
  move: Move,
  phase: Extract<MovePhase, 'done' | 'aborted'>,
): Promise<Move | null> {
  const nowMs = clock.nowMs()
  return ledger.turn(move, {
    phase,
    endedAt: toInstant(nowMs),
    notBefore: toInstant(nowMs + TIDY_AFTER_MS),
  })
}
