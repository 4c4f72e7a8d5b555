import type { Owner } from '../../engine/scheduler.ts'
import type { Version } from './versions.ts'

/** The life of an isolate of the Worker. */
export interface Process extends Owner {
  readonly name: string
  readonly version: Version
  /** Calls the listener when the process dies. The returned function removes the listener. */
  whenDead(listener: () => void): () => void
  die(): void
}

export function createProcess(name: string, version: Version): Process {
  const listeners = new Set<() => void>()
  let isAlive = true
  return {
    name,
    version,
    get isAlive() {
      return isAlive
    },
    whenDead(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    die() {
      isAlive = false
      for (const listener of [...listeners]) listener()
      listeners.clear()
    },
  }
}
