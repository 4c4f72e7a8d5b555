import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { id, integer, nullable, oneOf, text, timestamp } from '../record/field.ts'
import { idFilter, wordFilter } from '../record/filter.ts'
import { resource } from '../record/resource.ts'

export const accountStatuses = ['active', 'suspended', 'canceled', 'unknown'] as const
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

export const accountFilters = {
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
