import type { Clock } from '../../ports/platform.ts'
import type { KeyBudget } from '../../ports/organizations.ts'
import { errorReply, type Reply } from '../record/reply.ts'

/**
 * Counts the requests of keys that have a rate: a key has at most that many in any 60 seconds. It counts in memory, so
 * each instance of the service counts for itself, and a restart forgets.
 */
export interface RateLimiter {
  /** Counts a request of a proven key, unless the key has used up its rate. */
  take(keyId: string, ratePerMinute: number): KeyBudget
  /**
   * The budget of a key that has used up its rate at this moment; null: it has not, as far as is known. Counts nothing.
   */
  exhausted(keyId: string): KeyBudget | null
  /**
   * Remembers that another counter, of a storage, has found a key to have used up its rate. `exhausted` reports that
   * until the rate renews.
   */
  learn(keyId: string, budget: KeyBudget): void
}

/** The time in which requests are counted together: the minute of `ratePerMinute`. */
export const RATE_WINDOW_MS = 60_000

/** The maximum number of keys that are remembered by `learn`. */
const LEARNED_MAX = 10_000

/** A budget that another counter reported. */
interface Learned {
  readonly budget: KeyBudget
  readonly renewsAtMs: number
}

/**
 * The requests of one key within the last minute: the instant of each, in a ring buffer with a place for each request
 * that the rate allows.
 */
interface Window {
  readonly ring: Float64Array
  /** The index of the oldest instant in the ring. */
  first: number
  count: number
}

/** The maximum size of all windows together, in instants of eight bytes: 16 MB. */
const INSTANTS_MAX = 2_000_000
/** The size of a window besides its ring, in instants. */
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
    // A Map keeps the order of insertion, so removing and adding the window makes it the most recent one.
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

/** A stopwatch in ms. It stands still while the clock steps back. */
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
  while (window.count > 0 && oldestOf(window) <= nowMs - RATE_WINDOW_MS) {
    window.first = (window.first + 1) % window.ring.length
    window.count -= 1
  }
  return window.count === window.ring.length ? budgetOf(window, nowMs, true) : null
}

function budgetOf(window: Window, nowMs: number, isExceeded: boolean): KeyBudget {
  const ratePerMinute = window.ring.length
  const remaining = ratePerMinute - window.count
  return { isExceeded, ratePerMinute, remaining, renewsInMs: oldestOf(window) + RATE_WINDOW_MS - nowMs }
}

function oldestOf({ ring, first }: Window): number {
  return ring[first] ?? 0
}

/**
 * The headers by which every answer to a key with a rate says how much is left: structured fields of
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. `q` requests within `w` seconds; `r` more for the next `t`
 * seconds.
 */
export function rateLimitHeaders(budget: KeyBudget): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"minute";q=${budget.ratePerMinute};w=${RATE_WINDOW_MS / 1000}`,
    ratelimit: `"minute";r=${budget.remaining};t=${secondsUntilMore(budget)}`,
  }
}

/** The answer to a request beyond the key's rate. */
export function tooManyRequests(budget: KeyBudget): Reply {
  return errorReply(429, beyondRate(budget), { 'retry-after': String(secondsUntilMore(budget)) })
}

/** The sentence for a request beyond the key's rate. */
export function beyondRate(budget: KeyBudget): string {
  return `This key has a rate of ${budget.ratePerMinute} requests a minute. Try again in ${secondsUntilMore(budget)} seconds.`
}

/** Whole seconds, rounded up, so that a client that waits that long is admitted. */
function secondsUntilMore({ renewsInMs }: KeyBudget): number {
  return Math.ceil(renewsInMs / 1000)
}
