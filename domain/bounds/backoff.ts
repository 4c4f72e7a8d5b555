import type { RandomSource } from '../../ports/random-source.ts'

/** How often something is tried and how long to wait in between, as data. */
export interface Backoff {
  /** The pause after each attempt but the last, in ms: there is one attempt more than there are pauses. */
  readonly pausesMs: readonly number[]
  /**
   * A pause is multiplied by a factor drawn from this range, so that callers who failed together do not come back
   * together. Left out: pauses are kept exactly.
   */
  readonly spread?: { readonly least: number; readonly most: number }
}

/** Pauses that double from the first, none longer than `longestMs`. */
export function doublingPauses(firstMs: number, count: number, longestMs = Infinity): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.min(longestMs, firstMs * 2 ** index))
}

/** Most tries that a backoff allows. */
export function triesMax({ pausesMs }: Backoff): number {
  return pausesMs.length + 1
}

/**
 * The pause after a failed try, in ms; null: that was the last try.
 * @param tries how many tries there were, 1 after the first
 * @param draw where in the spread the pause lies: 0 is the longest, 1 the shortest
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

/** What repeating work after a rejection depends on. */
export interface Repeating {
  /** Whether the next attempt may succeed after this rejection. */
  readonly isPassing: (rejection: unknown) => boolean
  /** A number from 0 to 1, random and new for each pause. */
  readonly draw: () => number
  readonly wait: (durationMs: number) => Promise<void>
}

/** Repeats the work while it rejects with a temporary failure. Rejects as the last attempt does. */
export async function repeatWhileRejected<Result>(
  backoff: Backoff,
  { isPassing, draw, wait }: Repeating,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (rejection) {
      const pauseMs = pauseAfter(backoff, tries, draw())
      if (pauseMs === null || !isPassing(rejection)) throw rejection
      await wait(pauseMs)
    }
  }
}
