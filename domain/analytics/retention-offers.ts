import * as v from 'valibot'
import type { InstantRange, OfferCount, RevenueByDecision, DecisionRevenue } from '../../ports/analytics.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import {
  count,
  dateRange,
  organizationId,
  percentageOf,
  rangeOf,
  cents,
  type AnalyticsWorld,
  sampleOffers,
  sampleOrganizationId,
  sampleRange,
  sampleRevenue,
} from './report.ts'
import { totalOf, percentage, roundedQuotient } from '../resources/figures.ts'
import { nullsLast } from '../text/typed-text.ts'

/** An average over fewer members would mostly reflect chance. */
const DECIDING_MEMBERS_MIN = 30
/** With a smaller share, the average would describe only the members whose billing happens to be known. */
const COVERAGE_MIN_PCT = 80

const Group = v.strictObject({
  members: described(count, 'Members of the group of whom any billing event is known.'),
  averageRevenueCents: described(
    v.nullable(cents),
    'Mean of their revenue, to the cent, halves up; null when there are none.',
  ),
  medianRevenueCents: described(
    v.nullable(cents),
    'Median of their revenue, of an even number the mean of the middle two, halves up; null when there are none.',
  ),
})

const Coverage = v.strictObject({
  members: described(count, 'Members who decided in range.'),
  membersWithRevenue: described(count, 'Those of whom any billing event is known.'),
  coveragePct: percentageOf('`membersWithRevenue` of `members`.'),
})

export const LifetimeValue = described(
  v.strictObject({
    acceptedMembers: v.nullable(Group),
    declinedMembers: v.nullable(Group),
    coverage: v.nullable(Coverage),
    unavailableReason: v.nullable(v.string()),
  }),
  `What members brought in, by their last decision in range (accepted or declined). A member's revenue is payments less refunds over all their billing events, whenever they were; an event of unknown amount adds nothing. Available when at least ${DECIDING_MEMBERS_MIN} members decided and any billing event is known of at least ${COVERAGE_MIN_PCT} % of them; else everything but \`unavailableReason\` is null.`,
)

const counts = {
  viewed: described(count, 'Times an offer was shown.'),
  accepted: described(count, 'Times it was accepted.'),
  declined: described(count, 'Times it was declined.'),
  acceptanceRatePct: percentageOf(
    '`accepted` of `viewed`; above 100 when offers were accepted in range that were shown before it.',
  ),
}

const OfferRow = v.strictObject({
  offerId: v.string(),
  offerName: described(
    v.string(),
    'As the latest event of the offer in range says, like the plan and its price.',
  ),
  targetPlanName: v.nullable(v.string()),
  targetPlanPrice: described(v.nullable(v.number()), 'In units of the currency: 19.99.'),
  ...counts,
})

const RetentionOffers = v.strictObject({
  organizationId,
  dateRange,
  totals: described(v.strictObject(counts), 'Sums over all offers.'),
  offers: described(
    v.array(OfferRow),
    'The offers with any event in range, by `viewed` descending, then by `offerId`.',
  ),
  ltv: LifetimeValue,
})

export const getRetentionOffers = handled(
  {
    access: 'tenant',
    scope: 'read',
    requires: 'retentionOfferAnalytics',
    tag: 'Analytics',
    deprecated: true,
    summary: 'Report retention offers',
    description: 'What members who wanted to leave were offered, how they decided, and what they brought in.',
    query: rangeOf('the instant of an event'),
    responses: {
      200: jsonResponse(
        'The figures.',
        RetentionOffers,
        bodyOf(sampleOrganizationId, sampleRange, sampleOffers, sampleRevenue),
      ),
    },
  },
  async ({ query: range }, { analytics }: AnalyticsWorld, { organizationId: id, billingEvents }) => {
    const tenant = analytics.open(id)
    const [offers, revenue] = await Promise.all([
      tenant.retentionOffers(range),
      billingEvents ? tenant.revenueByDecision(range) : null,
    ])
    return jsonReply(200, bodyOf(id, range, offers, revenue), PRIVATE)
  },
)

/** @param revenue null: the organization has no billing events */
function bodyOf(
  id: string,
  range: InstantRange,
  offers: readonly OfferCount[],
  revenue: RevenueByDecision | null,
): v.InferOutput<typeof RetentionOffers> {
  return {
    organizationId: id,
    dateRange: range,
    totals: totalsOf(offers),
    offers: offers.toSorted(mostViewedFirst).map(offerRow),
    ltv: lifetimeValue(revenue),
  }
}

function totalsOf(offers: readonly OfferCount[]) {
  const viewed = totalOf(offers, (offer) => offer.viewed)
  const accepted = totalOf(offers, (offer) => offer.accepted)
  const declined = totalOf(offers, (offer) => offer.declined)
  return { viewed, accepted, declined, acceptanceRatePct: percentage(accepted, viewed) }
}

function mostViewedFirst(left: OfferCount, right: OfferCount): number {
  return right.viewed - left.viewed || nullsLast(left.offerId, right.offerId)
}

function offerRow(offer: OfferCount): v.InferOutput<typeof OfferRow> {
  const { offerId, offerName, targetPlanName, targetPlanPriceCents, viewed, accepted, declined } = offer
  return {
    offerId,
    offerName,
    targetPlanName,
    targetPlanPrice: targetPlanPriceCents === null ? null : targetPlanPriceCents / 100,
    viewed,
    accepted,
    declined,
    acceptanceRatePct: percentage(accepted, viewed),
  }
}

type LifetimeValueBody = v.InferOutput<typeof LifetimeValue>

/** The revenue of members, grouped by their decision. `revenue` is null for an organization without billing events. */
export function lifetimeValue(revenue: RevenueByDecision | null): LifetimeValueBody {
  if (revenue === null) return unavailable("Billing events are unavailable for the organization's provider.")
  const { accepted, declined } = revenue
  const members = accepted.members + declined.members
  const membersWithRevenue = accepted.membersWithRevenue + declined.membersWithRevenue
  if (members < DECIDING_MEMBERS_MIN) {
    return unavailable(`Fewer than ${DECIDING_MEMBERS_MIN} members decided on an offer in this range.`)
  }
  if (membersWithRevenue * 100 < members * COVERAGE_MIN_PCT) {
    return unavailable(
      `Billing events are known of fewer than ${COVERAGE_MIN_PCT} % of the members who decided on an offer in this range.`,
    )
  }
  return {
    acceptedMembers: groupBody(accepted),
    declinedMembers: groupBody(declined),
    coverage: { members, membersWithRevenue, coveragePct: percentage(membersWithRevenue, members) },
    unavailableReason: null,
  }
}

function unavailable(unavailableReason: string): LifetimeValueBody {
  return { acceptedMembers: null, declinedMembers: null, coverage: null, unavailableReason }
}

function groupBody({
  membersWithRevenue,
  revenueCents,
  middleCents,
}: DecisionRevenue): v.InferOutput<typeof Group> {
  return {
    members: membersWithRevenue,
    averageRevenueCents: membersWithRevenue === 0 ? null : roundedQuotient(revenueCents, membersWithRevenue),
    medianRevenueCents: middleCents === null ? null : roundedQuotient(middleCents[0] + middleCents[1], 2),
  }
}
