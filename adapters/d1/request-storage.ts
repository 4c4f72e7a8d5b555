import type { PlaceFinder } from '../../ports/placement/placement.ts'
import type { RequestStorage } from '../../ports/storage.ts'
import { createPlaceFinder } from '../sqlite/placement/finder.ts'
import { createRequestStorage } from '../sqlite/request-storage.ts'
import type { ExecutorOptions } from './executor.ts'
import { createExecutor } from './executor.ts'

/** The ports that most requests need, over the database that families share, and the directory in it. */
export interface D1RequestStorage extends RequestStorage {
  readonly directory: PlaceFinder
}

/** The part of `createD1Storage` that most requests need. No I/O. */
export function createD1RequestStorage(options: ExecutorOptions): D1RequestStorage {
  const { clock } = options
  const executor = createExecutor(options)
  return {
    ...createRequestStorage({ executor, clock, isShared: true }),
    directory: createPlaceFinder(executor),
  }
}
