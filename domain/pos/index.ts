import type { Resource } from '../contract/resource.ts'
import { billingEvents, statusEvents } from './account-events.ts'
import { getCustomer, listCustomers } from './customers.ts'
import { legacyVendorEndpoints } from './legacy-vendor-routes.ts'
import {
  getRecurringAccountDetails,
  listRecurringAccountDetails,
  recurringAccountDetails,
} from './recurring-account-details.ts'
import { getRecurringAccount, listRecurringAccounts, recurringAccounts } from './recurring-accounts.ts'
import { customers } from './customers.ts'
import { getTransaction, listTransactions, transactions } from './transactions.ts'

export { EVENTS_SHOWN_MAX } from './account-events.ts'
export { posCapabilities } from './capabilities.ts'

/** What a point-of-sale source is asked for. */
export const posResources: readonly Resource[] = [
  transactions,
  customers,
  recurringAccounts,
  recurringAccountDetails,
]

/** What is written to a source by an import; the details of accounts are made of their events. */
export const writtenPosResources: readonly Resource[] = [
  transactions,
  customers,
  recurringAccounts,
  billingEvents,
  statusEvents,
]

/** The lists in the details of an account, each with the resource that its entries are rows of. */
export const eventLists: readonly (readonly [field: string, of: Resource])[] = [
  ['billingEvents', billingEvents],
  ['statusEvents', statusEvents],
]

/** Every endpoint of the point of sale, in the order of the contract document. */
export const posEndpoints = [
  listTransactions,
  getTransaction,
  listCustomers,
  getCustomer,
  listRecurringAccounts,
  getRecurringAccount,
  listRecurringAccountDetails,
  getRecurringAccountDetails,
  ...legacyVendorEndpoints,
] as const
