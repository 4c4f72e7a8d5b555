import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  id,
  IdInput,
  impersonal,
  integer,
  json,
  nullable,
  oneOf,
  text,
  timestamp,
  personal,
} from '../record/field.ts'
import { window, wordFilter, idFilter } from '../record/filter.ts'
import { derived, orNow, updatedAt, countOf, latestOf, assigned } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { HEADER_MAX_LENGTH } from '../messaging/sender.ts'
import { readEmailAddress } from '../text/typed-text.ts'
import * as v from 'valibot'

/** The word that stands for the run's contact as the recipient of an email step. */
export const RUN_CONTACT = 'contact'

/** The maximum number of steps of an automation: a run of all of them must end within a few leases. */
const STEPS_MAX = 100

const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))

export const SendEmail = v.strictObject({
  type: v.literal('send_email'),
  to: v.pipe(
    v.string(),
    v.check(
      (to) => to === RUN_CONTACT || readEmailAddress(to) !== null,
      `must be "${RUN_CONTACT}" or an email address`,
    ),
  ),
  subject: v.pipe(
    filled,
    v.maxLength(HEADER_MAX_LENGTH),
    v.check((subject) => !/\p{Cc}/u.test(subject), 'must not contain control characters'),
  ),
  html: filled,
})
export const SendSms = v.strictObject({ type: v.literal('send_sms'), body: filled })
const AddToList = v.strictObject({ type: v.literal('add_to_list'), listId: IdInput })
const AddTag = v.strictObject({ type: v.literal('add_tag'), tag: filled })

/** One step of an automation. */
export const Step = v.variant('type', [SendEmail, SendSms, AddToList, AddTag])
export type Step = v.InferOutput<typeof Step>

/** The steps of an automation, executed in order. */
export const Steps = v.pipe(v.array(Step), v.maxLength(STEPS_MAX, `must be at most ${STEPS_MAX} steps`))
export type Steps = v.InferOutput<typeof Steps>

/** A kind of message that an automation sends to the contact of a run. */
export type ContactMessage = 'email' | 'text message'

/** What stored steps send to the contact. Nothing for stored JSON that is not a valid list of steps. */
export function contactMessages(stored: unknown): readonly ContactMessage[] {
  const reading = v.safeParse(Steps, stored)
  const steps = reading.success ? reading.output : []
  return [
    ...(steps.some((step) => step.type === 'send_email' && step.to === RUN_CONTACT)
      ? ['email' as const]
      : []),
    ...(steps.some(({ type }) => type === 'send_sms') ? ['text message' as const] : []),
  ]
}

const statuses = ['active', 'paused', 'draft'] as const

const triggerType = v.picklist(['form_submission', 'marketing_signup', 'purchase', 'manual'])
const Trigger = v.strictObject({ type: triggerType, formId: v.nullable(v.string()) })
const TriggerInput = v.pipe(
  v.strictObject({ type: triggerType, formId: v.nullish(IdInput, null) }),
  v.check(
    ({ type, formId }) => type !== 'form_submission' || formId !== null,
    'must name with formId the form whose submissions trigger it',
  ),
)

export const automations = resource({
  name: 'Automation',
  collection: 'automations',
  description: 'Steps that follow from an event, such as the submission of a form.',
  idField: 'automationId',
  removal: true,
  fields: {
    automationId: id(),
    name: impersonal(text()),
    description: impersonal(nullable(text())),
    status: oneOf(statuses),
    trigger: impersonal(json(Trigger, TriggerInput)),
    stepCount: derived(integer(0)),
    runCount: countOf('automation-runs', 'automationId'),
    lastRunAt: latestOf('automation-runs', 'automationId', 'startedAt'),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    /**
     * Never published: recipients and texts are internal to the organization. A run keeps the steps with which it
     * began.
     */
    steps: impersonal(json(Steps)),
    /** The form whose submissions trigger the automation. A submission finds its automations by this field. */
    triggerFormId: derived(impersonal(nullable(text()))),
  },
  derive: {
    stepCount: ({ steps }) => steps.length,
    triggerFormId: ({ trigger }) => (trigger.type === 'form_submission' ? trigger.formId : null),
  },
})

export const listAutomations = collection({
  id: 'automations.list',
  path: '/api/v1/automations',
  tag: 'Automations',
  summary: 'List automations',
  resource: automations,
  filters: {
    status: wordFilter('status', statuses, 'Only automations in this status.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'automationId'),
})

export const getAutomation = detail({
  id: 'automations.get',
  path: '/api/v1/automations/{automationId}',
  tag: 'Automations',
  summary: 'Retrieve an automation',
  resource: automations,
})

const runStatuses = ['queued', 'running', 'completed', 'failed', 'canceled'] as const

export const automationRuns = resource({
  name: 'AutomationRun',
  collection: 'automation-runs',
  description: 'One execution of an automation.',
  idField: 'runId',
  person: { by: 'contactId', carriedIn: [] },
  removal: true,
  selectsFew: { contactId: 'startedAt' },
  selectsMany: { automationId: ['startedAt'] },
  fields: {
    runId: id(),
    automationId: id(),
    contactId: nullable(id()),
    status: oneOf(runStatuses),
    currentStep: nullable(integer(0)),
    stepCount: integer(0),
    failureReason: personal(nullable(text())),
    startedAt: timestamp(),
    completedAt: nullable(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** The automation's steps at the time when the service began this run; null for an imported run. */
    steps: assigned(impersonal(nullable(json(Steps)))),
  },
})

const filters = {
  status: wordFilter('status', runStatuses, 'Only runs in this status.'),
  contactId: idFilter('contactId', 'Only runs for this contact.'),
  ...window('startedAt'),
  ...window('updatedAt'),
}

export const listAutomationRuns = collection({
  id: 'automationRuns.list',
  path: '/api/v1/automations/runs',
  tag: 'Automations',
  summary: 'List runs of all automations',
  description:
    'A run appears when it begins, moments after what triggered it. `currentStep` counts from 1; it stays at the last step reached.',
  resource: automationRuns,
  filters: { automationId: idFilter('automationId', 'Only runs of this automation.'), ...filters },
  order: newestFirst('startedAt', 'runId'),
})

export const listRunsOfAutomation = collection({
  id: 'automationRuns.listOfAutomation',
  path: '/api/v1/automations/{automationId}/runs',
  tag: 'Automations',
  summary: 'List runs of one automation',
  resource: automationRuns,
  parent: { resource: automations, param: 'automationId' },
  filters,
  order: newestFirst('startedAt', 'runId'),
})

export const getAutomationRun = detail({
  id: 'automationRuns.get',
  path: '/api/v1/automations/runs/{runId}',
  tag: 'Automations',
  summary: 'Retrieve a run',
  resource: automationRuns,
})
