import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  id,
  impersonal,
  integer,
  nullable,
  oneOf,
  personal,
  text,
  timestamp,
  IdInput,
  Instant,
  InstantInput,
  json,
  type Field,
} from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { derived, orElse, updatedAt } from '../record/resource-field.ts'
import { resource, summaryOf } from '../record/resource.ts'
import * as v from 'valibot'

const statuses = ['open', 'in_progress', 'waiting', 'resolved', 'closed'] as const
const actions = ['created', 'assigned', 'status_changed', 'commented', 'resolved', 'reopened'] as const
const requestTypes = ['cancellation', 'damage_claim', 'refund', 'billing', 'feedback', 'other'] as const
const sources = ['form', 'phone', 'email', 'sms', 'survey', 'walk_in', 'api'] as const

const customerKeys = ['customerId', 'name', 'email', 'phone', 'licensePlate'] as const
const siteKeys = ['siteId', 'name', 'commonName'] as const
const historyKeys = [
  'action',
  'from',
  'to',
  'resolution',
  'notes',
  'userName',
  'userEmail',
  'channel',
] as const
const noteKeys = ['comment', 'userName', 'userEmail'] as const

const line = v.nullable(v.string())
const optionalLine = v.nullish(v.string(), null)

const Customer = v.strictObject(v.entriesFromList(customerKeys, line))
const CustomerInput = v.strictObject({
  ...v.entriesFromList(customerKeys, optionalLine),
  customerId: v.nullish(IdInput, null),
})

const Site = v.strictObject(v.entriesFromList(siteKeys, line))
const SiteInput = v.strictObject({
  ...v.entriesFromList(siteKeys, optionalLine),
  siteId: v.nullish(IdInput, null),
})

/** The person who opened the case. Always an object, with null for what is unknown; an import may leave it out. */
export function caseCustomer(): Field<v.InferOutput<typeof Customer>> {
  return personal(json(Customer, v.nullish(CustomerInput, {})), v.parse(CustomerInput, {}))
}

/** The site that the case is about. Like the customer, always an object with null for unknown values. */
export function caseSite(): Field<v.InferOutput<typeof Site>> {
  return impersonal(json(Site, v.nullish(SiteInput, {})))
}

const Entry = v.strictObject({ timestamp: Instant, ...v.entriesFromList(historyKeys, line) })
const EntryInput = v.strictObject({
  timestamp: InstantInput,
  ...v.entriesFromList(historyKeys, optionalLine),
})

/** What was done, oldest first. */
export function caseHistory(): Field<v.InferOutput<typeof Entry>[]> {
  return personal(json(v.array(Entry), v.pipe(v.array(EntryInput), v.transform(inTimeOrder))), [])
}

const noteLines = v.entriesFromList(noteKeys, line)
const Note = v.strictObject({ timestamp: Instant, ...noteLines, system: v.boolean() })
const NoteInput = v.strictObject({
  timestamp: InstantInput,
  ...v.entriesFromList(noteKeys, optionalLine),
  system: v.boolean(),
})

/** The notes, oldest first; `system` marks a note that no person wrote. */
export function caseNotes(): Field<v.InferOutput<typeof Note>[]> {
  return personal(json(v.array(Note), v.pipe(v.array(NoteInput), v.transform(inTimeOrder))), [])
}

/**
 * Sorts entries by time. Entries of the same instant keep their order. Instants are ASCII texts of equal length, so
 * they can be compared as text.
 */
function inTimeOrder<Timed extends { readonly timestamp: string }>(entries: readonly Timed[]): Timed[] {
  const compare = (left: string, right: string) => Number(left > right) - Number(left < right)
  return entries.toSorted((left, right) => compare(left.timestamp, right.timestamp))
}

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
