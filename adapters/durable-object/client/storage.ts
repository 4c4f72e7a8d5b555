import { createStorage, type SqliteStorage } from '../../sqlite/storage.ts'
import { storageOptionsOf, type ObjectExecutorOptions } from './executor.ts'

/**
 * Every storage port over the database of one family, in its own Durable Object. No I/O. Cheap enough to be called for
 * each request, so that each request can have a meter of its own.
 */
export function createObjectStorage(options: ObjectExecutorOptions): SqliteStorage {
  return createStorage(storageOptionsOf(options))
}
