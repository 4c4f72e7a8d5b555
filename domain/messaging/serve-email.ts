import type { EmailMessage } from '../../ports/messaging.ts'
import type { Caller } from '../access/authenticate.ts'
import type { ReplyOf, RequestOf } from '../record/operation/operation.ts'
import type { MessagingWorld } from './world.ts'
import type { sendEmail } from './endpoints.ts'
import { addressRecipient } from './sending/recipients.ts'
import { recognisable } from './request/idempotency-key.ts'
import { readSend } from './request/read-send.ts'
import { emailBody, emailRequest } from './request/request.ts'
import {
  malformedReply,
  NO_SLUG,
  noProviderReply,
  notConfiguredReply,
  repeatedReply,
  resultsReply,
} from './sending/response.ts'
import { formatMailbox } from './request/sender.ts'
import { emailSenderRuleOf } from './request/sender-rule.ts'
import { emailRoute } from './routes.ts'
import { sendToAll } from './sending/send-to-all.ts'

/** Answers `POST /api/v1/email`. Rejects only on an internal failure before anything was sent. */
export async function serveEmail(
  { request, requestId }: RequestOf<typeof sendEmail>,
  world: MessagingWorld,
  { organization }: Caller,
): Promise<ReplyOf<typeof sendEmail>> {
  const { email, mail } = world
  const rule = emailSenderRuleOf(organization, mail)
  const reading = await readSend(request, { ...emailBody, schema: emailRequest(rule) }, world.deadline)
  if (reading.kind === 'malformed') return malformedReply(reading.details)
  const { body, key } = reading
  if (organization?.slug === null) return notConfiguredReply(NO_SLUG)
  const from = body.from ?? rule.usual
  if (email === null || mail === null || from === null) return noProviderReply('email', requestId, world.log)
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
  const answer = await sendToAll(
    {
      organizationId: organization?.organizationId ?? null,
      recipients,
      identity: { channel: 'email', from: formatMailbox(from) },
      capabilities: email.capabilities,
      recognisable:
        key === null
          ? null
          : await recognisable(emailRoute.id, key, [
              recipients.map(({ to }) => to),
              // The sender as the request names it: the usual one may change meanwhile.
              { ...message, from: body.from ?? null },
            ]),
      send: (to, key) => email.send({ ...message, to }, key),
    },
    world,
  )
  return answer.kind === 'outcomes' ? resultsReply(answer.outcomes) : repeatedReply(answer, world.clock)
}
