import type { Resource } from '../record/resource.ts'
import { posBillingEvents, posStatusEvents } from './account-events.ts'
import { getCustomer, listCustomers, customers } from './customers.ts'
import { legacyVendorEndpoints } from './legacy-vendor-routes.ts'
import { getRecurringAccountDetails, listRecurringAccountDetails } from './recurring-account-details.ts'
import { getRecurringAccount, listRecurringAccounts, recurringAccounts } from './recurring-accounts.ts'
import { getTransaction, listTransactions, transactions } from './transactions.ts'

export { EVENTS_SHOWN_MAX } from './account-events.ts'
export { isPosKind, posKinds, posSourceKinds, SOURCE_NAME, SOURCE_NAME_FORM } from './source-kinds.ts'

/** The collections that can be read from a point-of-sale source, by name: their rows, filters and order. */
export const posCollections = {
  'pos-transactions': listTransactions,
  'pos-customers': listCustomers,
  'pos-recurring-accounts': listRecurringAccounts,
  'pos-recurring-account-details': listRecurringAccountDetails,
} as const

export const posResources: readonly Resource[] = Object.values(posCollections).map(({ resource }) => resource)

/**
 * The kinds of rows that an import writes to a source, by name. Details are not among them, because they are composed
 * of accounts and their events.
 */
export const writtenPosRows = {
  'pos-transactions': transactions,
  'pos-customers': customers,
  'pos-recurring-accounts': recurringAccounts,
  'pos-billing-events': posBillingEvents,
  'pos-status-events': posStatusEvents,
} as const

export const writtenPosResources: readonly Resource[] = Object.values(writtenPosRows)

/** The lists in the details of an account, each with the resource that describes its entries. */
export const eventLists: readonly (readonly [field: string, of: Resource])[] = [
  ['billingEvents', posBillingEvents],
  ['statusEvents', posStatusEvents],
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
