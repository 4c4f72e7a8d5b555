import type { Backoff } from '../../../../domain/bounds/backoff.ts'
import { doublingPauses, repeatWhileRejected } from '../../../../domain/bounds/backoff.ts'
import type { FailureKind } from './failure.ts'
import { Failure } from './failure.ts'

/** About half a minute in all: long enough for a service to restart. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(200, 8, 8_000), spread: { least: 0.5, most: 1.5 } }

/** The kinds of failures after which another attempt may be answered. */
const PASSING: ReadonlySet<FailureKind> = new Set(['offline', 'unexpected'])

/**
 * Makes a call that is safe to repeat: again after a moment when the service was not reached, or failed. Throws the
 * failure of the last attempt.
 * @param signal ends the attempts
 * @param onFailure called with each failure after which it is tried again
 */
export function repeated<Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
  onFailure: (failure: Failure) => void = () => undefined,
): Promise<Result> {
  const isPassing = (thrown: unknown): boolean => {
    const isPast = !signal.aborted && thrown instanceof Failure && PASSING.has(thrown.kind)
    if (isPast) onFailure(thrown)
    return isPast
  }
  const wait = (durationMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  return repeatWhileRejected(BACKOFF, { isPassing, draw: () => Math.random(), wait }, call)
}
