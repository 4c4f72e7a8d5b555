import * as v from 'valibot'
import type { DecisionRevenue, RevenueByDecision } from '../../../ports/analytics.ts'
import { described } from '../../record/operation/meaning.ts'
import { cents, count, percentageOf } from '../figures-schema.ts'
import { percentage, roundedQuotient } from '../../figures/ratio.ts'

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
