import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { SendingWorld } from './sending/send-to-all.ts'
import type { MailIdentity } from './request/sender.ts'

/** The ports that the two sends need. */
export interface MessagingWorld extends SendingWorld {
  /** Null: no provider is configured, and nothing can be sent. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own sender domain and name; null together with `email`. */
  readonly mail: MailIdentity | null
}
