import type { Storage } from '../../ports/storage.ts'
import { createAdministration } from './access/organizations.ts'
import { createAudit, operatorChanges, createOperatorKeys } from './access/operators.ts'
import { createFormDirectory } from './write/submission.ts'
import { createKeyUpkeep, createKeyedStorage } from './access/keyed-storage.ts'
import { createPeople } from './access/people.ts'
import { createAnalytics, createExitSurvey } from './analytics.ts'
import { createImportDirectory } from './imports/session-states.ts'
import { createImportSessions } from './imports/sessions.ts'
import { createSendLog } from './outbox/send-log.ts'
import { createOutboxStore } from './outbox/store.ts'
import { createTenantWebhooks } from './outbox/webhooks.ts'
import { guardOf, tenantExecutors, type StorageOptions } from './placement/guard.ts'
import { createErasure } from './erasure/erasure.ts'
import { createErasureLedger, createDeletion, removeRows } from './erasure/removal.ts'
import { createRetention, createRetentionDirectory } from './erasure/retention.ts'
import { createArchive } from './archive.ts'
import { nowOf } from './statement/compiler.ts'
import { createTenantWriter } from './write/tenant-writer.ts'

export type {
  BoundValue,
  CountedBatch,
  CountedResults,
  Executor,
  ResultRow,
  Statement,
  StatementResult,
} from './statement/executor.ts'
export type { StorageOptions } from './placement/guard.ts'
export { createPlaceDirectory } from './placement/directory.ts'
export { countRows, createMeter } from './statement/executor.ts'
export { readsAlone } from './statement/executor.ts'
export { splitStatements } from './migration.ts'
export { earliestDue } from './outbox/store.ts'

/**
 * How many rows of an organization one step restores. Where families share the database, others wait
 * meanwhile, so it is small.
 */
const SHARED_ROWS_MAX = 500
const ROWS_MAX = 2_000

/** Every storage port over one SQLite database. */
export type SqliteStorage = Storage

/** Opens the storage. No I/O. Cheap enough to be done for each request, so that each can have a meter of its own. */
export function createStorage(options: StorageOptions): SqliteStorage {
  const { executor, clock } = options
  const guard = guardOf(options)
  return {
    keyed: createKeyedStorage(options),
    keyUpkeep: createKeyUpkeep(guard),
    forms: createFormDirectory(options),
    sends: createSendLog(guard),
    administration: createAdministration(executor, clock, guard),
    operatorKeys: createOperatorKeys(executor, clock),
    audit: createAudit(executor),
    people: createPeople(executor),
    operatorChanges: operatorChanges(executor, clock, (of) => guardOf({ ...options, executor: of })),
    outbox: createOutboxStore(executor, guard),
    analytics: createAnalytics(guard),
    exitSurvey: createExitSurvey(guard),
    tenant: (organizationId) =>
      createTenantWriter(tenantExecutors(options, organizationId), clock, organizationId),
    webhooks: (organizationId) =>
      createTenantWebhooks(guard({ organizationIds: [organizationId] }), organizationId),
    imports: (organizationId) =>
      createImportSessions(guard({ organizationIds: [organizationId] }), clock, organizationId),
    importDirectory: createImportDirectory(executor),
    retentionDirectory: createRetentionDirectory(executor, guard),
    erasures: createErasureLedger(executor),
    organizationStore: (organizationId) => {
      const own = guard({ organizationIds: [organizationId] })
      return {
        ...createArchive(own, organizationId, options.isShared === true ? SHARED_ROWS_MAX : ROWS_MAX),
        ...createErasure(own, clock, organizationId),
        ...createDeletion(own, organizationId),
        ...createRetention(own, organizationId),
        removeRows: (collection, keys) => removeRows(own, organizationId, collection, keys, nowOf(clock)),
      }
    },
  }
}
