import { writeFact } from './facts.ts'
import type { ObjectDatabase } from './object-database.ts'
import type { State } from './states.ts'
import { EMPTY } from './states.ts'

/** The state of one object, as it is stored and in memory. */
export interface Life {
  state(): State
  /** Enters a state. Called within `atomically`. */
  enter(next: State): void
  /** A transaction. When it fails, the state in memory goes back with what was stored. */
  atomically<Result>(work: () => Result): Result
  /** Everything that is stored is being removed. */
  end(): void
}

export function createLife(database: ObjectDatabase, stored: State): Life {
  let state = stored
  return {
    state: () => state,
    enter(next) {
      writeFact(database, 'state', next)
      state = next
    },
    atomically(work) {
      const before = state
      try {
        return database.transaction(work)
      } catch (error) {
        state = before
        throw error
      }
    },
    end() {
      state = EMPTY
    },
  }
}
