import * as v from 'valibot'
import type { EmailMessage, SmsMessage } from '../../ports/messaging.ts'
import { handled } from '../access/serve-operation.ts'
import { jsonResponse } from '../record/operation.ts'
import { ErrorBody, internalError } from '../record/reply.ts'
import {
  idempotencyHeaders,
  recognisable,
  readSend,
  emailBody,
  emailRequest,
  messageBody,
  addressRecipient,
  phoneRecipient,
} from './request.ts'
import { formatMailbox, PLATFORM_LOCAL_PART, PLATFORM_PHONE_COUNTRY } from './sender.ts'
import { emailSenderRuleOf, smsSenderOf } from './sender-rule.ts'
import { smsIdentity, UNKNOWN_AFTER_MS } from './attempt.ts'
import {
  INVALID_ADDRESS,
  INVALID_NUMBER,
  MALFORMED,
  malformedReply,
  NO_NUMBER,
  NO_SLUG,
  noProviderReply,
  notConfiguredReply,
  repeatedReply,
  responses,
  resultsReply,
  stillAtWork,
} from './response.ts'
import { REQUEST_DURATION_MS, sendToAll, type MessagingWorld } from './send-to-all.ts'

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
