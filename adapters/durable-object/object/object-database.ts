import type { BoundValue } from '../../sqlite/statement/executor.ts'
import type { PackedResult } from '../protocol.ts'

/**
 * The result of one statement, without the number of changes, which SQLite counts only for the connection as a whole.
 */
export type Answer = Omit<PackedResult, 'changes'>

/**
 * The database inside an object, as the platform provides it: calls are synchronous, so no other call runs in between.
 * Node's SQLite can replace it, so that everything built on it can be tested without the platform.
 */
export interface ObjectDatabase {
  /** Runs one statement. Throws an error with SQLite's message. */
  run(sql: string, parameters?: readonly BoundValue[]): Answer
  /** Runs a text of several statements without parameters. Throws an error with SQLite's message. */
  script(sql: string): void
  /** Runs `work` in a transaction: everything it does happens, or nothing when it throws. */
  transaction<Result>(work: () => Result): Result
  sizeBytes(): number
  /** Removes everything that is stored, and the alarm. */
  clear(): Promise<void>
}
