import type { Clock } from '../../ports/clock.ts'
import type { Storage } from '../../ports/storage.ts'
import { createAdministration } from './access/administration.ts'
import { createAudit } from './access/audit.ts'
import { createFormDirectory } from './access/form-directory.ts'
import { createKeyedStorage } from './access/keyed-storage.ts'
import { operatorChanges } from './access/operator-changes.ts'
import { createOperatorKeys } from './access/operator-keys.ts'
import { createAnalytics } from './analytics/analytics.ts'
import { createExitSurvey } from './analytics/exit-survey.ts'
import { createImportDirectory } from './imports/directory.ts'
import { createImportSessions } from './imports/sessions.ts'
import { createSendLog } from './outbox/send-log.ts'
import { createOutboxStore } from './outbox/store.ts'
import { placementGuard, refusingExecutor, unguarded } from './placement/guard.ts'
import type { CountedBatch, Executor } from './statement/executor.ts'
import { createTenantWriter } from './write/tenant.ts'

export type {
  BoundValue,
  CountedBatch,
  CountedResults,
  Executor,
  ResultRow,
  Statement,
  StatementResult,
} from './statement/executor.ts'
export { createPlaceDirectory } from './placement/directory.ts'
export { countRows, createMeter } from './statement/meter.ts'
export { readsAlone } from './statement/reads-alone.ts'
export { splitStatements } from './statement/split-statements.ts'
export { earliestDue } from './outbox/turns.ts'

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
  /** Counts requests with keys, where all of an organization's reach the same counter. Left out: none are counted. */
  readonly countedBatch?: CountedBatch
}

/** Every storage port over one SQLite database. */
export type SqliteStorage = Storage

/** Opens the storage. No I/O. Cheap enough to be done for each request, so that each can have a meter of its own. */
export function createStorage(options: StorageOptions): SqliteStorage {
  const { executor, clock, isShared = false } = options
  const guarded = (of: Executor) => (isShared ? placementGuard(of, clock) : unguarded(of))
  const guard = guarded(executor)
  const submissions = isShared ? refusingExecutor(executor) : executor
  const tenant = (organizationId: string) =>
    createTenantWriter(
      { executor: guard({ organizationIds: [organizationId] }), submissions },
      clock,
      organizationId,
    )
  return {
    keyed: createKeyedStorage(options),
    administration: createAdministration(executor, clock, guard),
    operatorKeys: createOperatorKeys(executor, clock),
    audit: createAudit(executor),
    operatorChanges: operatorChanges(executor, clock, guarded),
    forms: createFormDirectory(executor, tenant),
    outbox: createOutboxStore(executor, guard),
    sends: createSendLog(guard),
    analytics: createAnalytics(guard),
    exitSurvey: createExitSurvey(guard),
    tenant,
    imports: (organizationId) =>
      createImportSessions(guard({ organizationIds: [organizationId] }), clock, organizationId),
    importDirectory: createImportDirectory(executor),
  }
}
