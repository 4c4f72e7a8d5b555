import type { Outside, Isolate } from './isolate.ts'
import { startIsolate } from './isolate.ts'
import type { Universe } from './universe.ts'

/** The isolates that serve at a time. A platform starts and ends them as it likes. */
export interface Fleet {
  /** Any one that lives. */
  any(): Isolate
  /** Ends one, as it stands, and starts another in its place. */
  killOne(): void
  /** All that live now, for a deployment that replaces them. */
  all(): readonly Isolate[]
  kill(isolate: Isolate): void
}

export function startFleet(universe: Universe, outside: Outside): Fleet {
  const { draw, trace } = universe
  let started = 0
  const start = (): Isolate => startIsolate(`isolate-${String(++started)}`, universe, outside)
  const isolates = Array.from({ length: 2 + draw.below(2) }, start)
  const any = (): Isolate => {
    const isolate = isolates[draw.below(isolates.length)]
    if (isolate === undefined) throw new Error('No isolate lives')
    return isolate
  }
  const kill = (isolate: Isolate): void => {
    const place = isolates.indexOf(isolate)
    if (place < 0) return
    const successor = start()
    isolates[place] = successor
    trace.say(isolate.name, `dies; ${successor.name} starts`)
    isolate.die()
  }
  return {
    any,
    kill,
    killOne: () => {
      kill(any())
    },
    all: () => [...isolates],
  }
}
