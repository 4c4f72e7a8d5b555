import type { Deadline, Clock, RandomSource } from '../../ports/platform.ts'

/**
 * How many databases, or receivers of work, are asked at once when a list of them is processed. A Worker has six
 * connections, and a task may need a second one.
 */
export const CONNECTIONS_WIDTH = 4

/** How long each of them may take, in ms. */
export const ANSWER_MS = 10_000

/** How long a family's own alarm has to handle due work before the sweep checks it, in ms. */
export const ALARM_MS = 600_000

/** The work took too long. It may still be running, and may still take effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/**
 * Waits for work at most `durationMs`, then rejects with `TimedOut`. Rejects with the work's own error when that comes
 * first.
 */
export async function within<Value>(
  deadline: Deadline,
  durationMs: number,
  work: Promise<Value>,
): Promise<Value> {
  const signal = deadline.after(durationMs)
  let onAbort = (): void => undefined
  const expired = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(new TimedOut(`Nothing came back within ${durationMs} ms`))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Whichever promise lost the race may still reject, which must not count as unhandled.
    work.catch(() => undefined)
    expired.catch(() => undefined)
  }
}

/** Runs a task for each item, at most `width` at once. A task must handle its own failures and never reject. */
export async function eachOf<Item>(
  items: Iterable<Item>,
  width: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await task(next.value)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Waits for `durationMs` milliseconds. Never rejects. */
export async function pause(deadline: Deadline, durationMs: number): Promise<void> {
  const signal = deadline.after(durationMs)
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve()
      },
      { once: true },
    )
  })
}

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
