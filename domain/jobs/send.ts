import type { EmailMessage } from '../../ports/email-sender.ts'
import type { SendRecord } from '../../ports/send-log.ts'
import type { SendResult } from '../../ports/send-result.ts'
import type { SmsMessage } from '../../ports/sms-sender.ts'
import { toInstant } from '../text/instant.ts'
import { formatMailbox } from './sender.ts'
import type { Verdict } from './verdict.ts'
import { postponed } from './verdict.ts'
import { within } from './within.ts'
import type { JobWorld } from './world.ts'

/** Longest wait for one send. Senders have deadlines of their own; this is for one that does not keep to it. */
const SEND_TIMEOUT_MS = 15_000

/** An entry for which no provider is configured is looked at again after this long. */
export const UNCONFIGURED_MS = 10 * 60_000
/** A provider that asks for patience gets at least this much. */
const THROTTLED_MS = 60_000
/** However long a provider asks to wait, an entry is looked at once in this while. */
const WAIT_MAX_MS = 6 * 3_600_000

/** Sends one email and says what that means for the entry. The key is also the id under which the send is recorded. */
export async function sendEmail(message: EmailMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { email } = world
  if (email === null) return postponed('No email provider is configured.', UNCONFIGURED_MS)
  const to = { channel: 'email', from: formatMailbox(message.from), to: message.to } as const
  return settled(await attempt(() => email.send(message, key), world), { sendId: key, ...to }, world)
}

/** Sends one text message; see `sendEmail`. */
export async function sendSms(message: SmsMessage, key: string, world: JobWorld): Promise<Verdict> {
  const { sms } = world
  if (sms === null) return postponed('No SMS provider is configured.', UNCONFIGURED_MS)
  const from = message.from.kind === 'number' ? message.from.number : sms.shortcode
  const channel = message.mediaUrls.length > 0 ? 'mms' : 'sms'
  const result = await attempt(() => sms.send(message, key), world)
  return settled(result, { sendId: key, channel, from, to: message.to }, world)
}

async function attempt(send: () => Promise<SendResult>, { deadline, log }: JobWorld): Promise<SendResult> {
  try {
    return await within(deadline, SEND_TIMEOUT_MS, send())
  } catch (cause) {
    log.error('send_broke', {}, cause)
    return {
      kind: 'unavailable',
      reason: 'The provider did not answer.',
      throttled: false,
      retryAfterMs: null,
    }
  }
}

type Sent = Pick<SendRecord, 'sendId' | 'channel' | 'from' | 'to'>

function settled(result: SendResult, sent: Sent, { clock }: JobWorld): Verdict {
  const at = toInstant(clock.nowMs())
  const failed = (error: string): SendRecord => ({ ...sent, providerId: null, outcome: 'failed', error, at })
  switch (result.kind) {
    case 'accepted': {
      const { providerId } = result
      return { kind: 'done', sends: [{ ...sent, providerId, outcome: 'accepted', error: null, at }] }
    }
    case 'refused':
      return { kind: 'failed', reason: result.reason, sends: [failed(result.reason)] }
    case 'unavailable': {
      const { reason, throttled, retryAfterMs } = result
      const askedMs = Math.min(retryAfterMs ?? 0, WAIT_MAX_MS)
      const waitMs = throttled ? Math.max(askedMs, THROTTLED_MS) : askedMs
      return { kind: 'unavailable', reason, counted: !throttled, retryAfterMs: waitMs, send: failed(reason) }
    }
  }
}
