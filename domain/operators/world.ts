import type { Administration, KeyedStorage, Organization, OperatorKeys } from '../../ports/organizations.ts'
import type { Audit, OpenOperatorChanges, People } from '../../ports/operators.ts'
import type { Background, Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { EmailSender, SendLog, SmsSender } from '../../ports/messaging.ts'
import type { OutboxRef, OutboxStore, TenantWebhooks } from '../../ports/outbox.ts'
import type { SubmissionMarks, TenantWriter } from '../../ports/records.ts'
import type { MailIdentity } from '../messaging/sender.ts'
import type { Secrets } from '../access/secrets.ts'
import type { Moves } from '../placement/operators/moves.ts'
import type { Overview, DeletionPlaces, RestorePlaces } from '../placement/operators/overview.ts'
import type { BackupWorld } from '../organizations/backups.ts'
import type { ImportWorld } from '../imports/check.ts'
import type { ErasureLedger, OrganizationStore } from '../../ports/organization-store.ts'

/**
 * The ports that the operator interface needs. Stored data is only read through them: every change goes through
 * `changes`, which records it.
 */
export interface OperatorWorld {
  /** Proves keys of organizations with which somebody has signed in. */
  readonly storage: KeyedStorage
  readonly people: People
  readonly operatorKeys: OperatorKeys
  readonly administration: Pick<
    Administration,
    'findOrganization' | 'findKey' | 'listKeys' | 'countHashes' | 'findHashes'
  >
  /** Lists and reads over all databases. */
  readonly overview: Overview
  readonly moves: Moves
  readonly outbox: Pick<OutboxStore, 'list' | 'ofSubmission' | 'ownerOf'>
  /** The log of sends: read, and written by the test messages of automations alone. */
  readonly sends: SendLog
  /** Null: no provider is configured, so no test can be sent, and no link to sign in. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own sender domain and name; null together with `email`. */
  readonly mail: MailIdentity | null
  /**
   * Opens one organization. Forms and automations are saved and submissions marked through it: like imports, the wrapper
   * around the handlers records them.
   */
  readonly tenant: (
    organizationId: string,
  ) => Pick<
    TenantWriter,
    'findMany' | 'findPage' | 'foreignIds' | 'change' | 'formVersions' | 'formVersion' | keyof SubmissionMarks
  >
  readonly audit: Audit
  /**
   * Opens the imports of an organization. No I/O. Imports do not go through `changes`: the wrapper around their
   * handlers records them.
   */
  readonly imports: (organization: Organization) => ImportWorld
  /** Opens the webhooks of an organization. No I/O. Like imports, the wrapper around their handlers records changes. */
  readonly webhooks: (organizationId: string) => TenantWebhooks
  /** Whether the service runs on a developer's machine, where loopback addresses may be webhooks. */
  readonly isLocal: boolean
  /** Begins work on entries of the outbox after the response. Without it they wait for the next sweep. */
  readonly wake: (refs: readonly OutboxRef[]) => void
  /** Opens everything that is stored of an organization. No I/O. Like imports, restorations are recorded by the wrapper. */
  readonly organizationStore: (organizationId: string) => OrganizationStore
  readonly restorePlaces: RestorePlaces
  readonly deletionPlaces: DeletionPlaces
  /** Opens the store of backups; null: the service has none. */
  readonly backups: () => Promise<BackupWorld | null>
  readonly changes: OpenOperatorChanges
  /** Who was erased. */
  readonly erasures: ErasureLedger
  readonly secrets: Secrets
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly background: Background
  readonly log: Log
}
