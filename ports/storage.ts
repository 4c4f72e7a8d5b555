import type { Administration, KeyUpkeep, KeyedStorage, OperatorKeys } from './organizations.ts'
import type { Analytics } from './analytics.ts'
import type { Audit, OpenOperatorChanges, People } from './operators.ts'
import type { ExitSurveySource } from './sources.ts'
import type { FormDirectory, TenantWriter } from './records.ts'
import type { ImportDirectory, ImportSessions } from './import-sessions.ts'
import type { SendLog } from './messaging.ts'
import type { OutboxStore, TenantWebhooks } from './outbox.ts'
import type { ErasureLedger, RetentionDirectory, OrganizationStore } from './organization-store.ts'

/** Every storage port, over one database or over all of them together. */
export interface Storage {
  readonly keyed: KeyedStorage
  readonly keyUpkeep: KeyUpkeep
  readonly forms: FormDirectory
  readonly sends: SendLog
  readonly administration: Administration
  readonly operatorKeys: OperatorKeys
  readonly audit: Audit
  /** Only that of the shared database is used. */
  readonly people: People
  readonly operatorChanges: OpenOperatorChanges
  readonly outbox: OutboxStore
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  /** Opens one organization for writing. No I/O. */
  readonly tenant: (organizationId: string) => TenantWriter
  /** Opens the webhooks of one organization. No I/O. */
  readonly webhooks: (organizationId: string) => TenantWebhooks
  /** Opens the imports of one organization. No I/O. */
  readonly imports: (organizationId: string) => ImportSessions
  readonly importDirectory: ImportDirectory
  readonly retentionDirectory: RetentionDirectory
  /** Only that of the shared database is used. */
  readonly erasures: ErasureLedger
  /** Opens everything that is stored of one organization. No I/O. */
  readonly organizationStore: (organizationId: string) => OrganizationStore
}
