import type { Draw } from '../draw.ts'
import { createDraw } from '../draw.ts'
import { demoMemberships } from './memberships.ts'

const SEED = 36_2026
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

interface Offer {
  readonly offerId: string
  readonly offerName: string
  readonly targetPlanName: string | null
  readonly targetPlanPriceCents: number | null
}

const offers: readonly [Offer, ...Offer[]] = [
  { offerId: 'offer-half-price', offerName: 'Three months at half price', targetPlanName: null, targetPlanPriceCents: null }, // prettier-ignore
  { offerId: 'offer-basic', offerName: 'Move to Basic', targetPlanName: 'Basic', targetPlanPriceCents: 1999 },
  {
    offerId: 'offer-pause',
    offerName: 'Pause for a month',
    targetPlanName: null,
    targetPlanPriceCents: null,
  },
]

/** Spellings of reason codes, as old and new customer portals write them. */
const reasonCodes = ['too_expensive', 'Too-Expensive', 'moved', 'moved', 'sold_car', 'not_enough_use', 'other', 'Other'] as const // prettier-ignore

/**
 * A visit of a member to the last page before leaving. Members who left declined the offer; some who stayed accepted
 * it.
 */
interface Visit {
  readonly membershipId: string
  readonly atMs: number
  readonly decision: 'accepted' | 'declined' | null
}

function* visits(draw: Draw): Generator<Visit> {
  for (const { membershipId, status, churnType, signupMs, endMs } of demoMemberships()) {
    const days = Math.floor((endMs - signupMs) / DAY_MS)
    const left = status === 'churned' && churnType === 'voluntary' && draw.chance(85)
    const stayed = status === 'active' && days > 30 && draw.chance(40)
    if (!left && !stayed) continue
    const atMs = left ? endMs - draw.below(1_440) * MINUTE_MS : signupMs + draw.below(days) * DAY_MS
    yield { membershipId, atMs, decision: draw.chance(90) ? (left ? 'declined' : 'accepted') : null }
  }
}

/** The offers to members who wanted to leave, and the members' decisions, as import lines. */
export function* retentionOfferEventLines(): Generator<object> {
  const draw = createDraw(SEED)
  for (const { membershipId, atMs, decision } of visits(draw)) {
    const offer = draw.pick(offers)
    const event = (kind: string, occurredMs: number) => ({
      ...offer,
      eventId: `${membershipId}-${kind}`,
      membershipId,
      event: kind,
      occurredAt: new Date(occurredMs).toISOString(),
    })
    yield event('viewed', atMs)
    if (decision !== null) yield event(decision, atMs + MINUTE_MS)
  }
}

/** The reasons that members gave for leaving, as import lines. */
export function* exitSurveyEventLines(): Generator<object> {
  const draw = createDraw(SEED + 1)
  for (const { membershipId, atMs, decision } of visits(createDraw(SEED))) {
    if (!draw.chance(80)) continue
    yield {
      eventId: `${membershipId}-reason`,
      membershipId,
      reasonCode: draw.pick(reasonCodes),
      comment: decision === 'declined' && draw.chance(20) ? 'Thank you for the clean cars.' : null,
      occurredAt: new Date(atMs - MINUTE_MS).toISOString(),
    }
  }
}
