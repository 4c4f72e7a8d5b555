import { groupsOf } from '../../domain/analytics/figures.ts'
import { isWithin } from '../../domain/analytics/range.ts'
import type { DecisionRevenue, InstantRange, OfferCount, RevenueByDecision } from '../../ports/analytics.ts'
import type { KeptRow, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** The offers with events in the range. */
export function offerCounts(tenant: TenantState, range: InstantRange): readonly OfferCount[] {
  const byOffer = groupsOf(eventsIn(tenant, range), ({ offerId }) => String(offerId))
  return [...byOffer].map(([offerId, events]) => {
    const count = (kind: string) => events.filter(({ event }) => event === kind).length
    const latest = latestOf(events)
    return {
      offerId,
      viewed: count('viewed'),
      accepted: count('accepted'),
      declined: count('declined'),
      offerName: String(latest?.offerName),
      targetPlanName: (latest?.targetPlanName ?? null) as string | null,
      targetPlanPriceCents: (latest?.targetPlanPriceCents ?? null) as number | null,
    }
  })
}

/** What those who decided brought in; nobody did without a tenant. */
export function revenueByDecision(tenant: TenantState | null, range: InstantRange): RevenueByDecision {
  const decisions = tenant === null ? [] : lastDecisions(tenant, range)
  const group = (decision: string): DecisionRevenue => {
    const members = decisions.filter(({ event }) => event === decision)
    const revenues = members
      .map(({ membershipId }) => (tenant === null ? null : revenueOf(tenant, membershipId)))
      .filter((revenue) => revenue !== null)
      .sort((left, right) => left - right)
    return {
      members: members.length,
      membersWithRevenue: revenues.length,
      revenueCents: revenues.reduce((sum, revenue) => sum + revenue, 0),
      middleCents: middleOf(revenues),
    }
  }
  return { accepted: group('accepted'), declined: group('declined') }
}

function eventsIn(tenant: TenantState, range: InstantRange): readonly KeptRow[] {
  const events = [...rowsOf(tenant, 'retention-offer-events').values()]
  return events.filter(({ occurredAt }) => isWithin(String(occurredAt), range))
}

function lastDecisions(tenant: TenantState, range: InstantRange): readonly KeptRow[] {
  const decisions = eventsIn(tenant, range).filter(
    ({ event, membershipId }) => event !== 'viewed' && typeof membershipId === 'string',
  )
  const byMember = groupsOf(decisions, ({ membershipId }) => membershipId)
  return [...byMember.values()].map(latestOf).filter((event) => event !== undefined)
}

function latestOf(events: readonly KeptRow[]): KeptRow | undefined {
  const placeOf = ({ occurredAt, eventId }: KeptRow) => `${String(occurredAt)} ${String(eventId)}`
  return events.toSorted((left, right) => compareBytes(placeOf(left), placeOf(right))).at(-1)
}

/** Payments less refunds; null when no billing event is known of the member. */
function revenueOf(tenant: TenantState, membershipId: KeptRow[string] | undefined): number | null {
  const events = [...rowsOf(tenant, 'billing-events').values()].filter(
    (event) => event.membershipId === membershipId,
  )
  if (events.length === 0) return null
  const sign: Readonly<Record<string, number>> = { payment: 1, refund: -1 }
  return events.reduce((sum, event) => sum + (sign[String(event.type)] ?? 0) * Number(event.amountCents), 0)
}

function middleOf(sorted: readonly number[]): readonly [number, number] | null {
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  const upper = sorted[Math.floor(sorted.length / 2)]
  return lower === undefined || upper === undefined ? null : [lower, upper]
}
