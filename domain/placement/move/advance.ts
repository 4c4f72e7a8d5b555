import type { Move } from '../../../ports/placement.ts'
import { doublingPauses } from '../../limits/waiting.ts'
import { toInstant } from '../../text/instant.ts'
import { unlessElsewhere } from '../find/errors.ts'
import { compareStep } from './compare.ts'
import {
  FIRST_WAIT_MS,
  KEPT_MS,
  LAST_ROUND_MAX_MS,
  LONGEST_WAIT_MS,
  MOVE_LEASE_MS,
  PAUSE_MAX_MS,
  REPAIRS_MAX,
  REST_MAX_MS,
  ROUNDS_MAX,
  SCHEMA_WAIT_MS,
  SMALL_ROUND,
  TIDY_AFTER_MS,
  TIDY_MAX_MS,
  newMoveId,
  withBoundedPlaces,
  type MoveWorld,
} from './world.ts'
import {
  copyStep,
  isOver,
  nextRound,
  ORGANIZATIONS,
  parseProgress,
  shownProgress,
  tablesOfRound,
  type Progress,
  type Sides,
} from './rounds.ts'

/** The result of one step of a move. */
interface Advanced {
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
  const move = (await step(world, taken, mover)) ?? (await ledger.find(moveId))
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
  return phase === 'copying' || phase === 'comparing' ? Math.min(tookMs, REST_MAX_MS) : 0
}

function waitOf({ clock }: MoveWorld, { notBefore, phase, isAbortAsked }: Move): number {
  if (notBefore === null || phase !== 'copying' || isAbortAsked) return 0
  return Math.max(0, Date.parse(notBefore) - clock.nowMs())
}

async function step(world: MoveWorld, move: Move, mover: string): Promise<Move | null> {
  switch (move.phase) {
    case 'copying':
      return move.isAbortAsked
        ? world.ledger.turn(move, { phase: 'aborting' })
        : copyingStep(world, move, mover)
    // The mover that began this attempt to switch did not finish it.
    case 'switching':
      return giveBack(world, move)
    case 'switched':
      return letIn(world, move)
    case 'comparing':
      return comparingStep(world, move, mover)
    case 'aborting':
      return abortStep(world, move)
    case 'done':
    case 'aborted':
      return move
  }
}

/** A step of a round, or an attempt to switch after one that wrote little. */
async function copyingStep(world: MoveWorld, given: Move, mover: string): Promise<Move | null> {
  const { ledger, clock, places } = world
  const [source, target] = [places(given.source), places(given.target)]
  if (waitOf(world, given) > 0 && given.progress === null) return given
  const move = await cleanUp(world, given)
  if (move === null) return null
  await target.begin(move.moveId, mover)
  const tables = await source.tables()
  if (JSON.stringify(await target.tables()) !== JSON.stringify(tables))
    return ledger.turn(move, { phase: 'copying', notBefore: toInstant(clock.nowMs() + SCHEMA_WAIT_MS) })
  const sides: Sides = { moveId: move.moveId, mover, source, target, tables }
  const copied = tablesOfRound(tables)
  const stored = move.progress === null ? null : parseProgress(move.progress)
  if (stored === null && move.target.kind === 'shared' && !(await emptied(sides, move))) return move
  if ((stored?.repairs ?? 0) > REPAIRS_MAX)
    return ledger.turn(move, {
      phase: 'aborting',
      failure: 'Copied rows were found different again and again.',
    })
  const isEnded = stored !== null && isOver(stored, copied)
  if (isEnded && !stored.isAgain && (stored.written <= SMALL_ROUND || stored.round >= ROUNDS_MAX)) {
    if (waitOf(world, move) > 0) return move
    return switchOver(world, move, sides, stored)
  }
  const now = toInstant(clock.nowMs())
  const progress =
    stored === null || isEnded ? nextRound(stored, await source.organizations(move.familyId, now)) : stored
  const stepped = await copyStep(sides, progress, copied)
  if (stepped.kind === 'overtaken') return move
  const after =
    stepped.kind === 'written'
      ? stepped.progress
      : // The value that a row needs is that of a row which changed or was removed since: the round is made again.
        { ...progress, next: 0, after: null, repairs: progress.repairs + 1 }
  await save(world, move, mover, after, copied.length)
  return move
}

/** Whether nothing of the family is left in the shared database by an earlier move; deletes some of it if there is. */
async function emptied({ target, moveId, mover }: Sides, { familyId }: Move): Promise<boolean> {
  const isEmpty = await target.empty(moveId, familyId)
  await target.begin(moveId, mover)
  return isEmpty
}

async function save(
  { ledger }: MoveWorld,
  { moveId }: Move,
  mover: string,
  progress: Progress,
  tables: number,
): Promise<boolean> {
  return ledger.save(moveId, mover, JSON.stringify(progress), shownProgress(progress, tables))
}

/**
 * Pauses writes, copies what was written since the last round, and makes the target the family's place. If a condition
 * is not met, or it takes too long, the attempt ends without effect: writes continue, and another attempt is made
 * later.
 * @returns the move after the attempt; null: another mover has changed it
 */
async function switchOver(world: MoveWorld, move: Move, sides: Sides, done: Progress): Promise<Move | null> {
  const { ledger, clock } = world
  const again = (redo: Progress['redo']): Progress => {
    const repairs = done.repairs + (Object.keys(redo).length > 0 ? 1 : 0)
    return { ...done, isAgain: true, redo, repairs }
  }
  const token = newMoveId(world)
  const trying = await ledger.turn(move, { phase: 'switching', token })
  if (trying === null) return null
  const startedMs = clock.nowMs()
  await sides.source.pause(move.familyId, token, startedMs + PAUSE_MAX_MS)
  const last = await lastRound(world, sides, move.familyId, done, startedMs + LAST_ROUND_MAX_MS)
  const isCopied = last.kind === 'copied'
  await save(world, move, sides.mover, isCopied ? last.progress : again(last.redo), sides.tables.length)
  const switched = isCopied ? await seal(world, trying, sides, token) : null
  if (switched === null || !isCopied) return giveBack(world, trying)
  const comparing = await letIn(world, switched)
  const pausedMs = clock.nowMs() - startedMs
  const shown = { ...shownProgress(last.progress, sides.tables.length), pausedMs }
  await ledger.save(move.moveId, sides.mover, JSON.stringify(last.progress), shown)
  return comparing
}

type LastRound =
  | { readonly kind: 'copied'; readonly progress: Progress }
  | { readonly kind: 'failed'; readonly redo: Progress['redo'] }

/** The last round, and the organizations' own rows when the counts of all others are the same. */
async function lastRound(
  { clock }: MoveWorld,
  sides: Sides,
  familyId: string,
  done: Progress,
  untilMs: number,
): Promise<LastRound> {
  const { source, target, moveId, mover, tables } = sides
  const failed = { kind: 'failed', redo: {} } as const
  const copied = tablesOfRound(tables)
  let progress = nextRound(done, await source.organizations(familyId, null))
  // All rows of an organization that is new here are too many for a pause.
  if (progress.organizations.some(({ since, isGone }) => since === null || isGone)) return failed
  while (!isOver(progress, copied)) {
    if (clock.nowMs() >= untilMs) return failed
    const stepped = await copyStep(sides, progress, copied, TABLES_OF_LAST_STEP)
    if (stepped.kind !== 'written') return failed
    progress = stepped.progress
  }
  const ids = progress.organizations.map(({ organizationId }) => organizationId)
  const others = tables.filter(({ name }) => name !== ORGANIZATIONS)
  const [here, there] = await Promise.all([source.counts(others, ids), target.counts(others, ids)])
  const redo = Object.fromEntries(
    ids.flatMap((id, index) => {
      const names = others.flatMap(({ name }, at) => (here[index]?.[at] === there[index]?.[at] ? [] : [name]))
      return names.length === 0 ? [] : [[id, redone(names, copied)]]
    }),
  )
  if (Object.keys(redo).length > 0) return { kind: 'failed', redo }
  const table = tables.find(({ name }) => name === ORGANIZATIONS)
  if (table === undefined) return failed
  const own = ids.map((organizationId) => ({ table, organizationId, since: null, after: null, rowsMax: 1 }))
  const rows = (await source.read(own)).flatMap((page) => page.rows)
  const written = await target.write(moveId, mover, [{ table, gone: [], rows }])
  return written === 'written' && rows.length === ids.length ? { kind: 'copied', progress } : failed
}

/** The log of sends counts nothing and is counted nowhere; with any other table, all that may count its rows is redone. */
function redone(names: string[], copied: Sides['tables']): string[] {
  return names.every((name) => name === 'sends') ? names : copied.map(({ name }) => name)
}

/** How many tables the last round reads at once: those of all organizations of most families. */
const TABLES_OF_LAST_STEP = 400

/** Ends what only this attempt may do, in both places, and then switches. Null: the attempt cannot be completed. */
async function seal(
  { ledger, clock }: MoveWorld,
  trying: Move,
  { source, target, moveId, mover }: Sides,
  token: string,
): Promise<Move | null> {
  if (!(await target.finish(moveId, mover, token))) return null
  if (!(await source.seal(trying.familyId, token))) return null
  return ledger.switch(trying, toInstant(clock.nowMs()))
}

/**
 * Allows writes in the target of a move that has switched, and closes the source. The target need not wait for that: a
 * sealed source answers only those to whom the directory has named it since their request began.
 */
async function letIn({ ledger, places }: MoveWorld, switched: Move): Promise<Move | null> {
  if (switched.token !== null) await places(switched.target).open(switched.token)
  await places(switched.source).close()
  return ledger.turn(switched, { phase: 'comparing', token: null })
}

/**
 * Ends an attempt that was not completed, whoever began it. The ledger is changed first: after that the attempt can no
 * longer switch, so writes can be allowed again. The ledger keeps the token until the clean-up is complete.
 */
async function giveBack(world: MoveWorld, trying: Move): Promise<Move | null> {
  const waits = doublingPauses(FIRST_WAIT_MS, trying.tries + 1, LONGEST_WAIT_MS)
  const notBefore = toInstant(world.clock.nowMs() + (waits.at(-1) ?? LONGEST_WAIT_MS))
  const back = await world.ledger.turn(trying, { phase: 'copying', tries: trying.tries + 1, notBefore })
  return back === null ? null : cleanUp(world, back)
}

/** Ends the pause of an attempt that failed, and allows filling again. */
async function cleanUp({ ledger, places }: MoveWorld, move: Move): Promise<Move | null> {
  if (move.token === null) return move
  await places(move.source).resume(move.token)
  await places(move.target).reopen(move.moveId, move.token)
  return ledger.turn(move, { phase: 'copying', token: null })
}

/** Compares some rows of the source, which nobody changes any more, with those of the target. */
async function comparingStep(world: MoveWorld, move: Move, mover: string): Promise<Move | null> {
  const { ledger, clock, places, log } = world
  const [source, target] = [places(move.source), places(move.target)]
  const nowMs = clock.nowMs()
  const keptUntil = {
    phase: 'done',
    endedAt: toInstant(nowMs),
    notBefore: toInstant(nowMs + KEPT_MS),
  } as const
  if (move.progress === null) return ledger.turn(move, keptUntil)
  const stored = parseProgress(move.progress)
  const compared = await compareStep(source, target, stored)
  if (compared.kind === 'different') {
    const { table, organizationId } = compared
    const failure = `Rows of ${table} are not in the new place as they were in the old one, which keeps all of its rows.`
    log.error('move_differs', { moveId: move.moveId, organizationId, table })
    return ledger.turn(move, { phase: 'done', endedAt: toInstant(nowMs), notBefore: null, failure })
  }
  if (compared.kind === 'equal') return ledger.turn(move, keptUntil)
  const shown = {
    ...shownProgress(compared.progress, compared.tables),
    pausedMs: move.shown?.pausedMs ?? null,
  }
  await ledger.save(move.moveId, mover, JSON.stringify(compared.progress), shown)
  return move
}

/** Returns the source to normal operation, and deletes what was copied. */
async function abortStep(world: MoveWorld, move: Move): Promise<Move | null> {
  const { ledger, clock } = world
  const source = world.places(move.source)
  if (move.token !== null) await source.resume(move.token)
  await source.forget(move.moveId)
  if (!(await isTargetEmpty(world, move))) return move
  const nowMs = clock.nowMs()
  return ledger.turn(move, {
    phase: 'aborted',
    endedAt: toInstant(nowMs),
    notBefore: toInstant(nowMs + TIDY_AFTER_MS),
  })
}

/**
 * Deletes what was copied, and returns whether nothing is left. A database of the family's own that does not answer
 * counts as empty: nobody else will ever use it, and what it holds is deleted when the move is tidied up. So a move can
 * be given up whatever its target does. The shared database has the ledger too, so without it no move can end.
 */
async function isTargetEmpty(world: MoveWorld, { moveId, familyId, target }: Move): Promise<boolean> {
  try {
    return await world.places(target).empty(moveId, familyId)
  } catch (error) {
    if (target.kind === 'own') return true
    throw error
  }
}

/**
 * Removes what a move has left: the rows of the source a day after the switch, or what was copied for a move that was
 * given up and took effect only after its end, when a mover died or waited long for a database. It does so for a bounded
 * time, and is called again until nothing is left. Safe to repeat, and for several callers at once.
 */
export async function tidyUp(given: MoveWorld, move: Move, untilMs: number): Promise<void> {
  const { ledger, clock, places } = withBoundedPlaces(given)
  const { phase, moveId, familyId } = move
  // The next try is noted first, so that a database that does not answer does not occupy every sweep.
  const nowMs = clock.nowMs()
  const dueMs = Date.parse(move.endedAt ?? '') + (phase === 'done' ? KEPT_MS : 0)
  const isLastTry = nowMs - dueMs > TIDY_MAX_MS
  const notBefore = isLastTry ? null : toInstant(nowMs + TIDY_AFTER_MS)
  const noted = await ledger.turn(move, { phase, notBefore })
  if (noted === null) return
  const left = places(phase === 'done' ? move.source : move.target)
  const isShared = (phase === 'done' ? move.source : move.target).kind === 'shared'
  for (;;) {
    const isEmpty = await unlessElsewhere(() => left.empty(moveId, familyId))
    if (isEmpty !== false) break
    if (clock.nowMs() >= untilMs) {
      if (isShared) await ledger.turn(noted, { phase, notBefore: toInstant(clock.nowMs()) })
      return
    }
  }
  const other = phase === 'done' ? move.target : move.source
  await unlessElsewhere(() => places(other).forget(moveId))
  await ledger.turn(noted, { phase, notBefore: null })
}
