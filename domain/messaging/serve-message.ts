import type { SmsMessage } from '../../ports/messaging/sms-sender.ts'
import type { Caller } from '../access/authenticate.ts'
import type { ReplyOf, RequestOf } from '../record/operation/operation.ts'
import type { MessagingWorld } from './world.ts'
import { smsIdentity } from './sending/attempt.ts'
import { readJsonBody } from '../bounds/json-body.ts'
import type { sendMessage } from './endpoints.ts'
import { phoneRecipient } from './sending/recipients.ts'
import { messageBody } from './request/request.ts'
import {
  malformedReply,
  NO_NUMBER,
  noProviderReply,
  notConfiguredReply,
  resultsReply,
} from './sending/response.ts'
import { PLATFORM_PHONE_COUNTRY } from './request/sender.ts'
import { smsSenderOf } from './request/sender-rule.ts'
import { sendToAll } from './sending/send-to-all.ts'

/** Answers `POST /api/v1/message`. Rejects only on an internal failure before anything was sent. */
export async function serveMessage(
  { request, requestId }: RequestOf<typeof sendMessage>,
  world: MessagingWorld,
  { organization }: Caller,
): Promise<ReplyOf<typeof sendMessage>> {
  const reading = await readJsonBody(request, messageBody, world.deadline)
  if (reading.kind === 'malformed') return malformedReply(reading.details)
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
  const outcomes = await sendToAll(
    {
      organizationId: organization?.organizationId ?? null,
      recipients: [to].flat().map((given) => phoneRecipient(given, country)),
      identity: smsIdentity(message, sms),
      capabilities: sms.capabilities,
      send: (number, key) => sms.send({ ...message, to: number }, key),
    },
    world,
  )
  // The provider's id of a text message is recorded, but not part of the reply (contract, Send results).
  return resultsReply(
    outcomes.map((outcome) => (outcome.success ? { to: outcome.to, success: outcome.success } : outcome)),
  )
}
