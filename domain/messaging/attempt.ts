import type { Clock, Deadline, Log } from '../../ports/platform.ts'
import type { SendRecord, SendResult, SmsMessage, SmsSender } from '../../ports/messaging.ts'
import { within } from '../limits/waiting.ts'
import { cutText } from '../text/typed-text.ts'
import { toInstant } from '../text/instant.ts'
import { broken } from './send-results.ts'

/**
 * The maximum duration of one send, in ms. Senders have deadlines of their own; this one guards against a sender that
 * does not keep its deadline.
 */
const SEND_TIMEOUT_MS = 15_000

/**
 * The maximum length of a recorded sender or recipient. Every address with its display name fits; longer text is no
 * address.
 */
const RECORDED_MAX_LENGTH = 400

/** Hands one message to a sender once. Never rejects, and resolves within 15 seconds, whatever the sender does. */
export async function attemptSend(
  send: () => Promise<SendResult>,
  { deadline }: { readonly deadline: Deadline },
): Promise<SendResult> {
  try {
    return await within(deadline, SEND_TIMEOUT_MS, send())
  } catch (cause) {
    return broken('The provider did not answer.', cause)
  }
}

/**
 * Logs an exception that was caught while a message was handed over, or why the provider's response could not be read.
 * It may be a mistake in this program that looks like a provider that does not answer.
 */
export function logCause(result: SendResult, sendId: string, log: Log): void {
  if (result.cause === undefined) return
  const reason = result.kind === 'accepted' ? 'The message was accepted.' : result.reason
  log.error('send_broke', { sendId, reason }, result.cause)
}

/** The part of a send's record that is known before it is sent. */
export type SendIdentity = Pick<SendRecord, 'sendId' | 'channel' | 'from' | 'to'>

/** How a text message is recorded: its channel, and the number or short code that its recipient sees. */
export function smsIdentity(
  { from, mediaUrls }: Pick<SmsMessage, 'from' | 'mediaUrls'>,
  { shortcode }: Pick<SmsSender, 'shortcode'>,
): Pick<SendIdentity, 'channel' | 'from'> {
  return {
    channel: mediaUrls.length > 0 ? 'mms' : 'sms',
    from: from.kind === 'number' ? from.number : shortcode,
  }
}

/** The record of a send that is about to begin. */
export function pendingRecord(identity: SendIdentity, clock: Clock): SendRecord {
  return {
    ...identity,
    from: cutText(identity.from, RECORDED_MAX_LENGTH),
    to: cutText(identity.to, RECORDED_MAX_LENGTH),
    providerId: null,
    outcome: 'pending',
    error: null,
    at: toInstant(clock.nowMs()),
  }
}

/** The record of a send that has ended: with the provider's id, or why it failed. */
export function endedRecord(
  pending: SendRecord,
  ending: { readonly providerId: string | null } | { readonly error: string },
): SendRecord {
  return 'error' in ending
    ? { ...pending, outcome: 'failed', error: ending.error }
    : { ...pending, outcome: 'accepted', providerId: ending.providerId }
}

/** After how long a send that is still pending has an unknown outcome, in ms: nobody works at it any more. */
export const UNKNOWN_AFTER_MS = 600_000

/** What is said of a send whose outcome is unknown. */
export const UNKNOWN = 'Unknown: the request was cut off, and the message may or may not have been sent.'
