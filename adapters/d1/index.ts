import type { SqliteStorage } from '../sqlite/index.ts'
import { createStorage } from '../sqlite/index.ts'
import type { ExecutorOptions } from './executor.ts'
import { createExecutor } from './executor.ts'

export type { Executor, SqliteStorage } from '../sqlite/index.ts'
export { createMeter } from '../sqlite/index.ts'
export type { ExecutorOptions } from './executor.ts'
export { createExecutor, isLockFailure } from './executor.ts'

/**
 * Every storage port over one D1 database that has every migration of `adapters/sqlite/migrations`. No I/O. Cheap enough
 * to be done for each request, so that each can have a meter of its own.
 */
export function createD1Storage(options: ExecutorOptions): SqliteStorage {
  return createStorage({ executor: createExecutor(options), clock: options.clock })
}
