import type { MemberRecord } from '../../ports/analytics.ts'
import {
  boolean,
  date,
  dateOrTimestamp,
  id,
  integer,
  nullable,
  oneOf,
  text,
  textList,
  timestamp,
} from '../record/field.ts'
import { derived, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { countOf, firstDaysOf, latestOf } from '../record/tally.ts'
import { BillingEvent } from './cancellations/billing-event.ts'
import { cancellationInstant, siteOf, tenureDaysOf } from './cancellations/membership.ts'
import { FIRST_YEAR_DAYS } from './cancellations/first-year.ts'

const statuses = ['active', 'churned'] as const
const intervals = ['week', 'month', 'quarter', 'year'] as const
export const churnTypes = ['voluntary', 'involuntary'] as const

/**
 * Imported for cancellation records and analytics. No route publishes the rows themselves. The store keeps with each
 * membership what a cancellation record needs of its billing events, so that a page of records reads memberships alone.
 */
export const memberships = resource({
  name: 'Membership',
  collection: 'memberships',
  description: 'A recurring plan of a customer.',
  idField: 'membershipId',
  indexPairs: [
    ['isCancellation', 'churnType'],
    ['isCancellation', 'siteCode'],
  ],
  fields: {
    membershipId: id(),
    customerId: nullable(id()),
    signupDate: nullable(date()),
    status: oneOf(statuses),
    churnType: nullable(oneOf(churnTypes)),
    cancelDate: nullable(dateOrTimestamp()),
    cancelReason: nullable(text()),
    planName: nullable(text()),
    billingAmountCents: nullable(integer()),
    billingInterval: nullable(oneOf(intervals)),
    billingSiteCode: nullable(text()),
    billingSiteName: nullable(text()),
    creationSiteCode: nullable(text()),
    creationSiteName: nullable(text()),
    isOnTrial: boolean(),
    trialAmountCents: nullable(integer()),
    tags: textList(),
  },
  hidden: {
    updatedAt: updatedAt(),
    /** Whether it is a cancellation record: churned, at a known date. */
    isCancellation: derived(boolean()),
    canceledAt: derived(nullable(timestamp())),
    /** How long a churned member had stayed. */
    tenureDays: derived(nullable(integer(0))),
    siteCode: derived(nullable(text())),
    siteName: derived(nullable(text())),
    eventCount: countOf('billing-events', 'membershipId'),
    /** Changes with every change of a billing event, so that a sync sees the membership as changed too. */
    eventsChangedAt: latestOf('billing-events', 'membershipId', 'updatedAt'),
    firstYearEvents: firstDaysOf({
      collection: 'billing-events',
      by: 'membershipId',
      where: { field: 'type', words: ['payment', 'failed', 'discount'] },
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

/** The stored fields from which the members export is made. */
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
