import type {
  Cancellations,
  Cohorts,
  InstantRange,
  MemberRecord,
  OfferCount,
  RevenueByDecision,
} from '../../ports/analytics.ts'
import type { ReasonCount } from '../../ports/sources.ts'
import { byHorizon } from './churn-horizons.ts'

// The data from which the examples of the contract document are computed. They are computed by the functions that also
// compute replies, so the examples agree with the definitions beside them and with each other.

export const sampleOrganizationId = 'demo'

/** The range that the examples of the parameters give. */
export const sampleRange: InstantRange = {
  start: '2026-01-01T00:00:00.000Z',
  end: '2026-03-31T23:59:59.999Z',
}

const site = { billingSiteCode: 'RIV', billingSiteName: 'Riverside' } as const

export const sampleMembers: readonly MemberRecord[] = [
  {
    membershipId: 'member-0815',
    customerId: 'cust-1077',
    signupDate: '2026-02-14',
    status: 'churned',
    churnType: 'voluntary',
    cancelDate: '2026-05-01',
    tenureDays: 76,
    planName: 'Unlimited',
    billingAmountCents: 2999,
    ...site,
    creationSiteCode: 'DTN',
    creationSiteName: 'Downtown',
    isOnTrial: false,
    trialAmountCents: 999,
    tags: ['vip'],
  },
  {
    membershipId: 'member-0742',
    customerId: null,
    signupDate: '2026-01-30',
    status: 'active',
    churnType: null,
    cancelDate: null,
    tenureDays: null,
    planName: 'Basic',
    billingAmountCents: 1499,
    ...site,
    creationSiteCode: 'RIV',
    creationSiteName: 'Riverside',
    isOnTrial: true,
    trialAmountCents: null,
    tags: [],
  },
]

/** The instant at which the tenure of the example's active member is measured. */
export const sampleNow = '2026-05-19T09:30:00.000Z'

export const sampleCohorts: Cohorts = {
  members: 1250,
  membersWithSignupDate: 1180,
  cohorts: [
    {
      month: '2026-01',
      value: 'Basic',
      members: 80,
      churned: 12,
      voluntary: 9,
      involuntary: 2,
      churnedWithinDays: byHorizon((days) => ({ 30: 3, 60: 7, 90: 10, 180: 12, 365: 12 })[days]),
    },
    {
      month: '2026-02',
      value: 'Unlimited',
      members: 120,
      churned: 24,
      voluntary: 18,
      involuntary: 6,
      churnedWithinDays: byHorizon((days) => ({ 30: 6, 60: 11, 90: 24, 180: 24, 365: 24 })[days]),
    },
  ],
}

export const sampleOffers: readonly OfferCount[] = [
  {
    offerId: 'offer-half-price',
    viewed: 200,
    accepted: 60,
    declined: 110,
    offerName: 'Half price for three months',
    targetPlanName: 'Basic',
    targetPlanPriceCents: 1499,
  },
]

export const sampleRevenue: RevenueByDecision = {
  accepted: { members: 60, membersWithRevenue: 55, revenueCents: 992_750, middleCents: [17_994, 17_994] },
  declined: { members: 110, membersWithRevenue: 95, revenueCents: 855_000, middleCents: [8_900, 8_900] },
}

export const sampleCancellations: Cancellations = {
  reasons: [
    { reason: 'Moved away', churnType: 'voluntary', count: 18 },
    { reason: 'Card declined', churnType: 'involuntary', count: 5 },
    { reason: null, churnType: null, count: 1 },
  ],
  // 4 stayed 12 days, 9 stayed 75, 8 stayed 200, and 2 stayed 800.
  tenure: {
    known: 23,
    unknown: 1,
    totalDays: 3923,
    membersWithinDays: { 30: 4, 90: 13, 180: 13, 365: 21, 730: 21 },
    middleDays: [75, 75],
  },
}

export const sampleReasonCounts: readonly ReasonCount[] = [
  { code: 'too-expensive', count: 12 },
  { code: 'too_expensive', count: 9 },
  { code: 'moved_away', count: 7 },
  { code: 'other', count: 12 },
]
