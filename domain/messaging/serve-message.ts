import type { SmsMessage } from '../../ports/sms-sender.ts'
import type { Caller } from '../contract/authenticate.ts'
import type { Reply } from '../contract/reply.ts'
import type { RoutedRequest, World } from '../service.ts'
import { smsIdentity } from './attempt.ts'
import { readJsonBody } from './json-body.ts'
import { MESSAGE_MAX_BYTES } from './limits.ts'
import { readPhone } from './recipients.ts'
import { MessageRequest } from './request.ts'
import { malformedReply, NO_NUMBER, noProviderReply, notConfiguredReply, resultsReply } from './response.ts'
import { smsSenderOf } from './sender-rule.ts'
import { sendToAll } from './send-to-all.ts'

/** Country in which the operator's own ten-digit numbers are read. */
const PLATFORM_PHONE_COUNTRY = 'US'

/** Answers `POST /api/v1/message`. Rejects only on an internal failure before anything was sent. */
export async function serveMessage(
  { request, requestId }: RoutedRequest,
  world: World,
  { organization }: Caller,
): Promise<Reply> {
  const reading = await readJsonBody(request, MessageRequest, MESSAGE_MAX_BYTES, world.deadline)
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
      recipients: [to].flat().map((given) => readPhone(given, country)),
      identity: smsIdentity(message, sms),
      capabilities: sms.capabilities,
      send: (number, key) => sms.send({ ...message, to: number }, key),
    },
    world,
  )
  // The provider's id of a text message is recorded, not answered (contract, Send results).
  return resultsReply(
    outcomes.map((outcome) => (outcome.success ? { to: outcome.to, success: true } : outcome)),
  )
}
