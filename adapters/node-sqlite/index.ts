import type { Clock } from '../../ports/platform.ts'
import { createStorage, type SqliteStorage } from '../sqlite/index.ts'
import { openNodeSqlite, type NodeSqliteOptions } from './database.ts'

export type { Executor, SqliteStorage, Statement, StatementResult } from '../sqlite/index.ts'
export { createMeter, createStorage } from '../sqlite/index.ts'
export type { NodeSqlite, NodeSqliteOptions } from './database.ts'
export { openImage, openNodeSqlite } from './database.ts'
export { migrate, migrationsOf } from './database.ts'

export interface NodeSqliteStorageOptions extends NodeSqliteOptions {
  readonly clock: Clock
}

/** Every storage port over one database on `node:sqlite`. */
export interface NodeSqliteStorage extends SqliteStorage {
  /** Closes the database. Calls of the storage after that reject. */
  close(): void
}

/** Opens a database, applies the migrations that it lacks, and gives every storage port over it. */
export function createNodeSqliteStorage({ clock, ...options }: NodeSqliteStorageOptions): NodeSqliteStorage {
  const database = openNodeSqlite(options)
  return {
    ...createStorage({ executor: database, clock }),
    close: () => {
      database.close()
    },
  }
}

/** How a storage on `node:sqlite` differs from one on a hosted database. */
export interface NodeSqliteCapabilities {
  /**
   * Whether results and meters say how many rows a statement read and wrote. `node:sqlite` cannot count them: a result
   * says null, and a meter counts calls alone.
   */
  readonly countsRows: boolean
  /**
   * Whether a batch leaves the thread free while it runs. `node:sqlite` is synchronous: a batch blocks the process for
   * as long as it takes, which includes waiting for another process that writes to the same file.
   */
  readonly runsInBackground: boolean
  /** The largest whole number that can be read; a statement that yields a larger one fails. */
  readonly integerMax: number
}

export const nodeSqliteCapabilities: NodeSqliteCapabilities = {
  countsRows: false,
  runsInBackground: false,
  integerMax: Number.MAX_SAFE_INTEGER,
}
