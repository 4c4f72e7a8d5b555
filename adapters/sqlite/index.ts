import type { Administration } from '../../ports/administration.ts'
import type { Analytics } from '../../ports/analytics.ts'
import type { Audit } from '../../ports/audit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { ImportDirectory, ImportSessions } from '../../ports/import-sessions.ts'
import type { KeyedStorage } from '../../ports/keyed-storage.ts'
import type { OpenOperatorChanges } from '../../ports/operator-changes.ts'
import type { OperatorKeys } from '../../ports/operator-keys.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { SendLog } from '../../ports/send-log.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
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
import type { Executor } from './statement/executor.ts'
import { createTenantWriter } from './write/tenant.ts'

export type { BoundValue, Executor, ResultRow, Statement, StatementResult } from './statement/executor.ts'
export { countRows, createMeter } from './statement/meter.ts'
export { readsAlone } from './statement/reads-alone.ts'
export { splitStatements } from './statement/split-statements.ts'
export { earliestDue } from './outbox/turns.ts'

export interface StorageOptions {
  /** Runs statements on a database that has every migration of `migrations/`. */
  readonly executor: Executor
  readonly clock: Clock
}

/** Every storage port over one SQLite database. */
export interface SqliteStorage {
  readonly keyed: KeyedStorage
  readonly administration: Administration
  readonly operatorKeys: OperatorKeys
  readonly audit: Audit
  readonly operatorChanges: OpenOperatorChanges
  readonly forms: FormDirectory
  readonly outbox: OutboxStore
  readonly sends: SendLog
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  /** Opens one organization for writing. No I/O. */
  readonly tenant: (organizationId: string) => TenantWriter
  /** Opens the imports of one organization. No I/O. */
  readonly imports: (organizationId: string) => ImportSessions
  readonly importDirectory: ImportDirectory
}

/** Opens the storage. No I/O. Cheap enough to be done for each request, so that each can have a meter of its own. */
export function createStorage({ executor, clock }: StorageOptions): SqliteStorage {
  const tenant = (organizationId: string) => createTenantWriter(executor, clock, organizationId)
  return {
    keyed: createKeyedStorage(executor, clock),
    administration: createAdministration(executor, clock),
    operatorKeys: createOperatorKeys(executor, clock),
    audit: createAudit(executor),
    operatorChanges: operatorChanges(executor, clock),
    forms: createFormDirectory(executor, tenant),
    outbox: createOutboxStore(executor),
    sends: createSendLog(executor),
    analytics: createAnalytics(executor),
    exitSurvey: createExitSurvey(executor),
    tenant,
    imports: (organizationId) => createImportSessions(executor, clock, organizationId),
    importDirectory: createImportDirectory(executor),
  }
}
