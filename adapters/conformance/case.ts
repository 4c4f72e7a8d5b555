import type {
  Administration,
  Analytics,
  Audit,
  Clock,
  ErasureLedger,
  ExitSurveySource,
  FormDirectory,
  ImportDirectory,
  ImportSessions,
  KeyedStorage,
  OpenOperatorChanges,
  OperatorKeys,
  Organization,
  OutboxStore,
  RetentionDirectory,
  SendLog,
  StoredKey,
  TenantWebhooks,
  TenantWriter,
  OrganizationStore,
} from '../../ports/index.ts'

/** An outbox entry as `outboxOf` shows it. */
export interface SeenOutboxEntry {
  readonly outboxId: string
  readonly submissionId: string
  readonly kind: string
  readonly payload: unknown
  readonly status: string
}

/** A store under test: its ports, and what the ports do not show. */
export interface StorageInstance {
  readonly keyed: KeyedStorage
  readonly administration: Administration
  readonly operatorKeys: OperatorKeys
  readonly operatorChanges: OpenOperatorChanges
  readonly audit: Audit
  readonly forms: FormDirectory
  readonly outbox: OutboxStore
  readonly sends: SendLog
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  tenant(organizationId: string): TenantWriter
  readonly webhooks: (organizationId: string) => TenantWebhooks
  readonly imports: (organizationId: string) => ImportSessions
  readonly importDirectory: ImportDirectory
  readonly organizationStore: (organizationId: string) => OrganizationStore
  readonly retentionDirectory: RetentionDirectory
  readonly erasures: ErasureLedger
  /** Reads the outbox of an organization directly, without the ports. */
  outboxOf(organizationId: string): Promise<readonly SeenOutboxEntry[]>
}

/** An organization and a key of it. */
export interface SavedTenant {
  readonly organization: Organization
  readonly key: StoredKey
}

/** Makes stores to test. */
export interface MakeStorage {
  /** Makes a fresh, empty store that tells the time by `clock`. */
  (clock: Clock): Promise<StorageInstance>
  /**
   * Makes a store that holds these tenants and nothing else, as if they had been saved through its ports. Most cases
   * begin with one. When this is left out, they save the tenants themselves, as the cases of organizations and keys
   * always do.
   */
  readonly holding?: (clock: Clock, tenants: readonly SavedTenant[]) => Promise<StorageInstance>
}

/** One promise of the storage ports, with the check that an adapter keeps it. Rejects when it does not. */
export interface StorageCase {
  readonly name: string
  run(make: MakeStorage): Promise<void>
}
