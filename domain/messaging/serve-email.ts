import type { EmailMessage } from '../../ports/messaging/email-sender.ts'
import type { Caller } from '../access/authenticate.ts'
import type { ReplyOf, RequestOf } from '../record/operation/operation.ts'
import type { MessagingWorld } from './world.ts'
import { readJsonBody } from '../bounds/json-body.ts'
import type { sendEmail } from './endpoints.ts'
import { addressRecipient } from './sending/recipients.ts'
import { emailBody, emailRequest } from './request/request.ts'
import {
  malformedReply,
  NO_SLUG,
  noProviderReply,
  notConfiguredReply,
  resultsReply,
} from './sending/response.ts'
import { formatMailbox } from './request/sender.ts'
import { emailSenderRuleOf } from './request/sender-rule.ts'
import { sendToAll } from './sending/send-to-all.ts'

/** Answers `POST /api/v1/email`. Rejects only on an internal failure before anything was sent. */
export async function serveEmail(
  { request, requestId }: RequestOf<typeof sendEmail>,
  world: MessagingWorld,
  { organization }: Caller,
): Promise<ReplyOf<typeof sendEmail>> {
  const { email, mail } = world
  const rule = emailSenderRuleOf(organization, mail)
  const reading = await readJsonBody(request, { ...emailBody, schema: emailRequest(rule) }, world.deadline)
  if (reading.kind === 'malformed') return malformedReply(reading.details)
  const { body } = reading
  if (organization?.slug === null) return notConfiguredReply(NO_SLUG)
  const from = body.from ?? rule.usual
  if (email === null || mail === null || from === null) return noProviderReply('email', requestId, world.log)
  const message: Omit<EmailMessage, 'to'> = {
    from,
    subject: body.subject.toWellFormed(),
    html: body.html.toWellFormed(),
    text: null,
    replyTo: body.replyTo ?? null,
    attachments: body.attachments ?? [],
  }
  const outcomes = await sendToAll(
    {
      organizationId: organization?.organizationId ?? null,
      recipients: [body.to].flat().map(addressRecipient),
      identity: { channel: 'email', from: formatMailbox(from) },
      capabilities: email.capabilities,
      send: (to, key) => email.send({ ...message, to }, key),
    },
    world,
  )
  return resultsReply(outcomes)
}
