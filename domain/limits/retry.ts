import type { Clock, RandomSource } from '../../ports/platform.ts'

/** How often to try something and how long to wait in between, as data. */
export interface Backoff {
  /** The pause after each attempt but the last, in ms: there is one attempt more than there are pauses. */
  readonly pausesMs: readonly number[]
  /**
   * Each pause is multiplied by a factor drawn from this range, so that callers who failed together do not retry
   * together. Left out: pauses are not changed.
   */
  readonly spread?: { readonly least: number; readonly most: number }
}

/** Pauses of which each is twice as long as the one before, and none is longer than `longestMs`. */
export function doublingPauses(firstMs: number, count: number, longestMs = Infinity): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.min(longestMs, firstMs * 2 ** index))
}

/** `count` pauses of the same length. */
export function steadyPauses(pauseMs: number, count: number): readonly number[] {
  return new Array<number>(count).fill(pauseMs)
}

/**
 * The pause after a failed attempt, in ms; null: that was the last attempt.
 * @param tries how many attempts there have been, 1 after the first
 * @param draw the place of the pause in the spread: 0 is the longest, 1 the shortest
 */
export function pauseAfter({ pausesMs, spread }: Backoff, tries: number, draw = 0): number | null {
  const pauseMs = pausesMs[tries - 1]
  if (pauseMs === undefined || spread === undefined) return pauseMs ?? null
  return Math.round(pauseMs * (spread.most - (spread.most - spread.least) * draw))
}

/** A random place in a spread, from 0 to 1. */
export function drawFrom(random: RandomSource): number {
  const [byte = 0] = random.bytes(1)
  return byte / 255
}

/**
 * A place in a spread, from 0 to 1, taken from the clock's last digits. It is for callers without a source of
 * randomness who only have to keep two processes from retrying at the same moments.
 */
export function drawFromClock(clock: Clock): number {
  return (clock.nowMs() % 101) / 100
}

/** The dependencies of `repeatWhileRejected`. */
export interface Repeating {
  /** Whether the next attempt may succeed after this error. */
  readonly isPassing: (rejection: unknown) => boolean
  /** A number from 0 to 1, new for each pause. Left out: the pauses have no spread. */
  readonly draw?: () => number
  /** Fulfilled after `durationMs` milliseconds. */
  readonly wait: (durationMs: number) => Promise<void>
}

/** Repeats the work while it rejects with a temporary failure. Rejects with the error of the last attempt. */
export async function repeatWhileRejected<Result>(
  backoff: Backoff,
  { isPassing, draw, wait }: Repeating,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (rejection) {
      const pauseMs = pauseAfter(backoff, tries, draw?.())
      if (pauseMs === null || !isPassing(rejection)) throw rejection
      await wait(pauseMs)
    }
  }
}
