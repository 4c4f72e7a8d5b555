import { getEventListeners } from 'node:events'
import type { Deadline } from '../../../ports/deadline.ts'
import type { Draw } from '../../../host-worker/dev/demo/draw.ts'
import type { NativeWork } from './native-work.ts'
import { createHeap } from './heap.ts'

/** Whoever waits for something. When it is gone, what it waits for does not happen any more. */
export interface Owner {
  readonly isAlive: boolean
}

/** Simulated time. Nothing in a simulation goes on but by one of its events, and it alone decides which is next. */
export interface Scheduler {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** Has something done after so many milliseconds, unless its owner is gone by then. */
  readonly schedule: (delayMs: number, run: () => unknown, owner?: Owner) => void
  /** Waits so many milliseconds. */
  readonly pause: (delayMs: number, owner?: Owner) => Promise<void>
  /** Deadlines that pass in simulated time. */
  readonly deadlineOf: (owner: Owner) => Deadline
  /** Lets the next event happen, and everything that follows from it without waiting. False: none is left. */
  readonly step: () => Promise<boolean>
}

interface Event {
  readonly atMs: number
  /** Orders events of one instant. It is drawn, so that every order occurs in some run. */
  readonly place: number
  readonly owner: Owner
  readonly run: () => unknown
  /** Whether nobody would notice it. */
  readonly isIdle: () => boolean
}

export const everlasting: Owner = { isAlive: true }
const PLACES = 2 ** 30

export function createScheduler(startMs: number, draw: Draw, native: NativeWork): Scheduler {
  const events = createHeap<Event>((left, right) => left.atMs - right.atMs || left.place - right.place)
  let nowMs = startMs

  const add = (delayMs: number, run: () => unknown, owner: Owner, isIdle = () => false): void => {
    events.push({ atMs: nowMs + Math.max(0, delayMs), place: draw.below(PLACES), owner, run, isIdle })
  }
  const nextEvent = (): Event | undefined => {
    for (;;) {
      const event = events.pop()
      if (event === undefined || (event.owner.isAlive && !event.isIdle())) return event
    }
  }
  return {
    nowMs: () => nowMs,
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
      nowMs = event.atMs
      await event.run()
      await native.settled()
      return true
    },
  }
}
