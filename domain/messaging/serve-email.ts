import type { EmailMessage } from '../../ports/email-sender.ts'
import type { Caller } from '../contract/authenticate.ts'
import type { Reply } from '../contract/reply.ts'
import type { RoutedRequest, World } from '../service.ts'
import { readJsonBody } from './json-body.ts'
import { EMAIL_MAX_BYTES } from './limits.ts'
import { readAddress } from './recipients.ts'
import { EmailRequest } from './request.ts'
import { malformedReply, noProviderReply, notConfiguredReply, resultsReply } from './response.ts'
import { formatMailbox } from './sender.ts'
import { emailSenderOf } from './sender-of.ts'
import { sendToAll } from './send-to-all.ts'

/** Answers `POST /api/v1/email`. Rejects only on an internal failure before anything was sent. */
export async function serveEmail(
  { request, requestId }: RoutedRequest,
  world: World,
  { organization }: Caller,
): Promise<Reply> {
  const reading = await readJsonBody(request, EmailRequest, EMAIL_MAX_BYTES, world.deadline)
  if (reading.kind === 'malformed') return malformedReply(reading.details)
  const { body } = reading
  const slug = organization?.slug
  if (slug === null) {
    return notConfiguredReply('Sending email is not configured for the tenant: it has no slug to send from.')
  }
  const { email, mail } = world
  if (email === null || mail === null) return noProviderReply('email', requestId)
  const tenant = organization === null || slug === undefined ? null : { name: organization.name, slug }
  const choice = emailSenderOf(tenant, body.from ?? null, mail)
  if (choice.kind === 'not_allowed') return malformedReply([`from: ${choice.problem}`])
  const message: Omit<EmailMessage, 'to'> = {
    from: choice.sender,
    subject: body.subject.toWellFormed(),
    html: body.html.toWellFormed(),
    text: null,
    replyTo: body.replyTo ?? null,
    attachments: body.attachments ?? [],
  }
  const outcomes = await sendToAll(
    {
      organizationId: organization?.organizationId ?? null,
      recipients: [body.to].flat().map(readAddress),
      identity: { channel: 'email', from: formatMailbox(choice.sender) },
      capabilities: email.capabilities,
      send: (to, key) => email.send({ ...message, to }, key),
    },
    world,
  )
  return resultsReply(outcomes)
}
