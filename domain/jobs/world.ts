import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { EmailSender } from '../../ports/email-sender.ts'
import type { Log } from '../../ports/log.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { RandomSource } from '../../ports/random-source.ts'
import type { SmsSender } from '../../ports/sms-sender.ts'
import type { MailIdentity } from '../messaging/sender.ts'

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
