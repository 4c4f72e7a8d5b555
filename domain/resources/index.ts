import type { Resource } from '../record/resource.ts'
import { automationRuns } from './automations/automation-runs.ts'
import { automations } from './automations/automations.ts'
import { billingEvents } from './members/billing-events.ts'
import { cases } from './cases/cases.ts'
import { checkoutLinks } from './links/checkout-links.ts'
import { contactLists } from './contacts/contact-lists.ts'
import { contacts } from './contacts/contacts.ts'
import { exitSurveyEvents } from './members/exit-survey-events.ts'
import { formSubmissions } from './forms/form-submissions.ts'
import { forms } from './forms/forms.ts'
import { linkEvents } from './links/link-events.ts'
import { links } from './links/links.ts'
import { listMembers } from './contacts/list-members.ts'
import { marketingSignups } from './contacts/marketing-signups.ts'
import { memberships } from './members/memberships.ts'
import { products } from './sales/products.ts'
import { purchases } from './sales/purchases.ts'
import { removals } from './removals.ts'
import { retentionOfferEvents } from './members/retention-offer-events.ts'
import { reviews, visibleReviews } from './reviews.ts'
import { sites } from './sites.ts'
import { surveyResponses } from './surveys/survey-responses.ts'
import { surveys } from './surveys/surveys.ts'
import { voucherGroups } from './sales/voucher-groups.ts'
import { voucherRedemptions } from './sales/voucher-redemptions.ts'
import { vouchers } from './sales/vouchers.ts'

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
