import * as v from 'valibot'
import type { Log } from '../../ports/log.ts'
import type { Reply } from '../contract/reply.ts'
import { errorReply, jsonReply, PRIVATE } from '../contract/reply.ts'

const results = <Accepted extends v.GenericSchema>(accepted: Accepted) =>
  v.array(
    v.union([accepted, v.strictObject({ to: v.string(), success: v.literal(false), error: v.string() })]),
  )

const sentMessage = v.strictObject({ to: v.string(), success: v.literal(true) })
const sentEmail = v.strictObject({ to: v.string(), success: v.literal(true), id: v.string() })

/** The answers of the two sends, as they are published: one result for each entry of `to`, in its order. */
export const responses = {
  messageSent: v.strictObject({ success: v.literal(true), results: v.array(sentMessage) }),
  messagePartlySent: v.strictObject({ success: v.literal(false), results: results(sentMessage) }),
  emailSent: v.strictObject({ success: v.literal(true), results: v.array(sentEmail) }),
  emailPartlySent: v.strictObject({ success: v.literal(false), results: results(sentEmail) }),
  malformed: v.strictObject({ error: v.literal('Invalid request format'), details: v.array(v.string()) }),
} as const

export type MessageResult = v.InferOutput<typeof responses.messagePartlySent>['results'][number]
export type EmailResult = v.InferOutput<typeof responses.emailPartlySent>['results'][number]

/** What became of everybody: 200 when all succeeded, else 207. */
export function resultsReply(outcomes: readonly MessageResult[] | readonly EmailResult[]): Reply {
  const success = outcomes.every((outcome) => outcome.success)
  return jsonReply(success ? 200 : 207, { success, results: outcomes }, PRIVATE)
}

/** The body is not what it must be. */
export function malformedReply(details: readonly string[]): Reply {
  const body: v.InferOutput<typeof responses.malformed> = {
    error: 'Invalid request format',
    details: [...details],
  }
  return jsonReply(400, body, PRIVATE)
}

export const NO_NUMBER =
  'Sending SMS is not configured for the tenant: it has no number. Set useShortcode to send without one.'
export const NO_SLUG = 'Sending email is not configured for the tenant: it has no slug to send from.'

/** The organization lacks what it would send from. */
export function notConfiguredReply(error: string): Reply {
  return errorReply(422, error)
}

/** The service lacks the provider: no fault of the caller's, so the log tells the operator. */
export function noProviderReply(channel: 'email' | 'SMS', requestId: string, log: Log): Reply {
  log.error('no_provider', { channel, requestId })
  return errorReply(
    500,
    `No ${channel} provider is configured on this service. Nothing was sent. Request id: ${requestId}`,
  )
}
