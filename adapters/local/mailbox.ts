import { smsIdentity } from '../../domain/messaging/sending/attempt.ts'
import { broken } from '../../domain/messaging/sending/send-results.ts'
import { AUTO_SUBMITTED, formatMailbox } from '../../domain/messaging/request/sender.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/platform.ts'
import type { EmailSender, SendResult, SmsSender } from '../../ports/messaging.ts'
import type { Executor } from '../sqlite/statement/executor.ts'
import type { MailboxMessage, NewMessage, Wanted } from './mailbox-store.ts'

/** Takes the place of email and SMS providers on a developer's machine: it keeps what it is given. */
export interface Mailbox {
  readonly email: EmailSender
  readonly sms: SmsSender
  /** The messages, newest first, at most `limit`. */
  list(limit: number, wanted?: Wanted): Promise<readonly MailboxMessage[]>
  /** Deletes a message, or without an id every one. Their idempotency keys stay known. */
  delete(messageId?: string): Promise<void>
  /** The HTML of a message; null when there is no such message, or it has none. */
  html(messageId: string): Promise<string | null>
  /** An attachment's name and content in base64; null when there is none, or it was too large to be kept. */
  attachment(
    messageId: string,
    position: number,
  ): Promise<{ readonly filename: string; readonly content: string } | null>
}

/** Loads what keeps messages, which a deployed service never needs. */
const loadStore = () => import('./mailbox-store.ts')

/** The fictitious short code of local text messages. */
const SHORTCODE = '00000'

/** A mailbox in a database that has the mailbox's tables. It honours idempotency keys for ever. */
export function createMailbox(executor: Executor, clock: Clock): Mailbox {
  const keep = async (key: string, message: Omit<NewMessage, 'messageId' | 'at'>): Promise<SendResult> => {
    const messageId = `local_${key}`
    try {
      const { keepMessage } = await loadStore()
      await keepMessage(executor, { ...message, messageId, at: toInstant(clock.nowMs()) })
      return { kind: 'accepted', providerId: messageId }
    } catch (cause) {
      return broken('The local mailbox did not take it.', cause)
    }
  }
  const capabilities = { idempotencyMs: Number.MAX_SAFE_INTEGER }
  return {
    email: {
      capabilities,
      send: ({ from, isAutomatic, ...message }, key) =>
        keep(key, {
          ...message,
          channel: 'email',
          from: formatMailbox(from),
          mediaUrls: [],
          headers: isAutomatic ? AUTO_SUBMITTED : {},
        }),
    },
    sms: {
      capabilities,
      shortcode: SHORTCODE,
      send: (message, key) =>
        keep(key, {
          ...smsIdentity(message, { shortcode: SHORTCODE }),
          to: message.to,
          subject: null,
          html: null,
          text: message.body,
          replyTo: null,
          mediaUrls: message.mediaUrls,
          attachments: [],
          headers: {},
        }),
    },
    list: async (limit, wanted) => (await loadStore()).listMessages(executor, limit, wanted),
    delete: async (messageId) => (await loadStore()).deleteMessages(executor, messageId ?? null),
    html: async (messageId) => (await loadStore()).findHtml(executor, messageId),
    attachment: async (messageId, position) => (await loadStore()).findContent(executor, messageId, position),
  }
}
