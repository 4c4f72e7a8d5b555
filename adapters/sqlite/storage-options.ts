import type { Clock } from '../../ports/platform.ts'
import { placementGuard, refusingExecutor, unguarded, type Guard } from './placement/guard.ts'
import type { CountedBatch, Executor } from './statement/executor.ts'

/** What a storage port is made of. */
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

/** The guard that refuses batches about organizations that are not in this database. */
export function guardOf({ executor, clock, isShared = false }: StorageOptions): Guard {
  return isShared ? placementGuard(executor, clock) : unguarded(executor)
}

/** The executors for writing to one organization. */
export interface TenantExecutors {
  readonly executor: Executor
  /** For submissions, whose statements ask by themselves whether the organization may be written here. */
  readonly submissions: Executor
}

/** Opens one organization for writing. */
export function tenantExecutors(options: StorageOptions, organizationId: string): TenantExecutors {
  const { executor, isShared = false } = options
  return {
    executor: guardOf(options)({ organizationIds: [organizationId] }),
    submissions: isShared ? refusingExecutor(executor) : executor,
  }
}
