import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Backoff } from '../../domain/bounds/backoff.ts'
import { doublingPauses, repeatWhileRejected } from '../../domain/bounds/backoff.ts'
import type { FamilyNamespace, FamilyPlace } from './place.ts'
import { stubOf } from './place.ts'
import type { FamilyObject } from './protocol.ts'

/** Six tries within about two seconds: what the platform takes to start an object anew, or an object to catch up. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(30, 5), spread: { least: 0.5, most: 1.5 } }

export interface ObjectCallOptions {
  readonly namespace: FamilyNamespace
  readonly place: FamilyPlace
  readonly clock: Clock
  readonly meter: Meter
}

/**
 * Calls an object. Rejects as the last try did.
 * @param isRepeatable whether it may be done twice, so that it is tried again when it may have happened
 */
export type ObjectCall = <Result>(
  ask: (object: FamilyObject) => Promise<Result>,
  isRepeatable: boolean,
) => Promise<Result>

/** Calls of one object, each counted. A stub that gave an exception may be broken, so the next try takes a new one. */
export function createObjectCall({ namespace, place, clock, meter }: ObjectCallOptions): ObjectCall {
  let stub: FamilyObject | null = null
  const attempt = async <Result>(ask: (object: FamilyObject) => Promise<Result>): Promise<Result> => {
    meter.calls += 1
    try {
      stub ??= stubOf(namespace, place)
      return await ask(stub)
    } catch (error) {
      stub = null
      throw error
    }
  }
  return (ask, isRepeatable) => {
    const isPassing = (error: unknown) => mayBeTriedAgain(error, isRepeatable)
    return repeatWhileRejected(BACKOFF, { isPassing, draw: () => drawFrom(clock), wait }, () => attempt(ask))
  }
}

/** How the platform marks its own exceptions. */
interface PlatformMarks {
  /** The failure passes; the call may have been done. */
  readonly retryable?: boolean
  /** The object has too much to do. Asking it again would add to that, so the platform says not to (Error handling). */
  readonly overloaded?: boolean
  /** The object went down with the call; the next one starts it anew. */
  readonly durableObjectReset?: boolean
}

function mayBeTriedAgain(error: unknown, isRepeatable: boolean): boolean {
  const { retryable, overloaded, durableObjectReset } = (error ?? {}) as PlatformMarks
  if (overloaded === true) return false
  return isRepeatable && (retryable === true || durableObjectReset === true)
}

/** From the clock's last digits, so that two Workers do not come back at the same moments. */
function drawFrom(clock: Clock): number {
  return (clock.nowMs() % 101) / 100
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
