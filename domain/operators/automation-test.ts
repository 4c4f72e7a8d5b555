import * as v from 'valibot'
import type { Organization } from '../../ports/organizations.ts'
import {
  filledIn,
  messageAnswers,
  sampleAnswers,
  stepProblems,
  type MessageAnswers,
} from '../forms/message-text.ts'
import { sayerOf } from '../forms/language/words.ts'
import { SendEmail, SendSms } from '../resources/automations.ts'
import { smsIdentity } from '../messaging/attempt.ts'
import { addressRecipient, phoneRecipient } from '../messaging/request.ts'
import { sendToAll, type Mailing } from '../messaging/send-to-all.ts'
import { formatMailbox, HEADER_MAX_LENGTH, tenantMailbox } from '../messaging/sender.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { cutText } from '../text/typed-text.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { ended } from '../text/schema-errors.ts'
import { FormId } from './forms.ts'
import { findForms, unknownForm } from './save-forms.ts'
import { jsonBody } from './schema.ts'
import { operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'

/** How many test messages operators send for an organization within an hour. */
export const TESTS_HOURLY_MAX = 20

/** What a test message begins with, so that nobody takes it for one that follows a submission. */
const MARK = '[Test] '

const Step = v.variant('type', [SendEmail, SendSms])
/** A step that sends something. */
export type SendingStep = v.InferOutput<typeof Step>

const sampleStep: SendingStep = {
  type: 'send_email',
  to: 'contact',
  subject: 'Thank you, {{firstName}}',
  html: '<p>We have your message.</p>',
}

export const testAutomationStep = operated({
  id: 'organizationAutomations.test',
  method: 'POST',
  // Not below the automations, where it would hide one of that id.
  path: '/operator/v1/organizations/{organizationId}/automation-tests',
  access: 'admin',
  openTo: 'owner',
  tag: 'Automations',
  needsOrganization: true,
  action: 'automation.test',
  summary: 'Send a step of an automation to oneself',
  description: `The email or text message of the step goes to the given address or number, with sample answers in it and marked [Test], from the sender that a submission would have. At most ${TESTS_HOURLY_MAX} an hour for an organization. Nothing is stored but the send.`,
  body: jsonBody(
    v.strictObject({
      formId: described(v.string(), 'The form whose fields the texts may name.'),
      step: described(
        Step,
        'A step that sends something, as an automation has it. Its own recipient gets nothing.',
      ),
      to: described(
        v.pipe(v.string(), v.nonEmpty(), v.maxLength(320)),
        'An email address, or for a text message a number in international form or ten digits.',
      ),
    }),
    { formId: 'contact', step: sampleStep, to: 'grace@example.com' },
    1_048_576,
  ),
  responses: {
    200: jsonResponse(
      'What became of it.',
      v.strictObject({
        to: described(v.string(), 'To whom it went.'),
        failure: described(v.nullable(v.string()), 'Why the provider did not take it; null: it did.'),
      }),
      { to: 'grace@example.com', failure: null },
    ),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '' }, organization, body, change }, world) => {
    const { formId, step, to } = body
    const tenant = world.tenant(organizationId)
    const form = v.is(FormId, formId) ? (await findForms([formId], tenant)).get(formId) : undefined
    if (form === undefined) return unknownForm(formId, organizationId)
    const { definition } = form
    const [problem] = stepProblems([step], definition.fields)
    if (problem !== undefined)
      return errorReply(400, ended(`step${problem.field.slice('steps[0]'.length)}: ${problem.message}`))
    const answers = messageAnswers(
      definition.fields,
      sampleAnswers(definition.fields),
      null,
      await sayerOf(definition),
    )
    const mailing = mailingOf(step, to, answers, organization, world)
    if ('status' in mailing) return mailing
    await change.announce({ type: 'test', formId, channel: step.type === 'send_email' ? 'email' : 'sms' })
    const outcome = await sendOne(mailing, world)
    if (outcome === null)
      return errorReply(
        409,
        `Nothing was sent: ${TESTS_HOURLY_MAX} test messages were sent within this hour. The next one can be sent in the next hour.`,
      )
    const sent = { to: outcome.to, failure: outcome.success ? null : outcome.error }
    return jsonReply(200, sent, PRIVATE)
  },
})

/** The message to send, without what recognises it; or why there is none. */
function mailingOf(
  step: SendingStep,
  to: string,
  answers: MessageAnswers,
  organization: Organization,
  { email, sms, mail }: Pick<OperatorWorld, 'email' | 'sms' | 'mail'>,
): Omit<Mailing, 'recognisable'> | ReturnType<typeof errorReply<400 | 409>> {
  const { organizationId } = organization
  if (step.type === 'send_email') {
    const recipient = addressRecipient(to)
    if (recipient.kind === 'unreachable') return errorReply(400, 'to: must be an email address.')
    if (email === null || mail === null)
      return errorReply(409, 'Nothing was sent: the service has no email provider.')
    const from = tenantMailbox(organization, mail)
    if (from === null)
      return errorReply(409, `Nothing was sent: ${organizationId} has no slug to send email from.`)
    const message = {
      from,
      subject: cutText(MARK + filledIn(step.subject, 'subject', answers), HEADER_MAX_LENGTH),
      html: filledIn(step.html, 'html', answers),
      ...{ text: null, replyTo: null, attachments: [], isAutomatic: true },
    }
    return {
      organizationId,
      recipients: [recipient],
      identity: { channel: 'email', from: formatMailbox(from) },
      capabilities: email.capabilities,
      send: (address, sendId) => email.send({ ...message, to: address }, sendId, { organizationId, sendId }),
    }
  }
  const recipient = phoneRecipient(to, organization.phoneCountry)
  if (recipient.kind === 'unreachable')
    return errorReply(400, 'to: must be a phone number in international form, or ten digits.')
  if (organization.smsNumber === null)
    return errorReply(409, `Nothing was sent: ${organizationId} has no number to send text messages from.`)
  if (sms === null) return errorReply(409, 'Nothing was sent: the service has no SMS provider.')
  const from = { kind: 'number', number: organization.smsNumber } as const
  const message = { from, body: MARK + filledIn(step.body, 'body', answers), mediaUrls: [] }
  return {
    organizationId,
    recipients: [recipient],
    identity: smsIdentity(message, sms),
    capabilities: sms.capabilities,
    send: (number, key) => sms.send({ ...message, to: number }, key),
  }
}

/**
 * Sends a message, if one of the places of this hour is free: each is the key of a request, which the log of sends gives
 * once only. Null: none is free.
 */
async function sendOne(mailing: Omit<Mailing, 'recognisable'>, world: OperatorWorld) {
  const hour = toInstant(world.clock.nowMs()).slice(0, 'YYYY-MM-DDTHH'.length)
  const bodyHash = randomBase62(22, (length) => world.random.bytes(length))
  for (let place = 1; place <= TESTS_HOURLY_MAX; place += 1) {
    const recognisable = { requestKey: `automation test ${hour} ${place}`, bodyHash }
    const answer = await sendToAll({ ...mailing, recognisable }, world)
    if (answer.kind !== 'outcomes') continue
    const [outcome] = answer.outcomes
    if (outcome === undefined) throw new Error('A test has no outcome')
    return outcome
  }
  return null
}
