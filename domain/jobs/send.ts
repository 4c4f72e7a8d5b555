import type {
  EmailMessage,
  EmailSender,
  SendRecord,
  SendResult,
  SmsMessage,
  SmsSender,
} from '../../ports/messaging.ts'
import {
  attemptSend,
  endedRecord,
  logCause,
  pendingRecord,
  smsIdentity,
} from '../messaging/sending/attempt.ts'
import { formatMailbox } from '../messaging/request/sender.ts'
import { postponed, type Verdict } from './verdict.ts'
import type { JobWorld } from './world.ts'

/** After how long an entry is tried again when no provider is configured, in ms. */
const UNCONFIGURED_MS = 10 * 60_000
/** The verdict for an entry that needs an email provider when there is none. */
export const noEmailProvider = postponed('No email provider is configured.', UNCONFIGURED_MS)
/** The same for text messages. */
export const noSmsProvider = postponed('No SMS provider is configured.', UNCONFIGURED_MS)
/** The minimum pause after a provider asked to wait, in ms. */
const THROTTLED_MS = 60_000
/** The maximum pause after a provider asked to wait, in ms. */
const WAIT_MAX_MS = 6 * 3_600_000

/** A message that is ready to be handed over, once it is recorded. */
export interface PreparedSend {
  /** Its record, which must be written before. */
  readonly pending: SendRecord
  /** Hands it over, and returns the verdict for the entry. */
  readonly attempt: () => Promise<Verdict>
}

/**
 * Prepares one email. The key is also the id under which the send is recorded. When the provider refuses an email, it is
 * sent once more without its reply address, which a visitor may have mistyped. For the provider that is another email,
 * so it has its own key. When all this is repeated after a crash, the first email is refused again, and the provider
 * recognises the second.
 */
export function prepareEmail(
  message: EmailMessage,
  key: string,
  email: EmailSender,
  world: JobWorld,
): PreparedSend {
  const { to, replyTo } = message
  const identity = { channel: 'email', from: formatMailbox(message.from), to, sendId: key } as const
  const pending = pendingRecord(identity, world.clock)
  return {
    pending,
    async attempt() {
      const result = await attemptSend(() => email.send(message, key), world)
      if (result.kind !== 'refused' || replyTo === null) return verdictOf(result, pending, world)
      const withoutReplies = { ...message, replyTo: null }
      const second = await attemptSend(() => email.send(withoutReplies, withoutRepliesKey(key)), world)
      return verdictOf(second, pending, world)
    },
  }
}

function withoutRepliesKey(key: string): string {
  return `${key}-without-reply-to`
}

/** Prepares one text message; see `prepareEmail`. */
export function prepareSms(message: SmsMessage, key: string, sms: SmsSender, world: JobWorld): PreparedSend {
  const pending = pendingRecord({ ...smsIdentity(message, sms), to: message.to, sendId: key }, world.clock)
  return {
    pending,
    attempt: async () => verdictOf(await attemptSend(() => sms.send(message, key), world), pending, world),
  }
}

function verdictOf(result: SendResult, pending: SendRecord, { log }: JobWorld): Verdict {
  logCause(result, pending.sendId, log)
  switch (result.kind) {
    case 'accepted':
      return { kind: 'done', sends: [endedRecord(pending, result)] }
    case 'refused': {
      const { reason } = result
      return { kind: 'failed', reason, sends: [endedRecord(pending, { error: reason })] }
    }
    case 'unavailable': {
      const { reason, throttled, retryAfterMs } = result
      const askedMs = Math.min(retryAfterMs ?? 0, WAIT_MAX_MS)
      const waitMs = throttled ? Math.max(askedMs, THROTTLED_MS) : askedMs
      const send = endedRecord(pending, { error: reason })
      return { kind: 'unavailable', reason, counted: !throttled, retryAfterMs: waitMs, send }
    }
  }
}
