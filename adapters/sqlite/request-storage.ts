import type { Clock } from '../../ports/platform/clock.ts'
import type { RequestStorage } from '../../ports/storage.ts'
import { createFormDirectory } from './access/form-directory.ts'
import { createKeyUpkeep } from './access/key-upkeep.ts'
import { createKeyedStorage } from './access/keyed-storage.ts'
import { createSendLog } from './outbox/send-log.ts'
import type { Guard } from './placement/guard.ts'
import { placementGuard, refusingExecutor, unguarded } from './placement/guard.ts'
import type { CountedBatch, Executor } from './statement/executor.ts'
import type { TenantExecutors } from './write/submission.ts'
import { createSubmissionWriter } from './write/submission-writer.ts'

export interface StorageOptions {
  /** Runs statements on a database that has every migration of `migrations/`. */
  readonly executor: Executor
  readonly clock: Clock
  /**
   * Whether this is the database that families share, which also holds the directory. It refuses organizations that the
   * directory places elsewhere with an `ElsewhereError`, and writes that a move has paused with a `PausedError`. Left
   * out: the database holds every organization that it is asked about.
   */
  readonly isShared?: boolean
  /**
   * Counts requests with keys. Only for a database whose counter sees all requests of an organization. Left out: no
   * requests are counted.
   */
  readonly countedBatch?: CountedBatch
}

/**
 * The ports that most requests need. No I/O. Cheap enough to be called for each request, so that each request can have
 * a meter of its own. It is a module of its own, so that a Worker can load it without the rest of the storage.
 */
export function createRequestStorage(options: StorageOptions): RequestStorage {
  const { executor, clock } = options
  const guard = guardOf(options)
  return {
    keyed: createKeyedStorage(options),
    keyUpkeep: createKeyUpkeep(guard),
    forms: createFormDirectory(executor, (organizationId) =>
      createSubmissionWriter(tenantExecutors(options, organizationId), clock, organizationId),
    ),
    sends: createSendLog(guard),
  }
}

/** The guard that refuses batches about organizations that are not in this database. */
export function guardOf({ executor, clock, isShared = false }: StorageOptions): Guard {
  return isShared ? placementGuard(executor, clock) : unguarded(executor)
}

/** The executors that write to one organization. */
export function tenantExecutors(options: StorageOptions, organizationId: string): TenantExecutors {
  const { executor, isShared = false } = options
  return {
    executor: guardOf(options)({ organizationIds: [organizationId] }),
    submissions: isShared ? refusingExecutor(executor) : executor,
  }
}
