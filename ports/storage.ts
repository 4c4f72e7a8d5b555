import type { Administration } from './organizations/administration.ts'
import type { Analytics } from './records/analytics.ts'
import type { Audit } from './operators/audit.ts'
import type { ExitSurveySource } from './sources/exit-survey-source.ts'
import type { FormDirectory } from './records/form-directory.ts'
import type { ImportDirectory, ImportSessions } from './records/import-sessions.ts'
import type { KeyUpkeep } from './organizations/key-upkeep.ts'
import type { KeyedStorage } from './organizations/keyed-storage.ts'
import type { OpenOperatorChanges } from './operators/operator-changes.ts'
import type { OperatorKeys } from './operators/operator-keys.ts'
import type { OutboxStore } from './messaging/outbox-store.ts'
import type { SendLog } from './messaging/send-log.ts'
import type { TenantWriter } from './records/tenant-writer.ts'
import type { ErasureLedger } from './whole/erasure-ledger.ts'
import type { RetentionDirectory } from './whole/retention.ts'
import type { WholeStore } from './whole/whole-store.ts'

/** Every storage port, over one database or over all of them together. */
export interface Storage {
  readonly keyed: KeyedStorage
  readonly keyUpkeep: KeyUpkeep
  readonly forms: FormDirectory
  readonly sends: SendLog
  readonly administration: Administration
  readonly operatorKeys: OperatorKeys
  readonly audit: Audit
  readonly operatorChanges: OpenOperatorChanges
  readonly outbox: OutboxStore
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  /** Opens one organization for writing. No I/O. */
  readonly tenant: (organizationId: string) => TenantWriter
  /** Opens the imports of one organization. No I/O. */
  readonly imports: (organizationId: string) => ImportSessions
  readonly importDirectory: ImportDirectory
  readonly retentionDirectory: RetentionDirectory
  /** Only that of the shared database is used. */
  readonly erasures: ErasureLedger
  /** Opens everything that is stored of one organization. No I/O. */
  readonly whole: (organizationId: string) => WholeStore
}
