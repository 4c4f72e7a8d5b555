import { writeFact } from './facts.ts'
import type { ObjectDatabase } from './object-database.ts'
import { EMPTY, type State } from './states.ts'

/** The state of one object, stored and in memory. */
export interface Life {
  state(): State
  /** Changes the state. Called within `atomically`. */
  enter(next: State): void
  /** Runs work in a transaction. When it fails, the state in memory is restored too. */
  atomically<Result>(work: () => Result): Result
  /** Sets the state in memory to `empty`. Called before everything stored is removed. */
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
