import { broken, judgeAnswer, throttled, unavailable } from '../../domain/messaging/send-results.ts'
import { AUTO_SUBMITTED, formatMailbox } from '../../domain/messaging/sender.ts'
import { toBase64Url, utf8 } from '../../domain/text/encoding.ts'
import { retryAfterMs } from '../../domain/text/http.ts'
import type { Clock, Deadline } from '../../ports/platform.ts'
import type { EmailMessage, EmailSender, SendRef, SendResult } from '../../ports/messaging.ts'

export { RESEND_URL } from './api-url.ts'

/** How long Resend recognises an idempotency key (its documentation, "Idempotency Keys"). */
const IDEMPOTENCY_MS = 24 * 3_600_000
const TIMEOUT_MS = 10_000
/** The pause after a rate limit that names none: its window is a second. */
const RATE_LIMIT_MS = 1_000
/** Resend refuses requests without a `User-Agent`, and a Worker sends none by itself. */
const USER_AGENT = 'tenant-data-api/1.0'

export interface ResendOptions {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
  readonly clock: Clock
}

/** Sends email through Resend's HTTP API. */
export function createResendSender(options: ResendOptions): EmailSender {
  return {
    capabilities: { idempotencyMs: IDEMPOTENCY_MS },
    async send(message, idempotencyKey, recorded) {
      const signal = options.deadline.after(TIMEOUT_MS)
      try {
        const response = await options.fetch(`${options.baseUrl}/emails`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${options.apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': idempotencyKey,
            'user-agent': USER_AGENT,
          },
          body: JSON.stringify(requestBody(message, recorded)),
          // Following a redirect would send the key to another host.
          redirect: 'manual',
          signal,
        })
        return await judgeAnswer(response, signal, (members) =>
          resultOf(response, members, options.clock.nowMs()),
        )
      } catch (cause) {
        return broken('The email provider did not answer.', cause)
      }
    },
  }
}

function requestBody(
  { from, to, subject, html, text, replyTo, attachments, isAutomatic }: EmailMessage,
  recorded: SendRef | null,
): unknown {
  return {
    from: formatMailbox(from),
    to: [to],
    subject,
    html,
    ...(text === null ? {} : { text }),
    ...(replyTo === null ? {} : { reply_to: replyTo }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(isAutomatic ? { headers: AUTO_SUBMITTED } : {}),
    ...(recorded === null ? {} : { tags: tagsOf(recorded) }),
  }
}

/** How the names of the tags begin that say under what an email is recorded. Their number follows, from 1. */
export const TAG_PREFIX = 'send_'
const TAG_VALUE = /.{1,256}/g

/**
 * The tags that say under what an email is recorded, which Resend repeats in its events (its documentation, "Managing
 * Tags"). A tag consists of ASCII letters, digits, `_` and `-`, and has at most 256 characters. Ids may hold others and be
 * longer, so both ids together are encoded, and cut into as many tags as that takes.
 */
export function tagsOf({
  organizationId,
  sendId,
}: SendRef): readonly { readonly name: string; readonly value: string }[] {
  const encoded = toBase64Url(utf8(JSON.stringify([organizationId, sendId])))
  return (encoded.match(TAG_VALUE) ?? []).map((value, at) => ({ name: `${TAG_PREFIX}${at + 1}`, value }))
}

/**
 * The result for an answer, by Resend's list of errors. Resend's own messages may quote an address, so they are not
 * passed on.
 */
function resultOf(
  { status, headers }: Response,
  body: Readonly<Record<string, unknown>>,
  nowMs: number,
): SendResult {
  if (status >= 200 && status < 300) {
    return { kind: 'accepted', providerId: typeof body.id === 'string' ? body.id : null }
  }
  switch (status) {
    case 400:
    case 413:
    case 422:
    case 451:
      return { kind: 'refused', reason: 'The email provider refused the message.' }
    case 401:
    case 403:
      return throttled('The email provider refused the account or its sender domain.', null)
    case 409:
      // Resend has sent another email under this key. So the recipient was notified, and this one counts as sent.
      if (body.name === 'invalid_idempotent_request') return { kind: 'accepted', providerId: null }
      return unavailable('The email provider is still busy with an earlier attempt.')
    case 429: {
      // Besides the rate limit, Resend has daily and monthly quotas. Waiting for those would take too long for a
      // request.
      const usualMs = body.name === 'rate_limit_exceeded' ? RATE_LIMIT_MS : null
      const waitMs = retryAfterMs(headers.get('retry-after'), nowMs) ?? usualMs
      return throttled('The email provider asked for patience.', waitMs)
    }
    default:
      return unavailable(`The email provider answered with status ${status}.`)
  }
}
