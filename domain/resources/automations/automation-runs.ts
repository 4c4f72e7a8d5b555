import { Steps } from '../../jobs/automation-steps.ts'
import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import {
  id,
  impersonal,
  integer,
  json,
  nullable,
  oneOf,
  personal,
  text,
  timestamp,
} from '../../record/field.ts'
import { idFilter, window, wordFilter } from '../../record/filter.ts'
import { assigned, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { automations } from './automations.ts'

const statuses = ['queued', 'running', 'completed', 'failed', 'canceled'] as const

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
    status: oneOf(statuses),
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
  status: wordFilter('status', statuses, 'Only runs in this status.'),
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
