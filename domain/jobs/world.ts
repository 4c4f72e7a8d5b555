import type { Clock } from '../../ports/platform/clock.ts'
import type { Deadline } from '../../ports/platform/deadline.ts'
import type { EmailSender } from '../../ports/messaging/email-sender.ts'
import type { Log } from '../../ports/platform/log.ts'
import type { OutboxStore } from '../../ports/messaging/outbox-store.ts'
import type { RandomSource } from '../../ports/platform/random-source.ts'
import type { SmsSender } from '../../ports/messaging/sms-sender.ts'
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
