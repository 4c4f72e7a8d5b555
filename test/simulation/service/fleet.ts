import type { Isolate } from './isolate.ts'
import { startIsolate } from './isolate.ts'
import type { Outside } from './ports.ts'
import type { Universe } from './universe.ts'

/** The isolates that serve at a time. A platform starts and ends them as it likes. */
export interface Fleet {
  /** Any one that serves. @param what what it is to do */
  any(what: string): Isolate
  /** Ends one, as it stands, and starts another in its place. @param when names the moment */
  killOne(when: string): void
  /** All that serve now, for a deployment that replaces them. */
  all(): readonly Isolate[]
  /** Has another one serve in its place. This one gets nothing new, may end what it has begun, and dies. */
  replace(isolate: Isolate): void
}

/** How long an isolate that was replaced goes on with what it has begun, in ms. */
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
