import { drawFromClock, repeatWhileRejected, type Backoff } from '../../../domain/limits/waiting.ts'
import type { Clock } from '../../../ports/platform.ts'

/** What repeating a call of a database depends on. */
export interface CallRepeating {
  /** Whether the next attempt may succeed after this rejection. */
  readonly isPassing: (rejection: unknown) => boolean
  readonly clock: Clock
}

/** Repeats a call of a database while it rejects with a temporary failure. Rejects as the last attempt does. */
export function repeatCall<Result>(
  backoff: Backoff,
  { isPassing, clock }: CallRepeating,
  call: () => Promise<Result>,
): Promise<Result> {
  return repeatWhileRejected(backoff, { isPassing, draw: () => drawFromClock(clock), wait }, call)
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
