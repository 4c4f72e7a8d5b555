import type { Clock, Meter } from '../../../ports/platform.ts'
import { doublingPauses, type Backoff } from '../../../domain/bounds/backoff.ts'
import { repeatCall } from '../../sqlite/statement/repeat-call.ts'
import { stubOf, type FamilyNamespace, type FamilyPlace } from './place.ts'
import type { FamilyObject } from '../protocol.ts'

/** Six attempts, with pauses of about a second in all: as long as the platform takes to restart an object. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(30, 5), spread: { least: 0.5, most: 1.5 } }

export interface ObjectCallOptions {
  readonly namespace: FamilyNamespace
  readonly place: FamilyPlace
  readonly clock: Clock
  readonly meter: Meter
}

/**
 * Calls an object. Rejects with the error of the last attempt.
 * @param isRepeatable whether the call may take effect twice, so that it can be retried after an unknown outcome
 */
export type ObjectCall = <Result>(
  ask: (object: FamilyObject) => Promise<Result>,
  isRepeatable: boolean,
) => Promise<Result>

/**
 * Makes calls of one object, each counted by the meter. A stub that threw may be broken, so the next attempt uses a new
 * one.
 */
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
    return repeatCall(BACKOFF, { isPassing, clock }, () => attempt(ask))
  }
}

/** How the platform marks its own exceptions. */
interface PlatformMarks {
  /** The failure is temporary. The call may have taken effect. */
  readonly retryable?: boolean
  /**
   * The object has too much to do. The platform's manual ("Error handling") says not to retry, because that would add
   * to the load.
   */
  readonly overloaded?: boolean
  /** The object was reset during the call. The next call starts it again. */
  readonly durableObjectReset?: boolean
}

function mayBeTriedAgain(error: unknown, isRepeatable: boolean): boolean {
  const { retryable, overloaded, durableObjectReset } = (error ?? {}) as PlatformMarks
  if (overloaded === true) return false
  return isRepeatable && (retryable === true || durableObjectReset === true)
}
