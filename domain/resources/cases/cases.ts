import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import { id, impersonal, integer, nullable, oneOf, personal, text, timestamp } from '../../record/field.ts'
import { idFilter, window, wordFilter } from '../../record/filter.ts'
import { derived, orElse, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { summaryOf } from '../../record/views.ts'
import { caseCustomer, caseHistory, caseNotes, caseSite } from './case-parts.ts'

const statuses = ['open', 'in_progress', 'waiting', 'resolved', 'closed'] as const
const actions = ['created', 'assigned', 'status_changed', 'commented', 'resolved', 'reopened'] as const
const requestTypes = ['cancellation', 'damage_claim', 'refund', 'billing', 'feedback', 'other'] as const
const sources = ['form', 'phone', 'email', 'sms', 'survey', 'walk_in', 'api'] as const

export const cases = resource({
  name: 'Case',
  collection: 'cases',
  description: 'A request of a customer and how it was handled. `history` and `notes` are oldest first.',
  idField: 'caseId',
  person: { by: null, carriedIn: ['customer'] },
  removal: true,
  fields: {
    caseId: id(),
    ticketNumber: integer(),
    status: oneOf(statuses),
    action: nullable(oneOf(actions)),
    requestType: nullable(oneOf(requestTypes)),
    source: nullable(oneOf(sources)),
    customer: caseCustomer(),
    site: caseSite(),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
    assignedTo: impersonal(nullable(text())),
    resolution: personal(nullable(text())),
    category: impersonal(nullable(text())),
    history: orElse(caseHistory(), []),
    notes: orElse(caseNotes(), []),
  },
  hidden: {
    /** The id of the case's site. A filter needs it in a column of its own. */
    siteId: derived(nullable(id())),
  },
  derive: { siteId: ({ site }) => site.siteId },
})

export const listCases = collection({
  id: 'cases.list',
  path: '/api/v1/cases',
  tag: 'Cases',
  summary: 'List cases',
  description: 'The rows have neither `history` nor `notes`: retrieve a case to read them.',
  resource: summaryOf(cases, 'CaseSummary', ['history', 'notes']),
  filters: {
    status: wordFilter('status', statuses, 'Only cases in this status.'),
    siteId: idFilter('siteId', 'Only cases of this site.'),
    requestType: wordFilter('requestType', requestTypes, 'Only requests of this type.'),
    category: idFilter('category', 'Only cases in this category.'),
    assignedTo: idFilter('assignedTo', 'Only cases assigned to this person.'),
    ...window('submittedAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('submittedAt', 'caseId'),
})

export const getCase = detail({
  id: 'cases.get',
  path: '/api/v1/cases/{caseId}',
  tag: 'Cases',
  summary: 'Retrieve a case',
  resource: cases,
})
