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
} from '../contract/field.ts'
import { derived, resource, updatedAt } from '../contract/resource.ts'
import { countOf, firstDaysOf, latestOf } from '../contract/tally.ts'
import { BillingEvent } from './cancellations/billing-event.ts'
import { cancellationInstant, siteOf, tenureDaysOf } from './cancellations/membership.ts'
import { FIRST_YEAR_DAYS } from './cancellations/first-year.ts'

const statuses = ['active', 'churned'] as const
const intervals = ['week', 'month', 'quarter', 'year'] as const
export const churnTypes = ['voluntary', 'involuntary'] as const

/**
 * Imported for cancellation records and analytics; no route publishes them as they are. What a cancellation record
 * needs of billing events is kept with the membership, so that a page of records reads memberships alone.
 */
export const memberships = resource({
  name: 'Membership',
  collection: 'memberships',
  description: 'A recurring plan of a customer.',
  idField: 'membershipId',
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
    isCancellation: derived(boolean(), (row) => cancellationInstant(row) !== null),
    canceledAt: derived(nullable(timestamp()), cancellationInstant),
    /** How long a churned member had stayed. */
    tenureDays: derived(nullable(integer(0)), tenureDaysOf),
    siteCode: derived(nullable(text()), (row) => siteOf(row).siteCode),
    siteName: derived(nullable(text()), (row) => siteOf(row).siteName),
    eventCount: countOf('billing-events', 'membershipId'),
    /** Moves with every change of an event, so that each is a change of the membership too. */
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
})

/** The stored fields that the members export is made of. */
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
