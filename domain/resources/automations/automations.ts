import * as v from 'valibot'
import { Steps } from '../../jobs/automation-steps.ts'
import { collection, detail, newestFirst } from '../../record/endpoint.ts'
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
} from '../../record/field.ts'
import { window, wordFilter } from '../../record/filter.ts'
import { derived, orNow, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { countOf, latestOf } from '../../record/tally.ts'

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
