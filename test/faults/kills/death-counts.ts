import type { LoadOutcome } from '../load.ts'
import type { RecordedMove, Remains } from '../moves/remains.ts'
import type { Told } from '../told.ts'

/** One death of the runtime: what clients saw, and what was on disk afterwards. */
export interface Death {
  /** Posts that were in progress. */
  readonly posting: number
  readonly outcome: LoadOutcome
  readonly remains: Remains
}

export interface DeathCounts {
  /** Counts a death. Returns what it interrupted. */
  add(death: Death): string
  /**
   * The counts as lines for a person to read.
   * @param notified the submissions that notifications name, with repetitions
   */
  lines(families: readonly Told[], atLast: Remains, notified: readonly string[]): readonly string[]
}

export function createDeathCounts(): DeathCounts {
  const deaths = new Map<string, number>()
  const killedMoves = new Set<string>()
  const totals = { broken: 0, failures: 0, kills: 0 }
  return {
    add({ posting, outcome, remains }) {
      const held = remains.moves.filter(({ isHeld, isEnded }) => isHeld === 1 && isEnded === 0)
      for (const { moveId } of held) killedMoves.add(moveId)
      const states = statesOf(posting, held, remains)
      for (const state of states) deaths.set(state, (deaths.get(state) ?? 0) + 1)
      totals.kills += 1
      totals.broken += outcome.broken
      totals.failures += outcome.failures
      return `${states.join(', ')} (${outcome.receipts.length} receipts)`
    },
    lines(families, atLast, notified) {
      const sum = (count: (told: Told) => number) => families.reduce((all, told) => all + count(told), 0)
      const receipts = sum((told) => told.receipts.length)
      const rows = sum((told) => told.submissions.rows.size)
      const posts = sum(
        ({ submissions }) => new Set([...submissions.rows.values()].map(({ message }) => message)).size,
      )
      return [
        `${totals.kills} kills; a kill counts in each of its states:`,
        ...[...deaths].sort().map(([state, times]) => `  in ${state}: ${times}`),
        `${receipts} receipts, ${rows} rows, ${rows - receipts} saved without a receipt`,
        `${rows - posts} posts saved twice`,
        `${notified.length} notifications, ${notified.length - new Set(notified).size} of them doubled`,
        `${totals.broken} posts broken off, ${totals.failures} answered 500`,
        movesLine(atLast.moves, killedMoves),
      ]
    },
  }
}

function statesOf(
  posting: number,
  held: readonly RecordedMove[],
  { shared, objects, dueAlarms }: Remains,
): readonly string[] {
  const own = objects.reduce((sum, { outbox }) => sum + outbox.claimed, 0)
  const late = objects.reduce((sum, { outbox }) => sum + outbox.claimedLate, 0)
  const states = [
    ...(posting > 0 ? ['mid-submission'] : []),
    ...(shared.claimed > 0 ? ['mid-delivery from the shared database'] : []),
    ...(own > 0 ? ['mid-delivery from a database of its own'] : []),
    ...(late > 0 ? ['mid-delivery of what an alarm or a sweep took up'] : []),
    ...(dueAlarms > 0 ? ['mid-alarm, rung or about to'] : []),
    ...new Set(held.map(({ phase }) => `mid-move, ${phase}`)),
  ]
  return states.length === 0 ? ['nothing'] : states
}

function movesLine(moves: readonly RecordedMove[], killed: ReadonlySet<string>): string {
  const done = moves.filter(({ phase }) => phase === 'done')
  const aborted = moves.filter(({ phase }) => phase === 'aborted')
  const failed = aborted.filter(({ isAbortAsked }) => isAbortAsked === 0)
  const resumed = (of: readonly RecordedMove[]) => of.filter(({ moveId }) => killed.has(moveId)).length
  return (
    `${moves.length} moves: ${done.length} done (${resumed(done)} after a death), ` +
    `${aborted.length} given up (${resumed(aborted)} after a death; ${failed.length} that nobody asked for)`
  )
}
