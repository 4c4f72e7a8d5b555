import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { json } from '../record/field.ts'
import { resource, type Resource } from '../record/resource.ts'
import { posBillingEvents, EVENTS_SHOWN_MAX, posStatusEvents } from './account-events.ts'
import { accountFilters, recurringAccounts } from './recurring-accounts.ts'

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
