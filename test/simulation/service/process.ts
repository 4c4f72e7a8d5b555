import type { Owner } from '../engine/scheduler.ts'

/** An isolate of the Worker, as far as living and dying goes. */
export interface Process extends Owner {
  readonly name: string
  /** Tells when it dies. The returned function takes that back. */
  whenDead(listener: () => void): () => void
  die(): void
}

export function createProcess(name: string): Process {
  const listeners = new Set<() => void>()
  let isAlive = true
  return {
    name,
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
