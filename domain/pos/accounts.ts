import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { id, integer, nullable, oneOf, text, timestamp, json } from '../record/field.ts'
import { idFilter, wordFilter } from '../record/filter.ts'
import { resource, type Resource } from '../record/resource.ts'
import * as v from 'valibot'

const accountStatuses = ['active', 'suspended', 'canceled', 'unknown'] as const
const intervals = ['week', 'month', 'quarter', 'year'] as const

export const recurringAccounts = resource({
  name: 'PosRecurringAccount',
  collection: 'pos-recurring-accounts',
  description:
    'A membership or other recurring plan at the point of sale. Ordered by `startedAt`, accounts of an unknown start ' +
    'last.',
  idField: 'accountId',
  fields: {
    accountId: id(),
    customerId: nullable(id()),
    status: oneOf(accountStatuses),
    planCode: nullable(text()),
    planName: nullable(text()),
    amountCents: nullable(integer()),
    billingInterval: nullable(oneOf(intervals)),
    siteCode: nullable(text()),
    startedAt: nullable(timestamp()),
    nextBillingAt: nullable(timestamp()),
    canceledAt: nullable(timestamp()),
  },
})

const accountFilters = {
  customerId: idFilter('customerId', 'Only accounts of this customer.'),
  status: wordFilter('status', accountStatuses, 'Only accounts in this status.'),
  siteCode: idFilter('siteCode', 'Only accounts at the site with this code.'),
}

export const listRecurringAccounts = collection({
  id: 'posRecurringAccounts.list',
  path: '/api/v1/pos/recurring-accounts',
  tag: 'Point of sale',
  summary: 'List recurring accounts',
  resource: recurringAccounts,
  rowsFrom: 'pos',
  filters: accountFilters,
  order: newestFirst('startedAt', 'accountId'),
})

export const getRecurringAccount = detail({
  id: 'posRecurringAccounts.get',
  path: '/api/v1/pos/recurring-accounts/{id}',
  param: 'id',
  tag: 'Point of sale',
  summary: 'Retrieve a recurring account',
  resource: recurringAccounts,
  rowsFrom: 'pos',
})

/** The maximum number of events of each kind in the details of an account (contract, POS rules 4). */
export const EVENTS_SHOWN_MAX = 24

const billingTypes = ['payment', 'refund', 'chargeback', 'adjustment', 'discount', 'unknown'] as const
const billingResults = ['success', 'failed', 'pending', 'unknown'] as const

const billingFields = {
  eventId: id(),
  occurredAt: timestamp(),
  type: oneOf(billingTypes),
  amountCents: nullable(integer()),
  result: nullable(oneOf(billingResults)),
}

const statusFields = {
  eventId: id(),
  occurredAt: timestamp(),
  fromStatus: nullable(oneOf(accountStatuses)),
  toStatus: oneOf(accountStatuses),
  reason: nullable(text()),
}

/**
 * These rows are imported for the details of accounts, which show the latest events. No route publishes the rows
 * themselves.
 */
export const posBillingEvents = resource({
  name: 'PosBillingEvent',
  collection: 'pos-billing-events',
  description: 'One thing that happened in the billing of a recurring account.',
  idField: 'eventId',
  fields: billingFields,
  hidden: { accountId: id() },
})

/** These rows are imported for the same purpose as `posBillingEvents`. */
export const posStatusEvents = resource({
  name: 'PosStatusEvent',
  collection: 'pos-status-events',
  description: 'A change of the status of a recurring account.',
  idField: 'eventId',
  fields: statusFields,
  hidden: { accountId: id() },
})

/** The published fields of an event in an account's list. */
function listOf({ fields }: Resource) {
  const entries = Object.entries(fields).map(([name, { field }]) => [name, field.schema] as const)
  return json(v.pipe(v.array(v.strictObject(Object.fromEntries(entries))), v.maxLength(EVENTS_SHOWN_MAX)))
}

const recurringAccountDetails = resource({
  name: 'PosRecurringAccountDetails',
  collection: 'pos-recurring-account-details',
  description: `A recurring account with its latest ${EVENTS_SHOWN_MAX} billing events and its latest ${EVENTS_SHOWN_MAX} status events, newest first.`,
  idField: 'accountId',
  fields: {
    ...recurringAccounts.fields,
    billingEvents: listOf(posBillingEvents),
    statusEvents: listOf(posStatusEvents),
  },
})

export const listRecurringAccountDetails = collection({
  id: 'posRecurringAccountDetails.list',
  path: '/api/v1/pos/recurring-account-details',
  tag: 'Point of sale',
  summary: 'List recurring accounts with their events',
  resource: recurringAccountDetails,
  rowsFrom: 'pos',
  filters: accountFilters,
  order: newestFirst('startedAt', 'accountId'),
})

export const getRecurringAccountDetails = detail({
  id: 'posRecurringAccountDetails.get',
  path: '/api/v1/pos/recurring-account-details/{id}',
  param: 'id',
  tag: 'Point of sale',
  summary: 'Retrieve a recurring account with its events',
  resource: recurringAccountDetails,
  rowsFrom: 'pos',
})
