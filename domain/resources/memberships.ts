import type { MemberRecord } from '../../ports/analytics.ts'
import {
  boolean,
  date,
  dateOrTimestamp,
  id,
  impersonal,
  integer,
  nullable,
  oneOf,
  text,
  textList,
  timestamp,
  summedCents,
  personal,
} from '../record/field.ts'
import { derived, orElse, updatedAt, countOf, firstDaysOf, latestOf } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { BillingEvent, cancellationInstant, siteOf, tenureDaysOf, FIRST_YEAR_DAYS } from './figures.ts'

export const membershipStatuses = ['active', 'churned'] as const
const intervals = ['week', 'month', 'quarter', 'year'] as const
export const churnTypes = ['voluntary', 'involuntary'] as const

/**
 * These rows are imported for cancellation records and analytics. No route publishes the rows themselves. With each
 * membership the store keeps the part of its billing events that a cancellation record needs, so that a page of records
 * reads memberships only.
 */
export const memberships = resource({
  name: 'Membership',
  collection: 'memberships',
  description: 'A recurring plan of a customer.',
  idField: 'membershipId',
  removal: { collection: 'cancellation-records', shownIf: 'isCancellation' },
  selectsMany: { isCancellation: ['canceledAt', 'updatedAt'] },
  fields: {
    membershipId: id(),
    customerId: nullable(id()),
    signupDate: nullable(date()),
    status: oneOf(membershipStatuses),
    churnType: nullable(oneOf(churnTypes)),
    cancelDate: nullable(dateOrTimestamp()),
    cancelReason: impersonal(nullable(text())),
    planName: impersonal(nullable(text())),
    billingAmountCents: nullable(integer()),
    billingInterval: nullable(oneOf(intervals)),
    billingSiteCode: impersonal(nullable(text())),
    billingSiteName: impersonal(nullable(text())),
    creationSiteCode: impersonal(nullable(text())),
    creationSiteName: impersonal(nullable(text())),
    isOnTrial: orElse(boolean(), false),
    trialAmountCents: nullable(integer()),
    tags: orElse(impersonal(textList()), []),
  },
  hidden: {
    updatedAt: updatedAt(),
    /** Whether the membership is a cancellation record: churned at a known date. */
    isCancellation: derived(boolean()),
    canceledAt: derived(nullable(timestamp())),
    /** How long a churned member had stayed, in whole days. */
    tenureDays: derived(nullable(integer(0))),
    siteCode: derived(impersonal(nullable(text()))),
    siteName: derived(impersonal(nullable(text()))),
    eventCount: countOf('billing-events', 'membershipId'),
    /**
     * The latest change of a billing event. It makes each such change also a change of the membership, which a sync
     * then sees.
     */
    eventsChangedAt: latestOf('billing-events', 'membershipId', 'updatedAt'),
    firstYearEvents: firstDaysOf({
      collection: 'billing-events',
      by: 'membershipId',
      where: { field: 'type', words: BillingEvent.entries.type.options },
      at: 'occurredAt',
      from: 'signupDate',
      days: FIRST_YEAR_DAYS,
      item: BillingEvent,
    }),
  },
  derive: {
    isCancellation: (row) => cancellationInstant(row) !== null,
    canceledAt: cancellationInstant,
    tenureDays: tenureDaysOf,
    siteCode: (row) => siteOf(row).siteCode,
    siteName: (row) => siteOf(row).siteName,
  },
})

/** The stored fields that the members export needs. */
export const memberFields = [
  'membershipId',
  'customerId',
  'signupDate',
  'status',
  'churnType',
  'cancelDate',
  'tenureDays',
  'planName',
  'billingAmountCents',
  'billingSiteCode',
  'billingSiteName',
  'creationSiteCode',
  'creationSiteName',
  'isOnTrial',
  'trialAmountCents',
  'tags',
] as const satisfies readonly (keyof MemberRecord)[]

const types = ['payment', 'failed', 'refund', 'discount'] as const

/** These rows are imported for cancellation records and analytics. No route publishes the rows themselves. */
export const billingEvents = resource({
  name: 'BillingEvent',
  collection: 'billing-events',
  description: 'One thing that happened in the billing of a membership.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    membershipId: id(),
    occurredAt: timestamp(),
    type: oneOf(types),
    amountCents: nullable(summedCents()),
    discountName: impersonal(nullable(text())),
    discountCents: nullable(summedCents()),
  },
  hidden: { updatedAt: updatedAt() },
})

const events = ['viewed', 'accepted', 'declined'] as const

/** These rows are imported for the analytics of retention offers. No route publishes the rows themselves. */
export const retentionOfferEvents = resource({
  name: 'RetentionOfferEvent',
  collection: 'retention-offer-events',
  description: 'A member who wanted to leave saw an offer to stay, or decided on it.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    offerId: id(),
    offerName: impersonal(text()),
    targetPlanName: impersonal(nullable(text())),
    targetPlanPriceCents: nullable(integer()),
    membershipId: nullable(id()),
    event: oneOf(events),
    occurredAt: timestamp(),
  },
  hidden: { updatedAt: updatedAt() },
})

/**
 * These rows are imported for the cancellation survey, where no analytics database is configured. No route publishes
 * the rows themselves.
 */
export const exitSurveyEvents = resource({
  name: 'ExitSurveyEvent',
  collection: 'exit-survey-events',
  description: 'A reason that a member picked when canceling in the portal.',
  idField: 'eventId',
  person: { stays: 'a membership leads to no contact, and no address is asked for' },
  fields: {
    eventId: id(),
    membershipId: nullable(id()),
    reasonCode: id(),
    comment: personal(nullable(text())),
    occurredAt: timestamp(),
  },
  hidden: { updatedAt: updatedAt() },
})
