import * as v from 'valibot'
import type { Clock, Log } from '../../ports/platform.ts'
import { described } from '../record/meaning.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'

function text(meaning: string, example: string) {
  return v.pipe(described(v.string(), meaning), v.examples([example]))
}

const number = text('The number in E.164, or as it was given when it is not valid.', '+12125550123')
const address = text('The address as it was given.', 'ada@example.com')
const error = text(
  'Why it failed, and whether it may have been sent all the same.',
  'The recipient has opted out.',
)

const sentMessage = v.strictObject({ to: number, success: v.literal(true) })
const sentEmail = v.strictObject({
  to: address,
  success: v.literal(true),
  id: text("The provider's id of the email.", '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794'),
})
const unsentMessage = v.strictObject({ to: number, success: v.literal(false), error })
const unsentEmail = v.strictObject({ to: address, success: v.literal(false), error })

export const MALFORMED = 'Invalid request format' as const

/** The published responses of the two sends: one result for each entry of `to`, in its order. */
export const responses = {
  messageSent: v.strictObject({ success: v.literal(true), results: v.array(sentMessage) }),
  messagePartlySent: v.strictObject({
    success: v.literal(false),
    results: v.array(v.union([sentMessage, unsentMessage])),
  }),
  emailSent: v.strictObject({ success: v.literal(true), results: v.array(sentEmail) }),
  emailPartlySent: v.strictObject({
    success: v.literal(false),
    results: v.array(v.union([sentEmail, unsentEmail])),
  }),
  malformed: v.strictObject({ error: v.literal(MALFORMED), details: v.array(v.string()) }),
} as const

/** The results of all recipients: 200 when all succeeded, else 207. */
export function resultsReply<Outcome extends { readonly success: boolean }>(outcomes: readonly Outcome[]) {
  const sent = outcomes.filter((outcome): outcome is Sent<Outcome> => outcome.success)
  return sent.length === outcomes.length
    ? jsonReply(200, { success: true as const, results: sent }, PRIVATE)
    : jsonReply(207, { success: false as const, results: [...outcomes] }, PRIVATE)
}

type Sent<Outcome> = Extract<Outcome, { readonly success: true }>

/** The reply to a body that does not fit its schema. */
export function malformedReply(details: readonly string[]) {
  return jsonReply(400, { error: MALFORMED, details: [...details] }, PRIVATE)
}

/** Why an entry of `to` cannot be reached. */
export const INVALID_NUMBER = 'This is not a valid phone number in E.164, ten digits or dashed ten digits.'
export const INVALID_ADDRESS = 'This is not a valid email address.'

export const NO_NUMBER =
  'Sending SMS is not configured for the tenant: it has no number. Set useShortcode to send without one.'
export const NO_SLUG = 'Sending email is not configured for the tenant: it has no slug to send from.'

/** The reply when the organization has nothing to send from. */
export function notConfiguredReply(error: string) {
  return errorReply(422, error)
}

const OTHER_BODY =
  'This Idempotency-Key has come with another request. Nothing was sent. Use a new key for another message.'
/** How soon a request that was too early may be repeated, in seconds. Few take longer. */
const REPEAT_AFTER_SECONDS = 60

/** Why a request with a key that has come before is not answered with results. */
type Repetition = { readonly kind: 'other_body' } | { readonly kind: 'busy'; readonly until: string }

/** The reply to a request whose key has come with another body, or is still at work. */
export function repeatedReply(repetition: Repetition, clock: Clock) {
  if (repetition.kind === 'other_body') return errorReply(422, OTHER_BODY)
  const { until } = repetition
  const leftSeconds = Math.ceil((Date.parse(until) - clock.nowMs()) / 1_000)
  const seconds = Math.max(1, Math.min(REPEAT_AFTER_SECONDS, leftSeconds))
  return errorReply(409, stillAtWork(until), { 'retry-after': String(seconds) })
}

/** Says when a request may be repeated whose key is still at work. */
export function stillAtWork(until: string): string {
  return `A request with this Idempotency-Key is still at work. Repeat this one in a minute, with the same key. After ${until} the first one counts as cut off.`
}

/**
 * The reply when the service has no provider. That is not the caller's fault, so it is also logged for the operator.
 */
export function noProviderReply(channel: 'email' | 'SMS', requestId: string, log: Log) {
  log.error('no_provider', { channel, requestId })
  return errorReply(
    500,
    `No ${channel} provider is configured on this service. Nothing was sent. Request id: ${requestId}`,
  )
}
