import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Deadline } from '../../../ports/platform.ts'
import { fakeClock, type FakeClock } from './fakes.ts'

/** Time that passes only when no other work is pending, and then jumps: waiting an hour takes no time. */
export interface VirtualTime {
  readonly clock: FakeClock
  readonly deadline: Deadline
  /** Runs work to its end. Whenever all of it waits, the clock jumps to the next end of a wait. */
  run<Value>(work: Promise<Value>): Promise<Value>
  /** A promise that is fulfilled after this long. */
  after(durationMs: number): Promise<void>
}

/** How many turns of the event loop it takes until work that awaits only promises stops. */
const IDLE_TURNS = 5

interface Timer {
  readonly atMs: number
  readonly fire: () => void
}

export function virtualTime(): VirtualTime {
  const clock = fakeClock()
  let timers: Timer[] = []
  const set = (durationMs: number, fire: () => void) => {
    timers.push({ atMs: clock.nowMs() + durationMs, fire })
  }
  const jump = () => {
    const atMs = Math.min(...timers.map((timer) => timer.atMs))
    if (!Number.isFinite(atMs)) throw new Error('The work waits for something that never comes')
    clock.advance(Math.max(0, atMs - clock.nowMs()))
    const due = timers.filter((timer) => timer.atMs <= atMs)
    timers = timers.filter((timer) => timer.atMs > atMs)
    for (const { fire } of due) fire()
  }
  return {
    clock,
    deadline: {
      after: (durationMs) => {
        const controller = new AbortController()
        set(durationMs, () => {
          controller.abort()
        })
        return controller.signal
      },
    },
    async run(work) {
      const ended = new AbortController()
      const end = () => {
        ended.abort()
      }
      void work.then(end, end)
      for (;;) {
        for (let turn = 0; turn < IDLE_TURNS && !ended.signal.aborted; turn += 1) await yieldToOthers()
        if (ended.signal.aborted) return work
        jump()
      }
    },
    after: (durationMs) =>
      new Promise((resolve) => {
        set(durationMs, resolve)
      }),
  }
}
