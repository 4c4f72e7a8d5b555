import type { Clock } from '../../../ports/platform.ts'
import { earliestDue } from '../../sqlite/outbox/store.ts'
import type { Run } from './batch.ts'

/**
 * How long an entry must have been due before the alarm hands it over. The Worker that writes an entry starts work on
 * it at once, so the alarm is only for entries that were lost on that way, or are due later.
 */
const GRACE_MS = 5_000

/** How long the Worker has to finish entries that were handed over, before they are handed over again. */
const AGAIN_AFTER_MS = 60_000

/** The alarm of an object. Setting or clearing it is part of the current transaction. */
export interface Alarm {
  set(atMs: number): void
  clear(): void
}

/**
 * Keeps the alarm of an object at the first moment at which there is something to do, and unset while there is nothing.
 */
export interface WakeUp {
  /**
   * Sets the alarm for entries that a write may have added. Called in the transaction of the write. An alarm that rings
   * within the grace period is not touched: it rings early enough for everything that is due now, and sets itself again
   * as needed. So a series of submissions does not set and clear the alarm, each time with a write.
   */
  wrote(): void
  /** Sets the alarm earlier, or clears it, where that is needed. Called in a transaction. */
  lookAgain(): void
  /** To be called when the alarm rings, before anything else: sets the next alarm. Called in a transaction. */
  rang(): void
  /** Clears the alarm, because there is nothing left to do. */
  stop(): void
  /** The instant, in ms since 1970, by which an entry must have been due for the alarm to hand it over. */
  dueByMs(): number
}

export interface WakeUpTools {
  readonly alarm: Alarm
  readonly clock: Clock
  readonly run: Run
  /** When the alarm is set to ring, in ms since 1970; null: it is not set. */
  readonly setAtMs: number | null
  /** When the object should continue with its schema, in ms since 1970; null: its schema is up to date. */
  readonly schemaAtMs: () => number | null
}

export function createWakeUp({ alarm, clock, run, setAtMs, schemaAtMs }: WakeUpTools): WakeUp {
  let ringsAtMs = setAtMs
  // These are lost when the instance ends. Entries may then be handed over twice, which is harmless.
  let handedOverAtMs = -Infinity
  let rangAtMs = -Infinity
  // An alarm rings by the platform's clock, which may be ahead of this one. Without this maximum, the alarm would be
  // set again for an instant that the platform has already passed, and would ring over and over until this clock has
  // caught up.
  const nowMs = () => Math.max(clock.nowMs(), rangAtMs)

  /** From which instant, in ms since 1970, the first pending entry may be handed over; null: none is pending. */
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
    wrote() {
      if (ringsAtMs === null || ringsAtMs > clock.nowMs() + GRACE_MS) lookAgain()
    },
    lookAgain,
    stop,
    rang() {
      rangAtMs = ringsAtMs ?? -Infinity
      ringsAtMs = null
      if ((ripeAtMs() ?? Infinity) <= nowMs()) handedOverAtMs = nowMs()
      lookAgain()
    },
    dueByMs: () => nowMs() - GRACE_MS,
  }
}
