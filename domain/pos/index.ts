import type { Resource } from '../record/resource.ts'
import {
  posBillingEvents,
  posStatusEvents,
  getRecurringAccountDetails,
  listRecurringAccountDetails,
  getRecurringAccount,
  listRecurringAccounts,
  recurringAccounts,
} from './accounts.ts'
import { getCustomer, listCustomers, customers } from './customers.ts'
import { getTransaction, listTransactions, transactions } from './transactions.ts'
import type { Deprecation, CollectionEndpoint, DetailEndpoint } from '../record/endpoint.ts'
import type { PosKind } from '../../ports/organizations.ts'
import type { PosCapabilities } from '../../ports/sources.ts'
import { keysOf } from '../text/encoding.ts'

export { EVENTS_SHOWN_MAX } from './accounts.ts'

/** What is known of a kind of source without asking one. */
interface PosSourceFacts {
  /** The capabilities of such a source. They are known even when a source is not configured or does not answer. */
  readonly capabilities: PosCapabilities
  /** How it identifies an organization: by a text that the source defines, or by the name of a data source. */
  readonly tenantIs: 'text' | 'source'
}

/** The kinds of sources, in the order in which messages list them. */
export const posSourceKinds: Readonly<Record<PosKind, PosSourceFacts>> = {
  legacy_vendor: { capabilities: { customerTransactionsNeedStart: false }, tenantIs: 'text' },
  odbc_shared: { capabilities: { customerTransactionsNeedStart: true }, tenantIs: 'text' },
  odbc_second: { capabilities: { customerTransactionsNeedStart: true }, tenantIs: 'source' },
}

const SOURCE_NAME_MAX_LENGTH = 64
/** The form of a data source's name, which is also a file name. */
export const SOURCE_NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${SOURCE_NAME_MAX_LENGTH - 1}}$`)
/** The same in words. */
export const SOURCE_NAME_FORM = `up to ${SOURCE_NAME_MAX_LENGTH} letters, digits, - and _, the first a letter or a digit`

/** The names of the kinds. */
export const posKinds = keysOf(posSourceKinds)

/** Whether a text is the name of a kind of source. */
export function isPosKind(name: string): name is PosKind {
  return Object.hasOwn(posSourceKinds, name)
}

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

const PREFIX = '/api/v1/pos/'

/** 2026-01-01T00:00:00Z. */
const DEPRECATED_SINCE_SECONDS = 1_767_225_600

type Former<Id extends string> = `legacyVendor${Capitalize<Id>}`

/** The common parts of an endpoint under the vendor's name, for the organizations of that vendor only. */
function common<const Id extends string>(neutral: CollectionEndpoint<Id> | DetailEndpoint<Id>) {
  const { id, summary, path } = neutral
  const deprecation: Deprecation = {
    sinceSeconds: DEPRECATED_SINCE_SECONDS,
    successor: { path, param: neutral.kind === 'detail' ? neutral.param : null },
  }
  return {
    // The compiler gives the result of a string method no literal type.
    id: `legacyVendor${id.charAt(0).toUpperCase()}${id.slice(1)}` as Former<Id>,
    summary: `${summary} (legacy vendor)`,
    description: [
      `Superseded by \`${path}\`, where pagination starts anew. Only organizations of the legacy vendor have it.`,
      neutral.description ?? '',
    ]
      .join(' ')
      .trimEnd(),
    deprecated: true,
    deprecation,
    onlyFor: 'legacy_vendor',
  } as const
}

/**
 * The deprecated form of a collection. Its cursors are bound to its own endpoint id, so they do not work with the
 * neutral form.
 */
function formerCollection<const Id extends string>(
  neutral: CollectionEndpoint<Id>,
): CollectionEndpoint<Former<Id>> {
  return { ...neutral, ...common(neutral), path: neutral.path.replace(PREFIX, `${PREFIX}legacyvendor/`) }
}

/** The deprecated form of a detail. Its path parameter is named after the resource's id. */
function formerDetail<const Id extends string>(neutral: DetailEndpoint<Id>): DetailEndpoint<Former<Id>> {
  const param = neutral.resource.idField
  const path = neutral.path
    .replace(PREFIX, `${PREFIX}legacyvendor/`)
    .replace(`{${neutral.param}}`, `{${param}}`)
  return { ...neutral, ...common(neutral), param, path }
}

/** The older provider-specific routes, derived from the neutral ones (contract, Versioning 3). */
const legacyVendorEndpoints = [
  formerCollection(listTransactions),
  formerDetail(getTransaction),
  formerCollection(listCustomers),
  formerDetail(getCustomer),
  formerCollection(listRecurringAccounts),
  formerDetail(getRecurringAccount),
  formerCollection(listRecurringAccountDetails),
  formerDetail(getRecurringAccountDetails),
] as const

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
