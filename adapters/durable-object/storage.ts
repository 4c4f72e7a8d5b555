import type { SqliteStorage } from '../sqlite/storage.ts'
import { createStorage } from '../sqlite/storage.ts'
import type { ExecutorOptions } from './executor.ts'
import { storageOptionsOf } from './executor.ts'

/**
 * Every storage port over the database of one family, in an object of its own. No I/O. Cheap enough to be done for each
 * request, so that each can have a meter of its own.
 */
export function createObjectStorage(options: ExecutorOptions): SqliteStorage {
  return createStorage(storageOptionsOf(options))
}
