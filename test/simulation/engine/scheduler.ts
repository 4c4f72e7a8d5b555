import { getEventListeners } from 'node:events'
import type { Deadline } from '../../../ports/platform.ts'
import type { NativeWork } from './native-work.ts'
import { createHeap } from './heap.ts'

/**
 * The process or client that waits for something. When it no longer exists, the events for which it waits are dropped.
 */
export interface Owner {
  readonly isAlive: boolean
}

/**
 * Simulated time. Everything in a simulation happens in one of its events, and only the scheduler decides which event
 * is next.
 */
export interface Scheduler {
  /** The simulated time, in whole milliseconds since 1970. */
  readonly nowMs: () => number
  /** Runs a function after so many milliseconds, unless its owner no longer exists by then. */
  readonly schedule: (delayMs: number, run: () => unknown, owner?: Owner) => void
  /** Waits so many milliseconds. */
  readonly pause: (delayMs: number, owner?: Owner) => Promise<void>
  /** Deadlines that pass in simulated time. */
  readonly deadlineOf: (owner: Owner) => Deadline
  /** Runs the next event, and everything that follows from it without waiting. False: there is none. */
  readonly step: () => Promise<boolean>
}

interface Event {
  readonly atMs: number
  /** The order of scheduling. Events of the same instant happen in this order. */
  readonly number: number
  readonly owner: Owner
  readonly run: () => unknown
  /** Whether dropping the event would make no difference. */
  readonly isIdle: () => boolean
}

export const everlasting: Owner = { isAlive: true }

export function createScheduler(startMs: number, native: NativeWork): Scheduler {
  const events = createHeap<Event>((left, right) => left.atMs - right.atMs || left.number - right.number)
  let exactMs = startMs
  let scheduled = 0

  const add = (delayMs: number, run: () => unknown, owner: Owner, isIdle = () => false): void => {
    events.push({ atMs: exactMs + Math.max(0, delayMs), number: ++scheduled, owner, run, isIdle })
  }
  const nextEvent = (): Event | undefined => {
    for (;;) {
      const event = events.pop()
      if (event === undefined || (event.owner.isAlive && !event.isIdle())) return event
    }
  }
  return {
    nowMs: () => Math.floor(exactMs),
    schedule: (delayMs, run, owner = everlasting) => {
      add(delayMs, run, owner)
    },
    pause: (delayMs, owner = everlasting) =>
      new Promise((resolve) => {
        add(delayMs, resolve, owner)
      }),
    deadlineOf: (owner) => ({
      after: (durationMs) => {
        const controller = new AbortController()
        const { signal } = controller
        const isIdle = () => getEventListeners(signal, 'abort').length === 0
        add(
          durationMs,
          () => {
            controller.abort()
          },
          owner,
          isIdle,
        )
        return signal
      },
    }),
    async step() {
      const event = nextEvent()
      if (event === undefined) return false
      exactMs = event.atMs
      await event.run()
      await native.settled()
      return true
    },
  }
}
