import type { Draw } from '../draw.ts'
import { baseMs, createDraw } from '../draw.ts'

const COUNT = 200
const SEED = 200_2026
const SPAN_DAYS = 3 * 365
const DAY_MS = 86_400_000

type Choices<Choice> = readonly [Choice, ...Choice[]]

const sites: Choices<readonly [code: string, name: string]> = [
  ['RIV', 'Riverside'],
  ['DTN', 'Downtown'],
  ['APT', 'Airport'],
]
const plans: Choices<readonly [name: string, cents: number]> = [
  ['Basic', 1999],
  ['Deluxe', 2999],
  ['Unlimited', 4499],
]
const voluntaryReasons = ['moved', 'too_expensive', 'sold_car'] as const

interface DemoMembership {
  readonly membershipId: string
  readonly status: 'active' | 'churned'
  /** Ms since the epoch. */
  readonly signupMs: number
  readonly endMs: number
  readonly planName: string
  readonly billingAmountCents: number
  readonly churnType: 'voluntary' | 'involuntary' | null
}

/** The demo's members of three years, the same in every run. */
export function demoMemberships(): readonly DemoMembership[] {
  const draw = createDraw(SEED)
  return Array.from({ length: COUNT }, (_, index) => {
    // The signups are spread evenly, so that no month is empty.
    const daysAgo = 1 + Math.floor((index * SPAN_DAYS) / COUNT) + draw.below(5)
    const isChurned = draw.chance(45)
    const [planName, billingAmountCents] = draw.pick(plans)
    const signupMs = baseMs - daysAgo * DAY_MS
    return {
      membershipId: `membership-${String(index + 1).padStart(3, '0')}`,
      status: isChurned ? 'churned' : 'active',
      signupMs,
      endMs: isChurned ? signupMs + draw.below(daysAgo) * DAY_MS : baseMs,
      planName,
      billingAmountCents,
      churnType: isChurned ? (draw.chance(70) ? 'voluntary' : 'involuntary') : null,
    }
  })
}

/** The demo's memberships of three years as import lines; some have an unknown signup or cancellation day. */
export function membershipLines(): readonly object[] {
  const draw = createDraw(SEED + 1)
  return demoMemberships().map(({ signupMs, endMs, ...membership }) => {
    const [creationSiteCode, creationSiteName] = draw.pick(sites)
    const [billingSiteCode, billingSiteName] = draw.chance(70) ? draw.pick(sites) : [null, null]
    const isChurned = membership.status === 'churned'
    const isOnTrial = !isChurned && endMs - signupMs < 30 * DAY_MS
    return {
      ...membership,
      customerId: `customer-${membership.membershipId.slice(-3)}`,
      signupDate: draw.chance(96) ? dayOf(signupMs) : null,
      cancelDate: isChurned && draw.chance(95) ? dayOf(endMs) : null,
      cancelReason: reasonOf(membership.churnType, draw),
      billingInterval: 'month',
      billingSiteCode,
      billingSiteName,
      creationSiteCode,
      creationSiteName,
      isOnTrial,
      trialAmountCents: isOnTrial ? 100 : null,
      tags: draw.chance(20) ? ['fleet'] : [],
    }
  })
}

function reasonOf(churnType: DemoMembership['churnType'], draw: Draw): string | null {
  if (churnType === null) return null
  return churnType === 'voluntary' ? draw.pick(voluntaryReasons) : 'card_declined'
}

/** The billing events of these memberships, month by month, as import lines; one membership in twenty has none. */
export function* billingEventLines(): Generator<object> {
  const draw = createDraw(SEED + 2)
  for (const membership of demoMemberships()) {
    if (!draw.chance(5)) yield* eventsOf(membership, draw)
  }
}

function* eventsOf(
  { membershipId, signupMs, endMs, billingAmountCents, churnType }: DemoMembership,
  draw: Draw,
): Generator<object> {
  const event = (kind: string, occurredMs: number, values: object) => {
    const occurredAt = new Date(occurredMs).toISOString()
    return { eventId: `${membershipId}-${kind}`, membershipId, occurredAt, ...values }
  }
  const discountCents = draw.chance(40) ? Math.round(billingAmountCents / 2) : 0
  if (discountCents > 0) {
    yield event('discount', signupMs + 60_000, {
      type: 'discount',
      discountName: 'First month half price',
      discountCents,
    })
  }
  const minuteOfDay = draw.below(1_440)
  for (let month = 0; ; month += 1) {
    const dueMs = monthsLater(signupMs, month) + minuteOfDay * 60_000
    if (dueMs >= endMs) break
    const amountCents = billingAmountCents - (month === 0 ? discountCents : 0)
    if (draw.chance(4)) yield event(`failed-${month}`, dueMs, { type: 'failed', amountCents })
    else yield event(`payment-${month}`, dueMs, { type: 'payment', amountCents })
  }
  if (churnType === 'involuntary') yield event('failed-last', endMs, { type: 'failed', amountCents: null })
  if (churnType === 'voluntary' && draw.chance(20)) {
    yield event('refund', endMs, { type: 'refund', amountCents: billingAmountCents })
  }
}

/** The same day of a later month, or the last day of that month. */
function monthsLater(startMs: number, months: number): number {
  const start = new Date(startMs)
  const monthEnd = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0))
  return monthEnd.setUTCDate(Math.min(start.getUTCDate(), monthEnd.getUTCDate()))
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
