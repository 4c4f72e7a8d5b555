import { broken, judgeAnswer, throttled, unavailable } from '../../domain/messaging/send-results.ts'
import { retryAfterMs } from '../../domain/text/http.ts'
import type { Clock, Deadline } from '../../ports/platform.ts'
import type { SendResult, SmsMessage, SmsSender } from '../../ports/messaging.ts'

export { TWILIO_URL } from './api-url.ts'

const TIMEOUT_MS = 10_000
/**
 * The pause after a 429 that names none. Such an answer (error 20429) means that too many requests were sent, and that
 * this one was not processed.
 */
const RATE_LIMIT_MS = 1_000

/** The shared short code at Twilio: the code itself, or a messaging service that contains it. */
export type SharedOrigin = { readonly shortcode: string } | { readonly messagingServiceSid: string }

export interface TwilioOptions {
  readonly accountSid: string
  readonly authToken: string
  readonly shared: SharedOrigin
  readonly baseUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
  readonly clock: Clock
}

/**
 * Sends SMS and MMS through Twilio's HTTP API; its npm package does not run on Workers. It knows no idempotency key.
 */
export function createTwilioSender(options: TwilioOptions): SmsSender {
  const { accountSid, authToken, shared, baseUrl } = options
  const url = `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
  return {
    capabilities: { idempotencyMs: 0 },
    shortcode: 'shortcode' in shared ? shared.shortcode : shared.messagingServiceSid,
    async send(message) {
      const signal = options.deadline.after(TIMEOUT_MS)
      try {
        const response = await options.fetch(url, {
          method: 'POST',
          headers: {
            authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: formOf(message, shared).toString(),
          // Following a redirect would send the token to another host.
          redirect: 'manual',
          signal,
        })
        return await judgeAnswer(response, signal, (members) =>
          resultOf(response, members, options.clock.nowMs()),
        )
      } catch (cause) {
        return broken('The SMS provider did not answer.', cause)
      }
    },
  }
}

function formOf({ from, to, body, mediaUrls }: SmsMessage, shared: SharedOrigin): URLSearchParams {
  const form = new URLSearchParams({ To: to, Body: body })
  if (from.kind === 'number') form.set('From', from.number)
  else if ('shortcode' in shared) form.set('From', shared.shortcode)
  else form.set('MessagingServiceSid', shared.messagingServiceSid)
  for (const mediaUrl of mediaUrls) form.append('MediaUrl', mediaUrl)
  return form
}

/** Twilio's error codes that a person can act on (its documentation, "Error and Warning Dictionary"). */
const REFUSALS: Readonly<Record<number, string>> = {
  21211: 'The number cannot receive messages.',
  21217: 'The number cannot receive messages.',
  21265: 'The number cannot receive messages.',
  21408: 'The account may not send to this region.',
  21606: 'The sender number cannot send messages.',
  21610: 'The recipient has opted out.',
  21612: 'The sender number cannot reach this recipient.',
  21614: 'The number cannot receive messages.',
  21617: 'The message is too long.',
  21620: 'A media URL is not valid.',
  21623: 'The message has too many media.',
  21659: 'The sender number cannot send messages.',
}

/** The result for an answer. Twilio's own messages quote numbers, so they are not passed on. */
function resultOf(
  { status, headers }: Response,
  body: Readonly<Record<string, unknown>>,
  nowMs: number,
): SendResult {
  if (status >= 200 && status < 300) {
    return { kind: 'accepted', providerId: typeof body.sid === 'string' ? body.sid : null }
  }
  switch (status) {
    case 400:
      return {
        kind: 'refused',
        reason: REFUSALS[Number(body.code)] ?? 'The SMS provider refused the message.',
      }
    case 401:
    case 403:
    case 404:
      return throttled('The SMS provider refused the account.', null)
    case 429:
      return throttled(
        'The SMS provider asked for patience.',
        retryAfterMs(headers.get('retry-after'), nowMs) ?? RATE_LIMIT_MS,
      )
    default:
      return unavailable(`The SMS provider answered with status ${status}.`)
  }
}
