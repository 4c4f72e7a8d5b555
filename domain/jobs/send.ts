import type { EmailMessage } from '../../ports/messaging/email-sender.ts'
import type { SendResult } from '../../ports/messaging/send-result.ts'
import type { SmsMessage } from '../../ports/messaging/sms-sender.ts'
import type { SendIdentity } from '../messaging/sending/attempt.ts'
import { attemptSend, logCause, recordOf, smsIdentity } from '../messaging/sending/attempt.ts'
import { formatMailbox } from '../messaging/request/sender.ts'
import type { Verdict } from './verdict.ts'
import { postponed } from './verdict.ts'
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

/**
 * Sends one email and returns the verdict for the entry. The key is also the id under which the send is recorded. When
 * the provider refuses an email, it is sent once more without its reply address, which a visitor may have mistyped. For
 * the provider that is another email, so it has its own key. When all this is repeated after a crash, the first email
 * is refused again, and the provider recognises the second.
 */
export async function attemptEmail(message: EmailMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { email } = world
  if (email === null) return noEmailProvider
  const identity = {
    channel: 'email',
    from: formatMailbox(message.from),
    to: message.to,
    sendId: key,
  } as const
  const result = await attemptSend(() => email.send(message, key), world)
  if (result.kind !== 'refused' || message.replyTo === null) return verdictOf(result, identity, world)
  const withoutReplies = { ...message, replyTo: null }
  const second = await attemptSend(() => email.send(withoutReplies, withoutRepliesKey(key)), world)
  return verdictOf(second, identity, world)
}

function withoutRepliesKey(key: string): string {
  return `${key}-without-reply-to`
}

/** Sends one text message; see `attemptEmail`. */
export async function attemptSms(message: SmsMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { sms } = world
  if (sms === null) return noSmsProvider
  const identity = { ...smsIdentity(message, sms), to: message.to, sendId: key }
  return verdictOf(await attemptSend(() => sms.send(message, key), world), identity, world)
}

function verdictOf(result: SendResult, identity: SendIdentity, { clock, log }: JobWorld): Verdict {
  logCause(result, identity.sendId, log)
  switch (result.kind) {
    case 'accepted':
      return { kind: 'done', sends: [recordOf(identity, result, clock)] }
    case 'refused': {
      const { reason } = result
      return { kind: 'failed', reason, sends: [recordOf(identity, { error: reason }, clock)] }
    }
    case 'unavailable': {
      const { reason, throttled, retryAfterMs } = result
      const askedMs = Math.min(retryAfterMs ?? 0, WAIT_MAX_MS)
      const waitMs = throttled ? Math.max(askedMs, THROTTLED_MS) : askedMs
      const send = recordOf(identity, { error: reason }, clock)
      return { kind: 'unavailable', reason, counted: !throttled, retryAfterMs: waitMs, send }
    }
  }
}
