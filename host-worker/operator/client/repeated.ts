import {
  doublingPauses,
  repeatWhileRejected,
  type Backoff,
  type Repeating,
} from '../../../domain/limits/retry.ts'
import { Refusal, Unavailable } from './errors.ts'

/** About a minute in all: long enough for a service to restart. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(100, 12, 8_000), spread: { least: 0.5, most: 1.5 } }

const repeating: Repeating = {
  isPassing: (rejection) =>
    rejection instanceof Unavailable || (rejection instanceof Refusal && rejection.status >= 500),
  draw: () => Math.random(),
  // The Worker of a developer's machine, which has no modules of Node, imports its demo with this.
  wait: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
}

/**
 * Makes a call that is safe to repeat: again after a moment when the service was not reached, or failed. Rejects with
 * the error of the last attempt.
 */
export function repeated<Result>(call: () => Promise<Result>): Promise<Result> {
  return repeatWhileRejected(BACKOFF, repeating, call)
}
