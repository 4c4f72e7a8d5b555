import type { RequestStorage } from '../../../ports/storage.ts'
import { createRequestStorage } from '../../sqlite/request-storage.ts'
import type { ObjectExecutorOptions } from './executor.ts'
import { storageOptionsOf } from './executor.ts'

/** The part of `createObjectStorage` that most requests need. No I/O. */
export function createObjectRequestStorage(options: ObjectExecutorOptions): RequestStorage {
  return createRequestStorage(storageOptionsOf(options))
}
