import type { Resource } from '../record/resource.ts'
import { automationRuns } from './automation-runs.ts'
import { automations } from './automations.ts'
import { billingEvents } from './billing-events.ts'
import { cases } from './cases.ts'
import { checkoutLinks } from './checkout-links.ts'
import { contactLists } from './contact-lists.ts'
import { contacts } from './contacts.ts'
import { exitSurveyEvents } from './exit-survey-events.ts'
import { formSubmissions } from './form-submissions.ts'
import { forms } from './forms.ts'
import { linkEvents } from './link-events.ts'
import { links } from './links.ts'
import { listMembers } from './list-members.ts'
import { marketingSignups } from './marketing-signups.ts'
import { memberships } from './memberships.ts'
import { products } from './products.ts'
import { purchases } from './purchases.ts'
import { removals } from './removals.ts'
import { retentionOfferEvents } from './retention-offer-events.ts'
import { reviews, visibleReviews } from './reviews.ts'
import { sites } from './sites.ts'
import { surveyResponses } from './survey-responses.ts'
import { surveys } from './surveys.ts'
import { voucherGroups } from './voucher-groups.ts'
import { voucherRedemptions } from './voucher-redemptions.ts'
import { vouchers } from './vouchers.ts'

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
