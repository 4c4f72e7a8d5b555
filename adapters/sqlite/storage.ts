import type { Storage } from '../../ports/storage.ts'
import { createAdministration } from './access/administration.ts'
import { createAudit } from './access/audit.ts'
import { createFormDirectory } from './access/form-directory.ts'
import { createKeyUpkeep } from './access/key-upkeep.ts'
import { createKeyedStorage } from './access/keyed-storage.ts'
import { operatorChanges } from './access/operator-changes.ts'
import { createOperatorKeys } from './access/operator-keys.ts'
import { createAnalytics } from './analytics/analytics.ts'
import { createExitSurvey } from './analytics/exit-survey.ts'
import { createImportDirectory } from './imports/directory.ts'
import { createImportSessions } from './imports/sessions.ts'
import { createSendLog } from './outbox/send-log.ts'
import { createOutboxStore } from './outbox/store.ts'
import { guardOf, tenantExecutors, type StorageOptions } from './storage-options.ts'
import { createErasureLedger } from './whole/erasure-ledger.ts'
import { createRetentionDirectory } from './whole/retention.ts'
import { createWholeStore } from './whole/store.ts'
import { createTenantWriter } from './write/tenant.ts'

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
    operatorChanges: operatorChanges(executor, clock, (of) => guardOf({ ...options, executor: of })),
    outbox: createOutboxStore(executor, guard),
    analytics: createAnalytics(guard),
    exitSurvey: createExitSurvey(guard),
    tenant: (organizationId) =>
      createTenantWriter(tenantExecutors(options, organizationId), clock, organizationId),
    imports: (organizationId) =>
      createImportSessions(guard({ organizationIds: [organizationId] }), clock, organizationId),
    importDirectory: createImportDirectory(executor),
    retentionDirectory: createRetentionDirectory(executor, guard),
    erasures: createErasureLedger(executor),
    whole: (organizationId) =>
      createWholeStore({
        guard,
        clock,
        organizationId,
        rowsMax: options.isShared === true ? SHARED_ROWS_MAX : ROWS_MAX,
      }),
  }
}
