import * as v from 'valibot'
import { Steps } from '../jobs/steps.ts'
import { collection, detail, newestFirst } from '../contract/endpoint.ts'
import { id, integer, json, nullable, oneOf, text, timestamp } from '../contract/field.ts'
import { window, wordFilter } from '../contract/filter.ts'
import { derived, resource, updatedAt } from '../contract/resource.ts'
import { countOf, latestOf } from '../contract/tally.ts'

const statuses = ['active', 'paused', 'draft'] as const

const triggerType = v.picklist(['form_submission', 'marketing_signup', 'purchase', 'manual'])
const Trigger = v.strictObject({ type: triggerType, formId: v.nullable(v.string()) })
const TriggerInput = v.pipe(
  v.strictObject({ type: triggerType, formId: v.nullish(v.pipe(v.string(), v.nonEmpty()), null) }),
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
  fields: {
    automationId: id(),
    name: text(),
    description: nullable(text()),
    status: oneOf(statuses),
    trigger: json(Trigger, TriggerInput),
    stepCount: derived(integer(0), (row) => (row.steps as readonly unknown[]).length),
    runCount: countOf('automation-runs', 'automationId'),
    lastRunAt: latestOf('automation-runs', 'automationId', 'startedAt'),
    createdAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** What is sent to whom is the organization's own affair; a run keeps the steps it began with. */
    steps: json(Steps),
    /** The form whose submissions trigger it: how a submission finds its automations. */
    triggerFormId: derived(nullable(text()), (row) => {
      const { type, formId } = row.trigger as v.InferOutput<typeof Trigger>
      return type === 'form_submission' ? formId : null
    }),
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
