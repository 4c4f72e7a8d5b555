import {
  INVALID_BOUNDS,
  type AnalyticsData,
  type BillingLine,
  type MembershipLine,
  type OfferLine,
  type SurveyLine,
} from './analytics-reference.ts'
import { seededRandom } from '../../runner/fakes.ts'

/** Days and instants at which mistakes in counting by days and months would show. */
const edgeDays = ['2024-02-29', '2023-02-28', '2024-03-01', '2024-12-31', '2025-01-01', '2025-01-31', '2025-02-01', '2025-02-28', '2025-04-30', '1999-12-31'] // prettier-ignore
const edgeInstants = ['2025-01-31T23:59:59.999Z', '2025-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z', '2024-12-31T23:59:59.999Z', '2025-01-01T00:00:00.001Z', '2024-03-01T00:00:00.000Z'] // prettier-ignore
const plans = ['Basic', 'Deluxe', 'null', '', '"Quoted"', 'Größe 🚗', 'basic']
const sites = ['RIV', '10', '9', 'riv', ' ']
const reasons = ['moved', 'too_expensive', '', 'null']
const codes = ['too_expensive', 'Too-Expensive', 'too  expensive', 'TOO _-EXPENSIVE', 'tooexpensive', 'moved', 'Moved', 'other', 'OTHER', 'Other', '_odd_', 'élan', 'ÉLAN'] // prettier-ignore
const DAY_MS = 86_400_000

/** Random choices that are the same for one seed. */
export interface Chance {
  below(limit: number): number
  of(percent: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

export function chanceOf(seed: number): Chance {
  const next = seededRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    of: (percent) => below(100) < percent,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  }
}

function orNull<Value>(chance: Chance, percent: number, value: () => Value): Value | null {
  return chance.of(percent) ? null : value()
}

/** A random day, every second time an edge case. */
function day(chance: Chance): string {
  if (chance.of(50)) return chance.pick(edgeDays)
  return new Date(Date.UTC(2023, 0, 1) + chance.below(900) * DAY_MS).toISOString().slice(0, 10)
}

function instant(chance: Chance): string {
  if (chance.of(40)) return chance.pick(edgeInstants)
  return new Date(Date.UTC(2024, 0, 1) + chance.below(500 * DAY_MS)).toISOString()
}

function membership(chance: Chance, index: number): MembershipLine {
  const status = chance.of(60) ? 'churned' : 'active'
  return {
    membershipId: `m-${index}`,
    customerId: orNull(chance, 30, () => `c-${chance.below(20)}`),
    signupDate: orNull(chance, 12, () => day(chance)),
    status,
    // An active member may have values left from an earlier churn.
    churnType: orNull(chance, 25, () => chance.pick(['voluntary', 'involuntary'] as const)),
    cancelDate: orNull(chance, 12, () => (chance.of(50) ? day(chance) : instant(chance))),
    cancelReason: orNull(chance, 20, () => chance.pick(reasons)),
    planName: orNull(chance, 15, () => chance.pick(plans)),
    billingAmountCents: orNull(chance, 20, () => chance.pick([1999, 0, 1, 105, 2999, 123_456_789, -250])),
    billingInterval: null,
    billingSiteCode: orNull(chance, 25, () => chance.pick(sites)),
    billingSiteName: orNull(chance, 50, () => 'Riverside'),
    creationSiteCode: orNull(chance, 50, () => chance.pick(sites)),
    creationSiteName: null,
    isOnTrial: chance.of(20),
    trialAmountCents: orNull(chance, 80, () => 100),
    tags: chance.of(30) ? ['fleet', 'a "b"'] : [],
  }
}

function billing(chance: Chance, index: number): BillingLine {
  return {
    eventId: `b-${index}`,
    membershipId: `m-${chance.below(70)}`,
    occurredAt: instant(chance),
    type: chance.pick(['payment', 'payment', 'payment', 'refund', 'failed', 'discount'] as const),
    amountCents: orNull(chance, 10, () => chance.below(5000)),
    discountName: null,
    discountCents: null,
  }
}

function offer(chance: Chance, index: number): OfferLine {
  const offerId = `o-${chance.below(4)}`
  return {
    eventId: `e-${index}`,
    offerId,
    offerName: `${offerId} ${chance.below(3)}`,
    targetPlanName: orNull(chance, 20, () => chance.pick(plans)),
    targetPlanPriceCents: orNull(chance, 20, () => chance.below(5000)),
    // Some members have no billing events at all.
    membershipId: orNull(chance, 10, () => `m-${chance.below(75)}`),
    event: chance.pick(['viewed', 'viewed', 'accepted', 'declined'] as const),
    occurredAt: instant(chance),
  }
}

function survey(chance: Chance, index: number): SurveyLine {
  return {
    eventId: `s-${index}`,
    membershipId: null,
    reasonCode: chance.pick(codes),
    comment: orNull(chance, 80, () => 'It is a secret.'),
    occurredAt: instant(chance),
  }
}

/** Data of one organization: sometimes none, sometimes a little, sometimes enough for every figure. */
export function generatedData(chance: Chance, size: number): AnalyticsData {
  const rows = <Line>(count: number, make: (chance: Chance, index: number) => Line) =>
    Array.from({ length: count }, (_, index) => make(chance, index))
  return {
    memberships: rows(size, membership),
    billingEvents: rows(size * 4, billing),
    offerEvents: rows(size * 3, offer),
    surveyEvents: rows(size, survey),
  }
}

/** The same rows with some of them changed, for an import of updates. */
export function changedData(chance: Chance, data: AnalyticsData): AnalyticsData {
  const some = <Line>(lines: readonly Line[], make: (chance: Chance, index: number) => Line) =>
    lines.map((line, index) => (chance.of(40) ? make(chance, index) : line))
  return {
    memberships: some(data.memberships, membership),
    billingEvents: some(data.billingEvents, billing),
    offerEvents: some(data.offerEvents, offer),
    surveyEvents: some(data.surveyEvents, survey),
  }
}

function bound(chance: Chance): string | null {
  if (chance.of(25)) return null
  if (chance.of(15)) return chance.pick(INVALID_BOUNDS)
  if (chance.of(50)) return day(chance)
  const at = instant(chance)
  // The same instant in another zone, or with finer digits that change nothing.
  if (chance.of(30)) return new Date(Date.parse(at) + 5_400_000).toISOString().replace('Z', '+01:30')
  return chance.of(30) ? at.replace('Z', '000Z') : at
}

/** Two bounds under these names. Either may be missing, malformed, or reversed. */
export function generatedBounds(chance: Chance, startName: string, endName: string): Record<string, string> {
  const [start, end] = [bound(chance), bound(chance)]
  return { ...(start === null ? {} : { [startName]: start }), ...(end === null ? {} : { [endName]: end }) }
}
