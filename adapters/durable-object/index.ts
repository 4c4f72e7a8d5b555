import { createStorage, type SqliteStorage } from '../sqlite/index.ts'
import { storageOptionsOf, type ObjectExecutorOptions } from './client/executor.ts'

export type { Executor, SqliteStorage } from '../sqlite/index.ts'
export { createMeter } from '../sqlite/index.ts'
export type { FamilyControl } from './client/control.ts'
export { createControl } from './client/control.ts'
export { createFamilyDatabases } from './client/control.ts'
export type { Migrations } from './object/schema.ts'
export type { ObjectExecutorOptions } from './client/executor.ts'
export { createExecutor } from './client/executor.ts'
export { createObjectMovePlace } from './client/control.ts'
export type { FamilyNamespace, FamilyPlace } from './client/executor.ts'
export type { FamilyObject, Mode } from './protocol.ts'

/**
 * Every storage port over the database of one family, in its own Durable Object. No I/O. Cheap enough to be called for
 * each request, so that each request can have a meter of its own.
 */
export function createObjectStorage(options: ObjectExecutorOptions): SqliteStorage {
  return createStorage(storageOptionsOf(options))
}
