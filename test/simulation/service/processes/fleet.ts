import { startIsolate, type Isolate } from './isolate.ts'
import type { Outside } from './ports.ts'
import type { Process } from './process.ts'
import type { Universe } from '../universe.ts'

/** The isolates that serve requests. The platform starts and ends them at any time. */
export interface Fleet {
  /**
   * Any isolate that serves requests.
   * @param what its task
   */
  any(what: string): Isolate
  /**
   * Ends an isolate at once, and starts another one in its place.
   * @param when names the moment
   */
  killOne(when: string): void
  /** Ends the isolate of a process at once, and starts another one in its place. */
  kill(process: Process): void
  /** All isolates that serve requests, for a deployment that replaces them. */
  all(): readonly Isolate[]
  /** Replaces an isolate. It gets no new work, may finish what it has begun, and is then ended. */
  replace(isolate: Isolate): void
}

/** How long an isolate that was replaced may continue its work, in ms. */
export const DRAIN_MS = 120_000

export function startFleet(universe: Universe, outside: Outside): Fleet {
  const { decide, trace, scheduler } = universe
  let started = 0
  const start = (): Isolate => startIsolate(`isolate-${String(++started)}`, universe, outside)
  const isolates = Array.from({ length: 2 + decide.below('more isolates', 2) }, start)
  const any = (what: string): Isolate => {
    const [first, ...others] = isolates.map(({ name }) => name)
    if (first === undefined) throw new Error('No isolate serves')
    const name = decide.pick(`isolate ${what}`, [first, ...others])
    const isolate = isolates.find((candidate) => candidate.name === name)
    if (isolate === undefined) throw new Error(`${name} does not serve`)
    return isolate
  }
  const succeed = (isolate: Isolate, what: string): boolean => {
    const place = isolates.indexOf(isolate)
    if (place < 0) return false
    const successor = start()
    isolates[place] = successor
    trace.say(isolate.name, `${what}; ${successor.name} starts`)
    return true
  }
  return {
    any,
    kill(process) {
      const isolate = isolates.find(({ name }) => name === process.name)
      if (isolate === undefined) process.die()
      else if (succeed(isolate, 'dies')) isolate.die()
    },
    all: () => [...isolates],
    killOne(when) {
      const isolate = any(`that dies at ${when}`)
      if (succeed(isolate, 'dies')) isolate.die()
    },
    replace(isolate) {
      if (!succeed(isolate, 'is replaced')) return
      scheduler.schedule(DRAIN_MS, () => {
        isolate.die()
      })
    },
  }
}
