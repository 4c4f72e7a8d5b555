import type { Clock } from '../../ports/clock.ts'

/** Where a key stands against its rate, after a request. */
export interface Budget {
  /** Whether the request was one too many. It was not counted then. */
  readonly isExceeded: boolean
  readonly ratePerMinute: number
  /** How many more requests would be admitted at this moment. */
  readonly remaining: number
  /** How long no more than those are admitted: until the oldest request that counts is a minute old. */
  readonly renewsInMs: number
}

/**
 * Counts the requests of keys that have a rate: a key has at most that many in any 60 seconds. It counts in memory, so
 * each instance of the service counts for itself, and a restart forgets.
 */
export interface RateLimiter {
  /** Counts a request of a key that was proven, unless it is one too many. */
  take(keyId: string, ratePerMinute: number): Budget
  /** The budget of a key that has nothing left at this moment; null: it may have. Counts nothing. */
  exhausted(keyId: string): Budget | null
}

const WINDOW_MS = 60_000

/** Most instants that are kept, over all keys: 8 MB. */
const INSTANTS_MAX = 1_000_000

/**
 * Makes a limiter. When it holds `maxInstants`, it forgets the keys that were not used for longest, each with as many
 * instants as its rate has requests.
 */
export function createRateLimiter(clock: Clock, maxInstants = INSTANTS_MAX): RateLimiter {
  const elapsedMs = stopwatch(clock)
  const windows = new Map<string, Window>()
  let instants = 0
  const forget = (keyId: string): void => {
    instants -= windows.get(keyId)?.ratePerMinute ?? 0
    windows.delete(keyId)
  }
  const windowOf = (keyId: string, ratePerMinute: number): Window => {
    const known = windows.get(keyId)
    const window = known?.ratePerMinute === ratePerMinute ? known : createWindow(ratePerMinute)
    // A Map keeps the order of insertion, so putting it back makes it the youngest.
    forget(keyId)
    windows.set(keyId, window)
    instants += ratePerMinute
    for (const oldest of windows.keys()) {
      if (instants <= maxInstants || oldest === keyId) break
      forget(oldest)
    }
    return window
  }
  return {
    take: (keyId, ratePerMinute) => windowOf(keyId, ratePerMinute).take(elapsedMs()),
    exhausted: (keyId) => windows.get(keyId)?.exhausted(elapsedMs()) ?? null,
  }
}

/** The time since its start, which stands still while the clock steps back. */
function stopwatch(clock: Clock): () => number {
  let elapsedMs = 0
  let lastMs = clock.nowMs()
  return () => {
    const nowMs = clock.nowMs()
    elapsedMs += Math.max(0, nowMs - lastMs)
    lastMs = nowMs
    return elapsedMs
  }
}

/** The requests of one key within the last minute. */
interface Window {
  readonly ratePerMinute: number
  take(nowMs: number): Budget
  exhausted(nowMs: number): Budget | null
}

/** A window keeps the instant of each request that counts, in a ring that has a place for each. */
function createWindow(ratePerMinute: number): Window {
  const ring = new Float64Array(ratePerMinute)
  let first = 0
  let count = 0
  const budget = (nowMs: number, isExceeded: boolean): Budget => {
    const renewsInMs = (ring[first] ?? 0) + WINDOW_MS - nowMs
    return { isExceeded, ratePerMinute, remaining: ratePerMinute - count, renewsInMs }
  }
  const slide = (nowMs: number): void => {
    while (count > 0 && (ring[first] ?? 0) <= nowMs - WINDOW_MS) {
      first = (first + 1) % ratePerMinute
      count -= 1
    }
  }
  return {
    ratePerMinute,
    take: (nowMs) => {
      slide(nowMs)
      if (count === ratePerMinute) return budget(nowMs, true)
      ring[(first + count) % ratePerMinute] = nowMs
      count += 1
      return budget(nowMs, false)
    },
    exhausted: (nowMs) => {
      slide(nowMs)
      return count === ratePerMinute ? budget(nowMs, true) : null
    },
  }
}
