import type { RequestStorage } from '../../ports/storage.ts'
import { createRequestStorage } from '../sqlite/request-storage.ts'
import type { ExecutorOptions } from './executor.ts'
import { storageOptionsOf } from './executor.ts'

/** The part of `createObjectStorage` that most requests need. No I/O. */
export function createObjectRequestStorage(options: ExecutorOptions): RequestStorage {
  return createRequestStorage(storageOptionsOf(options))
}
