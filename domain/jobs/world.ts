import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { MailIdentity } from '../messaging/request/sender.ts'

/** The ports that work on the outbox needs. */
export interface JobWorld {
  readonly outbox: OutboxStore
  /** Null: no provider is configured, and entries that need one wait. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own sender domain and name; null together with `email`. */
  readonly mail: MailIdentity | null
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}
