import type { PlaceDirectory } from '../../ports/placement.ts'
import { createPlaceDirectory } from '../sqlite/placement/directory.ts'
import { createStorage, type SqliteStorage } from '../sqlite/index.ts'
import { createExecutor, type ExecutorOptions } from './executor.ts'

export type { Executor, SqliteStorage } from '../sqlite/index.ts'
export { createMeter } from '../sqlite/index.ts'
export type { ExecutorOptions } from './executor.ts'
export { createExecutor, isLockFailure } from './executor.ts'

/**
 * The storage ports over the database that families share, and the directory of the families that have a database of
 * their own.
 */
export interface D1Storage extends SqliteStorage {
  readonly directory: PlaceDirectory
}

/**
 * Every storage port over one D1 database that has every migration of `adapters/sqlite/migrations`. This is the
 * database that families share: it refuses the families that its directory places elsewhere. No I/O. Cheap enough to be
 * called for each request, so that each request can have a meter of its own.
 */
export function createD1Storage(options: ExecutorOptions): D1Storage {
  const { clock } = options
  const executor = createExecutor(options)
  return {
    ...createStorage({ executor, clock, isShared: true }),
    directory: createPlaceDirectory(executor, clock),
  }
}
