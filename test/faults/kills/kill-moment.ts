import { setTimeout as pause } from 'node:timers/promises'
import type { MovePhase } from '../../../ports/placement.ts'
import { watchPhases } from '../moves/remains.ts'

/** When the kill of a round comes: some ms after the first post, or when a move is in a phase. */
export type KillMoment =
  | { readonly kind: 'time'; readonly afterMs: number }
  | { readonly kind: 'phase'; readonly phase: MovePhase }

/** Some kills come while the service is still cold, most while it is busy. */
const EARLIEST_MS = 50
const LATEST_MS = 2_000
/** How long a kill waits for the phase that it is aimed at. */
const PHASE_WITHIN_MS = 8_000
/** How often the record of moves is read. An attempt to switch takes about ten times as long. */
const LOOK_EVERY_MS = 2

/** The phases at which kills are aimed, because a random kill hardly ever comes in a short phase. */
const AIMS: readonly MovePhase[] = ['copying', 'switching', 'switching', 'switched', 'comparing', 'aborting']

/** Half of the kills come at any time, the others in a phase of a move. */
export function drawMoment(draw: () => number): KillMoment {
  const [isTimed, share] = [draw() < 0.5, draw()]
  const phase = AIMS[Math.floor(share * AIMS.length)]
  if (isTimed || phase === undefined)
    return { kind: 'time', afterMs: Math.round(EARLIEST_MS + share * (LATEST_MS - EARLIEST_MS)) }
  return { kind: 'phase', phase }
}

/** Waits for the moment. Returns a description of what it waited for. */
export async function untilMoment(moment: KillMoment, state: string): Promise<string> {
  if (moment.kind === 'time') {
    await pause(moment.afterMs)
    return `after ${moment.afterMs} ms`
  }
  const giveUpAt = performance.now() + PHASE_WITHIN_MS
  const phases = watchPhases(state, Date.now())
  try {
    while (performance.now() < giveUpAt) {
      if (phases.now().includes(moment.phase)) return `aimed at ${moment.phase}`
      await pause(LOOK_EVERY_MS)
    }
    return `aimed at ${moment.phase} and late`
  } finally {
    phases.close()
  }
}
