import type { Clock } from '../../ports/clock.ts'
import type { KeyBudget } from '../../ports/key-budget.ts'

/**
 * Counts the requests of keys that have a rate: a key has at most that many in any 60 seconds. It counts in memory, so
 * each instance of the service counts for itself, and a restart forgets.
 */
export interface RateLimiter {
  /** Counts a request of a key that was proven, unless it is one too many. */
  take(keyId: string, ratePerMinute: number): KeyBudget
  /** The budget of a key that has nothing left at this moment; null: it may have. Counts nothing. */
  exhausted(keyId: string): KeyBudget | null
  /** A storage that counts by itself has found a key to have nothing left: `exhausted` says so until that renews. */
  learn(keyId: string, budget: KeyBudget): void
}

const WINDOW_MS = 60_000

/** Most keys of which the limiter remembers that another counter found them exhausted. */
const LEARNED_MAX = 10_000

/** What another counter has found. */
interface Learned {
  readonly budget: KeyBudget
  readonly renewsAtMs: number
}

/** The requests of one key within the last minute: the instant of each, in a ring that has a place for each. */
interface Window {
  readonly ring: Float64Array
  /** The place of the oldest one. */
  first: number
  count: number
}

/** Most memory that all windows together take, in instants of eight bytes: 16 MB. */
const INSTANTS_MAX = 2_000_000
/** What a window takes besides its ring, as so many instants. */
const WINDOW_INSTANTS = 50

/**
 * Makes a limiter. When its windows take more than `maxInstants`, it forgets the keys that were not used for longest.
 */
export function createRateLimiter(clock: Clock, maxInstants = INSTANTS_MAX): RateLimiter {
  const elapsedMs = stopwatch(clock)
  const windows = new Map<string, Window>()
  const learned = new Map<string, Learned>()
  let instants = 0
  const forget = (keyId: string): void => {
    const window = windows.get(keyId)
    if (window !== undefined) instants -= sizeOf(window)
    windows.delete(keyId)
  }
  const windowOf = (keyId: string, ratePerMinute: number): Window => {
    const known = windows.get(keyId)
    const isKnown = known?.ring.length === ratePerMinute
    const window = isKnown ? known : { ring: new Float64Array(ratePerMinute), first: 0, count: 0 }
    // A Map keeps the order of insertion, so putting it back makes it the youngest.
    forget(keyId)
    windows.set(keyId, window)
    instants += sizeOf(window)
    for (const oldest of windows.keys()) {
      if (instants <= maxInstants || oldest === keyId) break
      forget(oldest)
    }
    return window
  }
  const learnedOf = (keyId: string): KeyBudget | null => {
    const found = learned.get(keyId)
    if (found === undefined) return null
    const renewsInMs = found.renewsAtMs - elapsedMs()
    if (renewsInMs > 0) return { ...found.budget, renewsInMs }
    learned.delete(keyId)
    return null
  }
  return {
    take: (keyId, ratePerMinute) => take(windowOf(keyId, ratePerMinute), elapsedMs()),
    exhausted: (keyId) => {
      const window = windows.get(keyId)
      return (window === undefined ? null : exhausted(window, elapsedMs())) ?? learnedOf(keyId)
    },
    learn: (keyId, budget) => {
      if (learned.size >= LEARNED_MAX) learned.clear()
      learned.set(keyId, { budget, renewsAtMs: elapsedMs() + budget.renewsInMs })
    },
  }
}

function sizeOf({ ring }: Window): number {
  return ring.length + WINDOW_INSTANTS
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

function take(window: Window, nowMs: number): KeyBudget {
  const spent = exhausted(window, nowMs)
  if (spent !== null) return spent
  const { ring, first, count } = window
  ring[(first + count) % ring.length] = nowMs
  window.count += 1
  return budgetOf(window, nowMs, false)
}

function exhausted(window: Window, nowMs: number): KeyBudget | null {
  while (window.count > 0 && oldestOf(window) <= nowMs - WINDOW_MS) {
    window.first = (window.first + 1) % window.ring.length
    window.count -= 1
  }
  return window.count === window.ring.length ? budgetOf(window, nowMs, true) : null
}

function budgetOf(window: Window, nowMs: number, isExceeded: boolean): KeyBudget {
  const ratePerMinute = window.ring.length
  const remaining = ratePerMinute - window.count
  return { isExceeded, ratePerMinute, remaining, renewsInMs: oldestOf(window) + WINDOW_MS - nowMs }
}

function oldestOf({ ring, first }: Window): number {
  return ring[first] ?? 0
}
