import type { Deprecation } from '../record/operation/deprecation.ts'
import type { CollectionEndpoint, DetailEndpoint } from '../record/endpoint.ts'
import { getCustomer, listCustomers } from './customers.ts'
import { getRecurringAccountDetails, listRecurringAccountDetails } from './recurring-account-details.ts'
import { getRecurringAccount, listRecurringAccounts } from './recurring-accounts.ts'
import { getTransaction, listTransactions } from './transactions.ts'

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
export const legacyVendorEndpoints = [
  formerCollection(listTransactions),
  formerDetail(getTransaction),
  formerCollection(listCustomers),
  formerDetail(getCustomer),
  formerCollection(listRecurringAccounts),
  formerDetail(getRecurringAccount),
  formerCollection(listRecurringAccountDetails),
  formerDetail(getRecurringAccountDetails),
] as const
