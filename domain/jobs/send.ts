import type { EmailMessage } from '../../ports/email-sender.ts'
import type { SendResult } from '../../ports/send-result.ts'
import type { SmsMessage } from '../../ports/sms-sender.ts'
import type { SendIdentity } from '../messaging/attempt.ts'
import { attemptSend, logCause, recordOf, smsIdentity } from '../messaging/attempt.ts'
import { formatMailbox } from '../messaging/sender.ts'
import type { Verdict } from './verdict.ts'
import { postponed } from './verdict.ts'
import type { JobWorld } from './world.ts'

/** An entry for which no provider is configured is looked at again after this long. */
export const UNCONFIGURED_MS = 10 * 60_000
/** The least pause after a provider asks to wait. */
const THROTTLED_MS = 60_000
/** However long a provider asks to wait, the entry is tried again at least this often. */
const WAIT_MAX_MS = 6 * 3_600_000

/**
 * Sends one email and says what that means for the entry. The key is also the id under which the send is recorded. An
 * email that is refused goes out without its address for replies, which a visitor may have mistyped, once: that is
 * another email to the provider, so it has a key of its own. Whoever repeats this after a crash is refused the first
 * one again, and the provider recognises the second.
 */
export async function sendEmail(message: EmailMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { email } = world
  if (email === null) return postponed('No email provider is configured.', UNCONFIGURED_MS)
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

/** Sends one text message; see `sendEmail`. */
export async function sendSms(message: SmsMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { sms } = world
  if (sms === null) return postponed('No SMS provider is configured.', UNCONFIGURED_MS)
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
