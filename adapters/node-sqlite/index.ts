import type { Clock } from '../../ports/platform.ts'
import { createStorage, type SqliteStorage } from '../sqlite/index.ts'
import { openNodeSqlite, type NodeSqliteOptions } from './database.ts'

export type { Executor, SqliteStorage, Statement, StatementResult } from '../sqlite/index.ts'
export { createMeter, createStorage } from '../sqlite/index.ts'
export type { NodeSqliteCapabilities } from './capabilities.ts'
export { nodeSqliteCapabilities } from './capabilities.ts'
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
