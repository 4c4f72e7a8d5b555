import type { BoundValue } from '../sqlite/statement/executor.ts'
import type { PackedResult } from './protocol.ts'

/** What one statement answered, without its changes, which SQLite counts for a connection as a whole. */
export type Answer = Omit<PackedResult, 'changes'>

/**
 * The database inside an object, as the platform gives it: everything happens at once, with no other call in between.
 * Node's SQLite can stand in for it, so that whatever is built on it is tested without the platform.
 */
export interface ObjectDatabase {
  /** Runs one statement. Throws an error with SQLite's message. */
  run(sql: string, parameters?: readonly BoundValue[]): Answer
  /** Runs a text of several statements without parameters. Throws an error with SQLite's message. */
  script(sql: string): void
  /** All that the work does happens, or nothing when it throws. */
  transaction<Result>(work: () => Result): Result
  sizeBytes(): number
  /** Removes everything that is stored, the alarm too. */
  clear(): Promise<void>
}
