import { storedFields, type Resource } from '../record/resource.ts'
import {
  automationRuns,
  automations,
  getAutomationRun,
  listAutomationRuns,
  listRunsOfAutomation,
  getAutomation,
  listAutomations,
} from './automations.ts'
import { billingEvents, exitSurveyEvents, memberships, retentionOfferEvents } from './memberships.ts'
import { cases, getCase, listCases } from './cases.ts'
import { checkoutLinks, getCheckoutLink, listCheckoutLinks } from './checkout-links.ts'
import {
  contactLists,
  listMembers,
  getContactList,
  listContactLists,
  listContactsOfList,
} from './contact-lists.ts'
import { contacts, getContact, listContacts } from './contacts.ts'
import { formSubmissions, listFormSubmissions, listSubmissionsOfForm } from './form-submissions.ts'
import { forms, getForm, listForms } from './forms.ts'
import { linkEvents, analyzeLink, analyzeLinks } from './link-analytics.ts'
import { links, getLink, listLinks } from './links.ts'
import { marketingSignups, listMarketingSignups } from './marketing-signups.ts'
import { products, getProduct, listProducts } from './products.ts'
import { purchases, getPurchase, listPurchases } from './purchases.ts'
import { removals, listRemovals } from './removals.ts'
import { reviews, visibleReviews, listReviews } from './reviews.ts'
import { sites, getSite, listSites } from './sites.ts'
import {
  surveyResponses,
  getResponseOfSurvey,
  listResponsesOfSurvey,
  listSurveyResponses,
} from './survey-responses.ts'
import { surveys, getSurvey, listSurveys } from './surveys.ts'
import {
  voucherGroups,
  voucherRedemptions,
  vouchers,
  getVoucherGroup,
  listVoucherGroups,
  listVoucherRedemptions,
  getVoucher,
  listVouchers,
  listVouchersOfGroup,
} from './vouchers.ts'
import { posEndpoints } from '../pos/index.ts'
import { getCancellationRecord, listCancellationRecords } from './cancellation-records.ts'
import type { ReadEndpoint } from '../record/endpoint.ts'

const declared = [
  sites,
  products,
  checkoutLinks,
  contacts,
  contactLists,
  listMembers,
  marketingSignups,
  forms,
  formSubmissions,
  automations,
  automationRuns,
  voucherGroups,
  vouchers,
  voucherRedemptions,
  purchases,
  links,
  linkEvents,
  surveys,
  surveyResponses,
  cases,
  memberships,
  billingEvents,
  retentionOfferEvents,
  exitSurveyEvents,
  reviews,
  visibleReviews,
  removals,
] as const

/** One of the stored resources, with its own name and fields. */
export type DeclaredResource = (typeof declared)[number]

/**
 * Every stored resource. A resource comes after those to which it refers, so that imports can be made in this order.
 */
export const resources: readonly Resource[] = declared

/** The resources that imports write. The store makes the rows of the others from these. */
export const writtenResources: readonly Resource[] = resources.filter(({ keptFrom }) => keptFrom === null)

const byCollection = new Map(resources.map((resource) => [resource.collection, resource]))

/** The resource stored under a collection name. Throws for a name that no resource declares. */
export function resourceOf(collection: string): Resource {
  const found = byCollection.get(collection)
  if (found === undefined) throw new Error(`No resource is stored as ${collection}`)
  return found
}

/** Every read of a canonical resource: served from its record, without a handler of its own. */
export const reads: readonly ReadEndpoint[] = [
  listSites,
  getSite,
  listProducts,
  getProduct,
  listCheckoutLinks,
  getCheckoutLink,
  listPurchases,
  getPurchase,
  listContacts,
  getContact,
  listContactLists,
  getContactList,
  listContactsOfList,
  listMarketingSignups,
  listForms,
  getForm,
  listFormSubmissions,
  listSubmissionsOfForm,
  listVouchers,
  getVoucher,
  listVoucherRedemptions,
  listVoucherGroups,
  getVoucherGroup,
  listVouchersOfGroup,
  listLinks,
  getLink,
  analyzeLinks,
  analyzeLink,
  listAutomations,
  getAutomation,
  listAutomationRuns,
  listRunsOfAutomation,
  getAutomationRun,
  listSurveys,
  getSurvey,
  listSurveyResponses,
  listResponsesOfSurvey,
  getResponseOfSurvey,
  listCases,
  getCase,
  listReviews,
  listCancellationRecords,
  getCancellationRecord,
  listRemovals,
  ...posEndpoints,
]

/** That rows of a collection contain the id of a row of another one, and are nothing without it. */
export interface Reference {
  readonly to: string
  /** The collection with the id, and its field. */
  readonly from: string
  readonly by: string
}

/** Every reference that the records declare: by `refersTo`, joined fields, tallies, and the parents of nested routes. */
export const references: readonly Reference[] = [
  ...resources.flatMap((resource) => [
    ...storedFields(resource).flatMap(([by, entry]) => {
      if (entry.origin === 'imported' && entry.refersTo !== undefined)
        return [{ to: entry.refersTo, from: resource.collection, by }]
      const tally = entry.origin === 'assigned' ? entry.tally : null
      return tally === null ? [] : [{ to: resource.collection, from: tally.collection, by: tally.by }]
    }),
    ...Object.values(resource.fields).flatMap((entry) =>
      entry.origin === 'joined'
        ? [{ to: entry.join.collection, from: resource.collection, by: entry.join.by }]
        : [],
    ),
  ]),
  ...reads.flatMap((read) =>
    read.kind === 'collection' && read.rowsFrom !== 'pos' && read.parent !== null
      ? [{ to: read.parent.resource.collection, from: read.resource.collection, by: read.parent.param }]
      : [],
  ),
].filter(
  (one, index, all) =>
    all.findIndex(({ to, from, by }) => to === one.to && from === one.from && by === one.by) === index,
)

/** What each event tells of, by its word, as the records declare it. */
export const eventResources: ReadonlyMap<string, Resource> = new Map(
  resources.flatMap((resource) =>
    (resource.events ?? []).map((word): readonly [string, Resource] => [word, resource]),
  ),
)

/** The events of which a webhook can be told, besides those that are asked for. */
export const webhookEvents: readonly string[] = [...eventResources.keys()]
