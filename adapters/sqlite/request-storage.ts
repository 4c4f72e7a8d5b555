import type { Clock } from '../../ports/clock.ts'
import type { RequestStorage } from '../../ports/storage.ts'
import { createFormDirectory } from './access/form-directory.ts'
import { createKeyUpkeep } from './access/key-upkeep.ts'
import { createKeyedStorage } from './access/keyed-storage.ts'
import { createSendLog } from './outbox/send-log.ts'
import type { Guard } from './placement/guard.ts'
import { placementGuard, refusingExecutor, unguarded } from './placement/guard.ts'
import type { Executor } from './statement/executor.ts'
import type { TenantExecutors } from './write/submission.ts'
import { createSubmissionWriter } from './write/submission-writer.ts'

export interface StorageOptions {
  /** Runs statements on a database that has every migration of `migrations/`. */
  readonly executor: Executor
  readonly clock: Clock
  /**
   * Whether this is the database that families share and that holds the directory: what it is asked about organizations
   * that the directory places elsewhere it refuses with an `ElsewhereError`, and writes that a move has paused with a
   * `PausedError`. Left out: it holds every organization that it is asked about.
   */
  readonly isShared?: boolean
}

/**
 * Opens what most requests need. No I/O. Cheap enough to be done for each request, so that each can have a meter of its
 * own. It is a module of its own so that a Worker can load it without the rest of the storage.
 */
export function createRequestStorage(options: StorageOptions): RequestStorage {
  const { executor, clock } = options
  const guard = guardOf(options)
  return {
    keyed: createKeyedStorage(executor, clock),
    keyUpkeep: createKeyUpkeep(guard),
    forms: createFormDirectory(executor, (organizationId) =>
      createSubmissionWriter(tenantExecutors(options, organizationId), clock, organizationId),
    ),
    sends: createSendLog(guard),
  }
}

/** What refuses batches about organizations that are not in this database. */
export function guardOf({ executor, clock, isShared = false }: StorageOptions): Guard {
  return isShared ? placementGuard(executor, clock) : unguarded(executor)
}

/** What writes to one organization. */
export function tenantExecutors(options: StorageOptions, organizationId: string): TenantExecutors {
  const { executor, isShared = false } = options
  return {
    executor: guardOf(options)({ organizationIds: [organizationId] }),
    submissions: isShared ? refusingExecutor(executor) : executor,
  }
}
