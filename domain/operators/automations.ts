import * as v from 'valibot'
import {
  RECIPIENT_DAILY_MAX,
  stepProblems,
  filledIn,
  messageAnswers,
  sampleAnswers,
  type MessageAnswers,
} from '../forms/message-text.ts'
import { ofOrganization } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { automations, SendEmail, SendSms, type Steps } from '../resources/automations.ts'
import { ended } from '../text/schema-errors.ts'
import { shownJson } from '../text/terminal.ts'
import { stateReply } from './change.ts'
import { pageOf, pageParameters, pageResponse, servePlacesPage, readStoredPage } from './list.ts'
import { findForms, unknownForm } from './save-forms.ts'
import { count, instant, operated, jsonBody } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import type { Organization } from '../../ports/organizations.ts'
import { sayerOf } from '../forms/language/words.ts'
import { smsIdentity } from '../messaging/attempt.ts'
import { addressRecipient, phoneRecipient } from '../messaging/request.ts'
import { sendToAll, type Mailing } from '../messaging/send-to-all.ts'
import { formatMailbox, HEADER_MAX_LENGTH, tenantMailbox } from '../messaging/sender.ts'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import { cutText } from '../text/typed-text.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { FormId } from './change-forms.ts'
import type { TenantWriter } from '../../ports/records.ts'

/** The path of an organization's automations. */
export const AUTOMATIONS_PATH = '/operator/v1/organizations/{organizationId}/automations'

/** An automation as it is stored. */
export interface StoredAutomation {
  readonly automationId: string
  readonly name: string
  readonly description: string | null
  readonly status: 'active' | 'paused' | 'draft'
  readonly trigger: { readonly type: string; readonly formId: string | null }
  readonly stepCount: number
  /** The form whose submissions trigger it; null: none does. */
  readonly triggerFormId: string | null
  readonly steps: Steps
  readonly createdAt: string
  readonly updatedAt: string
}

/** The names of `StoredAutomation`'s fields. */
const storedAutomationFields: readonly (keyof StoredAutomation)[] = [
  ...(['automationId', 'name', 'description', 'status', 'trigger', 'stepCount'] as const),
  ...(['triggerFormId', 'steps', 'createdAt', 'updatedAt'] as const),
]

/** The stored automations with these ids. */
export async function findAutomations(
  ids: readonly string[],
  { findMany }: Pick<TenantWriter, 'findMany'>,
): Promise<ReadonlyMap<string, StoredAutomation>> {
  const rows = await findMany(automations.collection, storedAutomationFields, ids)
  // The selected fields are those of the type.
  return new Map(rows.map((row) => [String(row.automationId), row as unknown as StoredAutomation]))
}

/** An automation as it is given to be saved: a line of an import. */
export type GivenAutomation = Readonly<Record<string, unknown>>

/** The automation as a line of an import. */
export function lineOf(stored: StoredAutomation): GivenAutomation {
  const { automationId, name, description, status, trigger, steps, createdAt } = stored
  const described = description === null ? {} : { description }
  return { automationId, name, ...described, status, trigger, steps, createdAt }
}

export const Status = worded(v.picklist(['active', 'paused', 'draft']), {
  choices: { active: 'Active', paused: 'Paused', draft: 'Draft' },
})

const ListedAutomation = v.strictObject({
  automationId: described(v.string(), 'Names the automation, in its organization.'),
  name: v.string(),
  status: described(Status, 'Whether a submission starts it: only an active one.'),
  formId: described(v.nullable(v.string()), 'The form whose submissions trigger it; null: none does.'),
  stepCount: described(count, 'How many steps it has.'),
  createdAt: instant,
  updatedAt: instant,
})

type ListedAutomation = v.InferOutput<typeof ListedAutomation>

const sample: ListedAutomation = {
  automationId: 'thanks',
  name: 'Thank you',
  status: 'active',
  formId: 'contact',
  stepCount: 1,
  createdAt: '2026-05-01T08:30:00.000Z',
  updatedAt: '2026-05-04T09:00:00.000Z',
}

export const sampleLine = {
  automationId: 'thanks',
  name: 'Thank you',
  status: 'active',
  trigger: { type: 'form_submission', formId: 'contact' },
  steps: [
    {
      type: 'send_email',
      to: 'contact',
      subject: 'Thank you, {{firstName}}',
      html: '<p>We have your message.</p>',
    },
  ],
}

const Bounds = v.strictObject({
  recipientDaily: described(
    count,
    'How many messages automations send to one address or number within a day.',
  ),
  organizationHourly: described(count, 'How many they send within an hour in all.'),
})

const ShownAutomation = component(
  'StoredAutomation',
  described(
    v.strictObject({
      automation: described(v.record(v.string(), v.unknown()), 'The automation as an import takes it.'),
      ...ListedAutomation.entries,
      problems: described(
        v.array(v.string()),
        'What its texts name and the form does not have, or no longer: it is empty in the messages.',
      ),
      bounds: described(Bounds, 'What automations of the organization send at most. What is over waits.'),
    }),
    'An automation with its steps.',
  ),
)

type ShownAutomation = v.InferOutput<typeof ShownAutomation>

const common = { access: 'support', tag: 'Automations', needsOrganization: true } as const

export const listOrganizationAutomations = operated({
  id: 'organizationAutomations.list',
  openTo: 'owner',
  method: 'GET',
  path: AUTOMATIONS_PATH,
  ...common,
  summary: "List an organization's automations",
  description: 'Newest first.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of automations.', pageOf('AutomationPage', ListedAutomation), sample),
  },
  commands: [
    {
      words: ['automation', 'list'],
      flags: { org: ofOrganization() },
      summary: "List an organization's automations, newest first",
      examples: ['--org lakeside', '--org lakeside --json'],
      columns: [
        { head: 'automation', of: ({ automationId }) => automationId },
        { head: 'status', of: ({ status }) => status },
        { head: 'form', of: ({ formId }) => formId },
        { head: 'steps', of: ({ stepCount }) => stepCount },
        { head: 'changed at', of: ({ updatedAt }) => updatedAt },
        { head: 'name', of: ({ name }) => name, mayBeCut: true },
      ],
      shown: { count: 1000, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    const order = { field: 'createdAt', idField: automations.idField, direction: 'descending' } as const
    const asked = { collection: automations.collection, select: listedFields, where: [], order }
    return servePlacesPage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) =>
        readStoredPage<ListedRow>(world.tenant(organizationId), asked, { after, limit }),
      publish: listed,
    })
  },
})

export const showOrganizationAutomation = operated({
  id: 'organizationAutomations.show',
  openTo: 'owner',
  method: 'GET',
  path: `${AUTOMATIONS_PATH}/{automationId}`,
  ...common,
  versioned: { except: ['problems', 'bounds'] },
  summary: 'Show an automation with its steps',
  responses: {
    200: jsonResponse('The automation.', ShownAutomation, {
      automation: sampleLine,
      ...sample,
      problems: [],
      bounds: { recipientDaily: RECIPIENT_DAILY_MAX, organizationHourly: 500 },
    }),
  },
  commands: [
    {
      words: ['automation', 'show'],
      positionals: ['AUTOMATIONID'],
      flags: { org: ofOrganization() },
      summary: 'Print an automation as JSON, as "automation save" takes it',
      details: [
        'Beside it is said how many messages automations send at most, and what its texts name in vain.',
      ],
      examples: ['thanks --org lakeside > thanks.json'],
      says: ({ automation, problems, bounds }) => ({
        out: [shownJson(automation, 2)],
        notes: [...problems, boundsText(bounds)],
      }),
    },
  ],
  answer: async ({ operation, params: { organizationId = '', automationId = '' }, organization }, world) => {
    const tenant = world.tenant(organizationId)
    const stored = (await findAutomations([automationId], tenant)).get(automationId)
    if (stored === undefined) return unknownAutomation(automationId, organizationId)
    const body = await shownWith(stored, tenant, organization.automationHourly)
    return stateReply(operation, 200, body, body)
  },
})

/** An automation of a list, which may be long, so its steps are not read. */
type ListedRow = Omit<StoredAutomation, 'steps'>
const listedFields = storedAutomationFields.filter((field) => field !== 'steps')

function listed(stored: ListedRow): ListedAutomation {
  const { automationId, name, status, triggerFormId, stepCount, createdAt, updatedAt } = stored
  return { automationId, name, status, formId: triggerFormId, stepCount, createdAt, updatedAt }
}

type Tenant = ReturnType<OperatorWorld['tenant']>

/** Automations, and how the first is shown: several have no state together. Null: there is none. */
export async function stateOf(ids: readonly string[], tenant: Tenant, organizationHourly: number) {
  const found = await findAutomations(ids, tenant)
  const [first] = found.values()
  const state = first === undefined ? null : await shownWith(first, tenant, organizationHourly)
  return { found, state }
}

/** An automation with its steps: the state that the operations on automations change. */
export async function shownWith(
  stored: StoredAutomation,
  tenant: Tenant,
  organizationHourly: number,
): Promise<ShownAutomation> {
  const { triggerFormId } = stored
  const form =
    triggerFormId === null ? undefined : (await findForms([triggerFormId], tenant)).get(triggerFormId)
  const problems = form === undefined ? [] : stepProblems(stored.steps, form.definition.fields)
  return {
    automation: lineOf(stored),
    ...listed(stored),
    problems: problems.slice(0, PROBLEMS_MAX).map(({ field, message }) => ended(`${field} ${message}`)),
    bounds: { recipientDaily: RECIPIENT_DAILY_MAX, organizationHourly },
  }
}

export function unknownAutomation(automationId: string, organizationId: string) {
  return errorReply(404, `${organizationId} has no automation ${echoed(automationId)}.`)
}

function boundsText({ recipientDaily, organizationHourly }: v.InferOutput<typeof Bounds>): string {
  return `Automations send at most ${recipientDaily} messages a day to one address or number, and ${organizationHourly} an hour in all. What is over waits, for three days.`
}

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
