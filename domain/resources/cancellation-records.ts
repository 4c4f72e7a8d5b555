import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  boolean,
  date,
  id,
  Instant,
  integer,
  json,
  nullable,
  oneOf,
  text,
  timestamp,
} from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { computed, updatedAt } from '../record/resource-field.ts'
import { viewOf } from '../record/resource.ts'
import {
  firstYearCoverage,
  FIRST_YEAR_DAYS,
  firstYearPayments,
  SIGNUP_DISCOUNT_DAYS,
  signupDiscounts,
  type BillingEvent,
} from './figures.ts'
import { churnTypes, memberships } from './memberships.ts'

const wholeNumber = v.pipe(v.number(), v.safeInteger())
const count = v.pipe(wholeNumber, v.minValue(0))

const Discount = v.strictObject({
  name: v.nullable(v.string()),
  discountCents: v.nullable(wholeNumber),
  occurredAt: Instant,
})
const Payment = v.strictObject({
  occurredAt: Instant,
  amountCents: v.nullable(wholeNumber),
  status: v.picklist(['paid', 'failed']),
})
const PaymentCoverage = v.strictObject({
  expectedPayments: v.nullable(count),
  recordedPayments: count,
  coveragePct: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  complete: v.boolean(),
})

const discountUses = ['signupDate', 'firstYearEvents'] as const

interface FirstYear {
  readonly signupDate: string | null
  readonly firstYearEvents: readonly BillingEvent[]
}

function discountsOf({ signupDate, firstYearEvents }: FirstYear) {
  return signupDiscounts(signupDate, firstYearEvents)
}

function paymentsOf({ signupDate, firstYearEvents }: FirstYear) {
  return firstYearPayments(signupDate, firstYearEvents)
}

export const cancellationRecords = viewOf(memberships, {
  name: 'CancellationRecord',
  description:
    'A membership that ended at a known date, with the billing of its first year. ' +
    `\`signupDiscounts\` are those of the first ${SIGNUP_DISCOUNT_DAYS} days and \`hadSignupDiscount\` is null when nothing is known of ` +
    `the membership's billing. \`firstYearPaymentCoverage\` compares the payments that were due in the first ${FIRST_YEAR_DAYS} days, ` +
    'or until the cancellation, with those recorded. An import of billing events moves `updatedAt`.',
  only: { field: 'isCancellation', value: true },
  fields: {
    membershipId: id(),
    customerId: nullable(id()),
    siteCode: nullable(text()),
    siteName: nullable(text()),
    planName: nullable(text()),
    signupDate: nullable(date()),
    canceledAt: timestamp(),
    tenureDays: nullable(integer(0)),
    churnType: nullable(oneOf(churnTypes)),
    reason: computed(nullable(text()), ['cancelReason']),
    billingAmountCents: nullable(integer()),
    signupDiscounts: computed(json(v.array(Discount)), discountUses),
    hadSignupDiscount: computed(nullable(boolean()), [...discountUses, 'eventCount']),
    firstYearPayments: computed(json(v.array(Payment)), discountUses),
    firstYearPaymentCoverage: computed(json(PaymentCoverage), [
      ...discountUses,
      'billingInterval',
      'canceledAt',
    ]),
    updatedAt: updatedAt(),
  },
  compute: {
    reason: ({ cancelReason }) => cancelReason,
    signupDiscounts: discountsOf,
    hadSignupDiscount: ({ eventCount, ...row }) => (eventCount === 0 ? null : discountsOf(row).length > 0),
    firstYearPayments: paymentsOf,
    firstYearPaymentCoverage: (row) => firstYearCoverage(row, paymentsOf(row)),
  },
})

const needsBillingEvents = "Answers 400 when billing events are unavailable for the organization's provider."

export const listCancellationRecords = collection({
  id: 'cancellationRecords.list',
  path: '/api/v1/cancellations/records',
  tag: 'Cancellations',
  summary: 'List cancellation records',
  description: needsBillingEvents,
  resource: cancellationRecords,
  requires: 'billingEvents',
  filters: {
    churnType: wordFilter('churnType', churnTypes, 'Only cancellations of this type.'),
    siteCode: idFilter('siteCode', 'Only cancellations at the site with this code.'),
    ...window('canceledAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('canceledAt', 'membershipId'),
})

export const getCancellationRecord = detail({
  id: 'cancellationRecords.get',
  path: '/api/v1/cancellations/records/{membershipId}',
  tag: 'Cancellations',
  summary: 'Retrieve a cancellation record',
  description: `${needsBillingEvents} A membership that was not canceled, or at an unknown date, is not found.`,
  resource: cancellationRecords,
  requires: 'billingEvents',
})
