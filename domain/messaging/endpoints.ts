import type { EmailMessage, SmsMessage } from '../../ports/messaging.ts'
import { handled } from '../access/serve-operation.ts'
import { jsonResponse } from '../record/operation.ts'
import { ErrorBody, internalError, errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import {
  idempotencyHeaders,
  recognisable,
  readSend,
  emailBody,
  emailRequest,
  messageBody,
  addressRecipient,
  phoneRecipient,
  INVALID_ADDRESS,
  INVALID_NUMBER,
  emailSenderRuleOf,
  smsSenderOf,
} from './request.ts'
import { formatMailbox, PLATFORM_LOCAL_PART, PLATFORM_PHONE_COUNTRY } from './sender.ts'
import { smsIdentity, UNKNOWN_AFTER_MS } from './attempt.ts'
import { REQUEST_DURATION_MS, sendToAll, type MessagingWorld } from './send-to-all.ts'
import type { Clock, Log } from '../../ports/platform.ts'
import { described } from '../record/meaning.ts'
import * as v from 'valibot'

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

const MALFORMED = 'Invalid request format' as const

/** The published responses of the two sends: one result for each entry of `to`, in its order. */
const responses = {
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
function resultsReply<Outcome extends { readonly success: boolean }>(outcomes: readonly Outcome[]) {
  const sent = outcomes.filter((outcome): outcome is Sent<Outcome> => outcome.success)
  return sent.length === outcomes.length
    ? jsonReply(200, { success: true as const, results: sent }, PRIVATE)
    : jsonReply(207, { success: false as const, results: [...outcomes] }, PRIVATE)
}

type Sent<Outcome> = Extract<Outcome, { readonly success: true }>

/** The reply to a body that does not fit its schema. */
function malformedReply(details: readonly string[]) {
  return jsonReply(400, { error: MALFORMED, details: [...details] }, PRIVATE)
}

const NO_NUMBER =
  'Sending SMS is not configured for the tenant: it has no number. Set useShortcode to send without one.'
const NO_SLUG = 'Sending email is not configured for the tenant: it has no slug to send from.'

/** The reply when the organization has nothing to send from. */
function notConfiguredReply(error: string) {
  return errorReply(422, error)
}

const OTHER_BODY =
  'This Idempotency-Key has come with another request. Nothing was sent. Use a new key for another message.'
/** How soon a request that was too early may be repeated, in seconds. Few take longer. */
const REPEAT_AFTER_SECONDS = 60

/** Why a request with a key that has come before is not answered with results. */
type Repetition = { readonly kind: 'other_body' } | { readonly kind: 'busy'; readonly until: string }

/** The reply to a request whose key has come with another body, or is still at work. */
function repeatedReply(repetition: Repetition, clock: Clock) {
  if (repetition.kind === 'other_body') return errorReply(422, OTHER_BODY)
  const { until } = repetition
  const leftSeconds = Math.ceil((Date.parse(until) - clock.nowMs()) / 1_000)
  const seconds = Math.max(1, Math.min(REPEAT_AFTER_SECONDS, leftSeconds))
  return errorReply(409, stillAtWork(until), { 'retry-after': String(seconds) })
}

/** Says when a request may be repeated whose key is still at work. */
function stillAtWork(until: string): string {
  return `A request with this Idempotency-Key is still at work. Repeat this one in a minute, with the same key. After ${until} the first one counts as cut off.`
}

/**
 * The reply when the service has no provider. That is not the caller's fault, so it is also logged for the operator.
 */
function noProviderReply(channel: 'email' | 'SMS', requestId: string, log: Log) {
  log.error('no_provider', { channel, requestId })
  return errorReply(
    500,
    `No ${channel} provider is configured on this service. Nothing was sent. Request id: ${requestId}`,
  )
}

const common = `Each recipient is processed independently, and results come in the order of \`to\`; one who is named twice is written to once. The provider is asked to wait no longer than the request lasts: after ${REQUEST_DURATION_MS / 1_000} seconds no further message is sent, and who is left is reported as failed. The error of a failed entry says so when the message may have been sent all the same. Each recipient is recorded before the message is handed over. With the header \`Idempotency-Key\`, a request that was cut off or not answered can be repeated: nobody is written to twice, who was certainly not written to is written to now, and the error of an entry whose fate is unknown says \`Unknown\`. A request that was refused (400, 401, 422) keeps no key. Without the header, repeat a request for those alone who failed.`

const internalFailure = jsonResponse(
  'Internal failure (it cannot be recorded what is sent, for example), or the service has no provider for this. Nothing was sent.',
  ErrorBody,
  internalError('req_3kTzB0n9QmVx1aYe').value,
)

const stillBusy = {
  ...jsonResponse(
    `A request with the same \`Idempotency-Key\` is still at work. One that was cut off counts as that after ${UNKNOWN_AFTER_MS / 60_000} minutes. Nothing was sent.`,
    ErrorBody,
    { error: stillAtWork('2026-05-19T17:55:16.000Z') },
  ),
  headers: {
    'Retry-After': {
      description: 'After how many seconds the request may be repeated, with the same key.',
      schema: v.pipe(v.string(), v.regex(/^[1-9][0-9]*$/)),
    },
  },
}

function malformed(...details: string[]) {
  return jsonResponse(
    'The body is not what it must be. Nothing was sent. `details` holds `path: message`.',
    responses.malformed,
    { error: MALFORMED, details },
  )
}

const badNumber = {
  to: '555-0100',
  success: false as const,
  error: INVALID_NUMBER,
}

export const sendMessage = handled(
  {
    access: 'tenant_or_platform',
    scope: 'send',
    tag: 'Messaging',
    deprecated: true,
    summary: 'Send an SMS or MMS',
    description: `A tenant's messages come from its number, or from the shared short code with \`useShortcode: true\`; messages of platform keys always from the short code. Numbers without a country are read in the country of the tenant (platform keys: ${PLATFORM_PHONE_COUNTRY}). A provider of text messages does not recognise a message that is handed over again, so one whose fate is unknown is not repeated. ${common}`,
    headers: idempotencyHeaders,
    body: messageBody,
    responses: {
      200: jsonResponse('All recipients succeeded.', responses.messageSent, {
        success: true,
        results: [
          { to: '+12125550123', success: true },
          { to: '+12125550124', success: true },
        ],
      }),
      207: jsonResponse('Some recipients failed, or all.', responses.messagePartlySent, {
        success: false,
        results: [{ to: '+12125550123', success: true }, badNumber],
      }),
      400: malformed('body: is required'),
      409: stillBusy,
      422: jsonResponse(
        'The tenant has no number, and `useShortcode` is not true. Or the `Idempotency-Key` has come with another body. Nothing was sent.',
        ErrorBody,
        {
          error: NO_NUMBER,
        },
      ),
      500: internalFailure,
    },
  },
  async ({ request, requestId }, world: MessagingWorld, { organization }) => {
    const reading = await readSend(request, messageBody, world.deadline)
    if (reading.kind === 'malformed') return malformedReply(reading.details)
    const { key } = reading
    const { to, body, attachments = [], useShortcode = false } = reading.body
    const from = smsSenderOf(organization, useShortcode)
    if (from === null) return notConfiguredReply(NO_NUMBER)
    const { sms } = world
    if (sms === null) return noProviderReply('SMS', requestId, world.log)
    const message: Omit<SmsMessage, 'to'> = {
      from,
      body: body.toWellFormed(),
      mediaUrls: attachments.map(({ url }) => url),
    }
    const country = organization?.phoneCountry ?? PLATFORM_PHONE_COUNTRY
    const recipients = [to].flat().map((given) => phoneRecipient(given, country))
    const answer = await sendToAll(
      {
        organizationId: organization?.organizationId ?? null,
        recipients,
        identity: smsIdentity(message, sms),
        capabilities: sms.capabilities,
        recognisable:
          key === null
            ? null
            : await recognisable('message.send', key, [
                recipients.map((recipient) => recipient.to),
                // The sender as the request names it: the tenant's number may change meanwhile.
                { ...message, from: useShortcode },
              ]),
        send: (number, key) => sms.send({ ...message, to: number }, key),
      },
      world,
    )
    if (answer.kind !== 'outcomes') return repeatedReply(answer, world.clock)
    // The provider's id of a text message is recorded, but not part of the reply (contract, Send results).
    return resultsReply(
      answer.outcomes.map((outcome) =>
        outcome.success ? { to: outcome.to, success: outcome.success } : outcome,
      ),
    )
  },
)

export const sendEmail = handled(
  {
    access: 'tenant_or_platform',
    scope: 'send',
    tag: 'Messaging',
    deprecated: true,
    summary: 'Send an email',
    description: `A tenant's email comes from \`{slug}@{mail_domain}\`, that of platform keys from any address on the mail domain (default \`${PLATFORM_LOCAL_PART}@{mail_domain}\`). An email whose fate is unknown is repeated under the same idempotency key, with which it is sent once. ${common}`,
    headers: idempotencyHeaders,
    body: emailBody,
    responses: {
      200: jsonResponse('All recipients succeeded.', responses.emailSent, {
        success: true,
        results: [{ to: 'ada@example.com', success: true, id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }],
      }),
      207: jsonResponse('Some recipients failed, or all.', responses.emailPartlySent, {
        success: false,
        results: [{ to: 'ada', success: false, error: INVALID_ADDRESS }],
      }),
      400: malformed('from: must be acme@mail.example.com, alone or as Name <acme@mail.example.com>'),
      409: stillBusy,
      422: jsonResponse(
        'The tenant has no slug to send email from. Or the `Idempotency-Key` has come with another body. Nothing was sent.',
        ErrorBody,
        { error: NO_SLUG },
      ),
      500: internalFailure,
    },
  },
  async ({ request, requestId }, world: MessagingWorld, { organization }) => {
    const { email, mail } = world
    const rule = emailSenderRuleOf(organization, mail)
    const reading = await readSend(request, { ...emailBody, schema: emailRequest(rule) }, world.deadline)
    if (reading.kind === 'malformed') return malformedReply(reading.details)
    const { body, key } = reading
    if (organization?.slug === null) return notConfiguredReply(NO_SLUG)
    const from = body.from ?? rule.usual
    if (email === null || mail === null || from === null)
      return noProviderReply('email', requestId, world.log)
    const message: Omit<EmailMessage, 'to'> = {
      from,
      subject: body.subject.toWellFormed(),
      html: body.html.toWellFormed(),
      text: body.text?.toWellFormed() ?? null,
      replyTo: body.replyTo ?? null,
      attachments: body.attachments ?? [],
      isAutomatic: false,
    }
    const recipients = [body.to].flat().map(addressRecipient)
    const organizationId = organization?.organizationId ?? null
    const answer = await sendToAll(
      {
        organizationId,
        recipients,
        identity: { channel: 'email', from: formatMailbox(from) },
        capabilities: email.capabilities,
        recognisable:
          key === null
            ? null
            : await recognisable('email.send', key, [
                recipients.map(({ to }) => to),
                // The sender as the request names it: the usual one may change meanwhile.
                { ...message, from: body.from ?? null },
              ]),
        send: (to, sendId) => email.send({ ...message, to }, sendId, { organizationId, sendId }),
      },
      world,
    )
    return answer.kind === 'outcomes' ? resultsReply(answer.outcomes) : repeatedReply(answer, world.clock)
  },
)
