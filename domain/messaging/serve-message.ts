import type { SmsMessage } from '../../ports/messaging.ts'
import type { Caller } from '../access/authenticate.ts'
import type { ReplyOf, RequestOf } from '../record/operation/operation.ts'
import type { MessagingWorld } from './world.ts'
import { smsIdentity } from './sending/attempt.ts'
import type { sendMessage } from './endpoints.ts'
import { phoneRecipient } from './sending/recipients.ts'
import { recognisable } from './request/idempotency-key.ts'
import { readSend } from './request/read-send.ts'
import { messageBody } from './request/request.ts'
import {
  malformedReply,
  NO_NUMBER,
  noProviderReply,
  notConfiguredReply,
  repeatedReply,
  resultsReply,
} from './sending/response.ts'
import { PLATFORM_PHONE_COUNTRY } from './request/sender.ts'
import { smsSenderOf } from './request/sender-rule.ts'
import { messageRoute } from './routes.ts'
import { sendToAll } from './sending/send-to-all.ts'

/** Answers `POST /api/v1/message`. Rejects only on an internal failure before anything was sent. */
export async function serveMessage(
  { request, requestId }: RequestOf<typeof sendMessage>,
  world: MessagingWorld,
  { organization }: Caller,
): Promise<ReplyOf<typeof sendMessage>> {
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
          : await recognisable(messageRoute.id, key, [
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
}
