import type { Clock } from '../../ports/clock.ts'
import { earliestDue } from '../sqlite/outbox/turns.ts'
import type { Run } from './batch.ts'

/**
 * How long after it is due an entry wakes the object. An entry is due when it is written, and the Worker that wrote it sees
 * to it at once; the alarm is for what was lost on that way, or is due later.
 */
const GRACE_MS = 5_000

/** How long an entry that was handed over is given before it is handed over again. */
const AGAIN_AFTER_MS = 60_000

/** The alarm of an object. Setting or clearing it is part of the transaction in which that happens. */
export interface Alarm {
  set(atMs: number): void
  clear(): void
}

/** Keeps the alarm of an object at the first moment at which there is something to do, and unset while there is nothing. */
export interface WakeUp {
  /** Looks whether the alarm must ring sooner than it will, or not at all. Called in the transaction of a write. */
  lookAgain(): void
  /** The alarm has rung: sets the next one, before anything else is done. In a transaction. */
  rang(): void
  /** There is nothing to do here any more. */
  stop(): void
  /** Until which instant entries must have been due for the alarm to hand them over, in ms since 1970. */
  dueByMs(): number
}

export interface WakeUpTools {
  readonly alarm: Alarm
  readonly clock: Clock
  readonly run: Run
  /** When the alarm is set to ring, in ms since 1970; null: it is not set. */
  readonly setAtMs: number | null
  /** When the object wants to go on with its schema; null: it has nothing to do there. */
  readonly schemaAtMs: () => number | null
}

export function createWakeUp({ alarm, clock, run, setAtMs, schemaAtMs }: WakeUpTools): WakeUp {
  let ringsAtMs = setAtMs
  // Forgotten with the instance; then what was handed over is handed over once more, which harms nobody.
  let handedOverAtMs = -Infinity

  /** From when on the first of the pending entries may be handed over; null: none is pending. */
  const ripeAtMs = (): number | null => {
    const dueAt = run(earliestDue).rows[0]?.[0]
    return typeof dueAt === 'string' ? Date.parse(dueAt) + GRACE_MS : null
  }
  const wantedMs = (): number | null => {
    const [ripeMs, schemaMs] = [ripeAtMs(), schemaAtMs()]
    const wanted = [
      ...(ripeMs === null ? [] : [Math.max(ripeMs, handedOverAtMs + AGAIN_AFTER_MS)]),
      ...(schemaMs === null ? [] : [schemaMs]),
    ]
    return wanted.length === 0 ? null : Math.min(...wanted)
  }
  const stop = (): void => {
    if (ringsAtMs !== null) alarm.clear()
    ringsAtMs = null
  }
  const lookAgain = (): void => {
    const atMs = wantedMs()
    if (atMs === null) stop()
    else if (ringsAtMs === null || atMs < ringsAtMs) {
      alarm.set(atMs)
      ringsAtMs = atMs
    }
  }
  return {
    lookAgain,
    stop,
    rang() {
      ringsAtMs = null
      const nowMs = clock.nowMs()
      if ((ripeAtMs() ?? Infinity) <= nowMs) handedOverAtMs = nowMs
      lookAgain()
    },
    dueByMs: () => clock.nowMs() - GRACE_MS,
  }
}
