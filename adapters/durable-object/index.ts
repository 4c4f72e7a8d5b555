import type { SqliteStorage } from '../sqlite/index.ts'
import { createStorage } from '../sqlite/index.ts'
import type { ExecutorOptions } from './executor.ts'
import { createCountedBatch, createExecutor } from './executor.ts'

export type { Executor, SqliteStorage } from '../sqlite/index.ts'
export { createMeter } from '../sqlite/index.ts'
export type { FamilyControl } from './control.ts'
export { createControl } from './control.ts'
export { createFamilyDatabases } from './family-databases.ts'
export type { Migrations } from './bring-up.ts'
export type { ExecutorOptions } from './executor.ts'
export { createExecutor } from './executor.ts'
export { createObjectMovePlace } from './move-place.ts'
export type { FamilyNamespace, FamilyPlace } from './place.ts'
export type { FamilyObject, Mode } from './protocol.ts'

/**
 * Every storage port over the database of one family, in an object of its own. No I/O. Cheap enough to be done for each
 * request, so that each can have a meter of its own.
 */
export function createObjectStorage(options: ExecutorOptions): SqliteStorage {
  return createStorage({
    executor: createExecutor(options),
    clock: options.clock,
    countedBatch: createCountedBatch(options),
  })
}
