import * as v from 'valibot'
import type { InstantRange, OfferCount, RevenueByDecision } from '../../ports/analytics.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/operation/meaning.ts'
import { jsonResponse } from '../record/operation/operation.ts'
import { jsonReply, PRIVATE } from '../record/operation/reply.ts'
import type { AnalyticsWorld } from './world.ts'
import { count, dateRange, organizationId, percentageOf } from './figures-schema.ts'
import { totalOf } from '../figures/total.ts'
import { percentage } from '../figures/ratio.ts'
import { nullsLast } from '../text/characters.ts'
import { LifetimeValue, lifetimeValue } from './members/lifetime-value.ts'
import { rangeOf } from './parameters.ts'
import { sampleOffers, sampleOrganizationId, sampleRange, sampleRevenue } from './samples.ts'

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
