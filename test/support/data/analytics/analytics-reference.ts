/**
 * A second implementation of the five analytics endpoints, written from their definitions alone: slow, simple, and
 * without any of the service's own code. The service must give the same answers.
 */

/** Import lines of one organization, all keys given. */
export interface AnalyticsData {
  readonly memberships: readonly MembershipLine[]
  readonly billingEvents: readonly BillingLine[]
  readonly offerEvents: readonly OfferLine[]
  readonly surveyEvents: readonly SurveyLine[]
}

export interface MembershipLine {
  readonly membershipId: string
  readonly customerId: string | null
  readonly signupDate: string | null
  readonly status: 'active' | 'churned'
  readonly churnType: 'voluntary' | 'involuntary' | null
  readonly cancelDate: string | null
  readonly cancelReason: string | null
  readonly planName: string | null
  readonly billingAmountCents: number | null
  readonly billingInterval: null
  readonly billingSiteCode: string | null
  readonly billingSiteName: string | null
  readonly creationSiteCode: string | null
  readonly creationSiteName: string | null
  readonly isOnTrial: boolean
  readonly trialAmountCents: number | null
  readonly tags: readonly string[]
}

export interface BillingLine {
  readonly eventId: string
  readonly membershipId: string
  readonly occurredAt: string
  readonly type: 'payment' | 'failed' | 'refund' | 'discount'
  readonly amountCents: number | null
  readonly discountName: null
  readonly discountCents: null
}

export interface OfferLine {
  readonly eventId: string
  readonly offerId: string
  readonly offerName: string
  readonly targetPlanName: string | null
  readonly targetPlanPriceCents: number | null
  readonly membershipId: string | null
  readonly event: 'viewed' | 'accepted' | 'declined'
  readonly occurredAt: string
}

export interface SurveyLine {
  readonly eventId: string
  readonly membershipId: string | null
  readonly reasonCode: string
  readonly comment: string | null
  readonly occurredAt: string
}

type Parameters = Readonly<Record<string, string>>

/** The ms since 1970 of either form of a date. */
function ms(dateOrInstant: string): number {
  return new Date(dateOrInstant.length === 10 ? `${dateOrInstant}T00:00:00Z` : dateOrInstant).getTime()
}

interface Bounds {
  readonly from: number | null
  readonly to: number | null
}

/** The invalid bounds of the generator. They are listed, so that bounds need not be validated here. */
export const INVALID_BOUNDS = [
  '2025-02-30',
  '2025-02-29',
  '2025-1-1',
  'yesterday',
  '2025-01-01T00:00:00',
  '1735689600',
  ' 2025-01-01',
]

function bounds(start: string | undefined, end: string | undefined): Bounds {
  const usable = (text: string | undefined) =>
    text !== undefined && text !== '' && !INVALID_BOUNDS.includes(text)
  return {
    from: usable(start) ? ms(String(start)) : null,
    to: usable(end) ? (String(end).length === 10 ? ms(String(end)) + 86_400_000 - 1 : ms(String(end))) : null,
  }
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function inBounds(at: number | null, { from, to }: Bounds): boolean {
  if (at === null) return from === null && to === null
  if (from !== null && at < from) return false
  return to === null || at <= to
}

/** A ratio with two decimals, rounded half up, computed in whole numbers of any size. */
function ratio(part: number, whole: number, factor: bigint): number | null {
  if (whole === 0) return null
  const [numerator, denominator] = [BigInt(part) * factor * 2n + BigInt(whole), BigInt(whole) * 2n]
  return Number(numerator / denominator) / 100
}
const pct = (part: number, whole: number) => ratio(part, whole, 10_000n)

/** A quotient rounded half up to a whole number, also for negative values. */
function halfUp(part: number, whole: number): number {
  const [numerator, denominator] = [BigInt(part) * 2n + BigInt(whole), BigInt(whole) * 2n]
  const quotient = numerator / denominator
  return Number(numerator % denominator < 0n ? quotient - 1n : quotient)
}

function wholeDays(from: number, to: number): number | null {
  const days = Math.floor((to - from) / 86_400_000)
  return days < 0 ? null : days
}

function tenureOf(line: MembershipLine, now: number): number | null {
  if (line.signupDate === null) return null
  if (line.status === 'active') return wholeDays(ms(line.signupDate), now)
  return line.cancelDate === null ? null : wholeDays(ms(line.signupDate), ms(line.cancelDate))
}

/** Texts are ordered by their characters, as they are by the bytes of their UTF-8. Null comes last. */
function ascending(left: string | null, right: string | null): number {
  if (left === null) return right === null ? 0 : 1
  if (right === null) return -1
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** `GET /api/v1/members`. */
export function referenceMembers(
  organizationId: string,
  data: AnalyticsData,
  given: Parameters,
  now: number,
) {
  const signup = bounds(given.signupStart, given.signupEnd)
  const status = ['active', 'churned'].includes(String(given.status)) ? given.status : 'all'
  const limit =
    given.limit === undefined || !/^[1-9]\d*$/.test(given.limit) ? 500 : Math.min(1000, Number(given.limit))
  const offset = given.offset === undefined || !/^\d+$/.test(given.offset) ? 0 : Number(given.offset)
  const all = data.memberships
    .filter((line) => status === 'all' || line.status === status)
    .filter((line) => inBounds(line.signupDate === null ? null : ms(line.signupDate), signup))
    .sort((a, b) => {
      if (a.signupDate !== b.signupDate) {
        if (a.signupDate === null) return 1
        if (b.signupDate === null) return -1
        return ms(b.signupDate) - ms(a.signupDate)
      }
      return ascending(a.membershipId, b.membershipId)
    })
  const hasMore = offset + limit < all.length
  const money = (amountCents: number | null) =>
    amountCents === null ? null : Number((amountCents / 100).toFixed(2))
  return {
    organizationId,
    filters: { status, signupStart: iso(signup.from), signupEnd: iso(signup.to) },
    pagination: { limit, offset, hasMore, nextOffset: hasMore ? offset + limit : null },
    members: all.slice(offset, offset + limit).map((line) => ({
      membershipId: line.membershipId,
      customerId: line.customerId,
      signupDate: line.signupDate,
      status: line.status,
      churnType: line.churnType,
      cancelDate: line.cancelDate,
      tenureDays: tenureOf(line, now),
      planName: line.planName,
      billingAmount: money(line.billingAmountCents),
      billingSiteCode: line.billingSiteCode,
      billingSiteName: line.billingSiteName,
      creationSiteCode: line.creationSiteCode,
      creationSiteName: line.creationSiteName,
      isOnTrial: line.isOnTrial,
      trialAmount: money(line.trialAmountCents),
      tags: line.tags,
    })),
  }
}

/** `GET /api/v1/cohorts`. */
export function referenceCohorts(organizationId: string, data: AnalyticsData, given: Parameters) {
  const dimension = given.dimension ?? 'none'
  const { from, to } = bounds(given.start, given.end)
  const monthNumber = (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth()
  const [first, last] = [from === null ? null : monthNumber(from), to === null ? null : monthNumber(to)]
  const valueOf = (line: MembershipLine) =>
    dimension === 'plan' ? line.planName : dimension === 'site' ? line.billingSiteCode : null
  const inRange = data.memberships.filter(({ signupDate }) => {
    if (signupDate === null) return false
    const month = monthNumber(ms(signupDate))
    return (first === null || month >= first) && (last === null || month <= last)
  })
  const places: { month: string; value: string | null }[] = []
  for (const line of inRange) {
    const [month, value] = [String(line.signupDate).slice(0, 7), valueOf(line)]
    if (!places.some((place) => place.month === month && place.value === value)) places.push({ month, value })
  }
  places.sort((a, b) => ascending(a.month, b.month) || ascending(a.value, b.value))
  const known = new Set(inRange.map(valueOf).filter((value) => value !== null))
  const dated = data.memberships.filter(({ signupDate }) => signupDate !== null).length
  return {
    organizationId,
    dateRange: {
      start: first === null ? null : iso(Date.UTC(Math.floor(first / 12), first % 12, 1)),
      end: last === null ? null : iso(Date.UTC(Math.floor(last / 12), (last % 12) + 1, 1) - 1),
    },
    source: 'membership_signup',
    available: true,
    dimension,
    signupDateCoverage: {
      members: data.memberships.length,
      withSignupDate: dated,
      coveragePct: pct(dated, data.memberships.length),
    },
    dimensionValues: dimension === 'none' ? [] : [...known].sort(ascending),
    cohorts: places.map(({ month, value }) => {
      const group = inRange.filter(
        (line) => line.signupDate?.startsWith(month) === true && valueOf(line) === value,
      )
      const churned = group.filter(({ status }) => status === 'churned')
      const within = (days: number) =>
        churned.filter((line) => {
          const tenure = tenureOf(line, 0)
          return tenure !== null && tenure <= days
        }).length
      return {
        cohortMonth: month,
        dimensionValue: value,
        cohortSize: group.length,
        stillActive: group.filter(({ status }) => status === 'active').length,
        churned: churned.length,
        voluntary: churned.filter(({ churnType }) => churnType === 'voluntary').length,
        involuntary: churned.filter(({ churnType }) => churnType === 'involuntary').length,
        churnRatePct: pct(churned.length, group.length),
        churnWithin: { 30: within(30), 60: within(60), 90: within(90), 180: within(180), 365: within(365) },
      }
    }),
  }
}

/** `GET /api/v1/cancellations`. */
export function referenceCancellations(organizationId: string, data: AnalyticsData, given: Parameters) {
  const range = bounds(given.start, given.end)
  const canceled = data.memberships.filter(
    (line) =>
      line.status === 'churned' && inBounds(line.cancelDate === null ? null : ms(line.cancelDate), range),
  )
  const ofType = (type: string | null) => canceled.filter(({ churnType }) => churnType === type).length
  const kinds: { reason: string | null; churnType: MembershipLine['churnType']; count: number }[] = []
  for (const { cancelReason: reason, churnType } of canceled) {
    const same = kinds.find((kind) => kind.reason === reason && kind.churnType === churnType)
    if (same === undefined) kinds.push({ reason, churnType, count: 1 })
    else same.count += 1
  }
  kinds.sort(
    (a, b) => b.count - a.count || ascending(a.reason, b.reason) || ascending(a.churnType, b.churnType),
  )
  const tenures = canceled
    .map((line) => tenureOf(line, 0))
    .filter((days) => days !== null)
    .sort((a, b) => a - b)
  const middle = [tenures[Math.ceil(tenures.length / 2) - 1], tenures[Math.floor(tenures.length / 2)]]
  const bucket = (label: string, minDays: number, maxDays: number | null) => {
    const count = tenures.filter((days) => days >= minDays && days <= (maxDays ?? Infinity)).length
    return { label, minDays, maxDays, count, pct: pct(count, tenures.length) }
  }
  return {
    organizationId,
    dateRange: { start: iso(range.from), end: iso(range.to) },
    source: 'membership_status',
    available: true,
    totals: {
      cancellations: canceled.length,
      voluntary: ofType('voluntary'),
      involuntary: ofType('involuntary'),
      unknown: ofType(null),
      voluntaryPct: pct(ofType('voluntary'), canceled.length),
      involuntaryPct: pct(ofType('involuntary'), canceled.length),
    },
    reasons: kinds.map((kind) => ({ ...kind, pct: pct(kind.count, canceled.length) })),
    tenure: {
      averageDays: ratio(
        tenures.reduce((sum, days) => sum + days, 0),
        tenures.length,
        100n,
      ),
      medianDays: tenures.length === 0 ? null : (Number(middle[0]) + Number(middle[1])) / 2,
      known: tenures.length,
      unknown: canceled.length - tenures.length,
      buckets: [
        bucket('0–30', 0, 30),
        bucket('31–90', 31, 90),
        bucket('91–180', 91, 180),
        bucket('181–365', 181, 365),
        bucket('366–730', 366, 730),
        bucket('731+', 731, null),
      ],
    },
  }
}

/** Sorts earliest first; events of the same instant by id. */
function inTime(a: OfferLine, b: OfferLine): number {
  return ms(a.occurredAt) - ms(b.occurredAt) || ascending(a.eventId, b.eventId)
}

/** `GET /api/v1/retention-offers`, of an organization with billing events. */
export function referenceOffers(organizationId: string, data: AnalyticsData, given: Parameters) {
  const range = bounds(given.start, given.end)
  const events = data.offerEvents.filter(({ occurredAt }) => inBounds(ms(occurredAt), range)).sort(inTime)
  const countsOf = (some: readonly OfferLine[]) => {
    const [viewed, accepted, declined] = ['viewed', 'accepted', 'declined'].map(
      (kind) => some.filter(({ event }) => event === kind).length,
    ) as [number, number, number]
    return { viewed, accepted, declined, acceptanceRatePct: pct(accepted, viewed) }
  }
  const offers = [...new Set(events.map(({ offerId }) => offerId))].map((offerId) => {
    const own = events.filter((event) => event.offerId === offerId)
    const latest = own.at(-1)
    const price = latest?.targetPlanPriceCents ?? null
    return {
      offerId,
      offerName: latest?.offerName,
      targetPlanName: latest?.targetPlanName ?? null,
      targetPlanPrice: price === null ? null : Number((price / 100).toFixed(2)),
      ...countsOf(own),
    }
  })
  offers.sort((a, b) => b.viewed - a.viewed || ascending(a.offerId, b.offerId))
  return {
    organizationId,
    dateRange: { start: iso(range.from), end: iso(range.to) },
    totals: countsOf(events),
    offers,
    ltv: referenceLtv(events, data.billingEvents),
  }
}

function referenceLtv(events: readonly OfferLine[], billing: readonly BillingLine[]) {
  const lastDecision = new Map<string, string>()
  for (const { membershipId, event } of events) {
    if (membershipId !== null && event !== 'viewed') lastDecision.set(membershipId, event)
  }
  const revenues = { accepted: [] as number[], declined: [] as number[] }
  for (const [membershipId, decision] of lastDecision) {
    const own = billing.filter((event) => event.membershipId === membershipId)
    if (own.length === 0) continue
    let revenue = 0
    for (const { type, amountCents } of own) {
      if (type === 'payment') revenue += amountCents ?? 0
      if (type === 'refund') revenue -= amountCents ?? 0
    }
    revenues[decision as 'accepted' | 'declined'].push(revenue)
  }
  const known = revenues.accepted.length + revenues.declined.length
  if (lastDecision.size < 30 || known / lastDecision.size < 0.8) {
    return { acceptedMembers: null, declinedMembers: null, coverage: null, unavailableReason: 'a sentence' }
  }
  const group = (of: number[]) => {
    of.sort((a, b) => a - b)
    const sum = of.reduce((total, revenue) => total + revenue, 0)
    const middle = Number(of[Math.ceil(of.length / 2) - 1]) + Number(of[Math.floor(of.length / 2)])
    return {
      members: of.length,
      averageRevenueCents: of.length === 0 ? null : halfUp(sum, of.length),
      medianRevenueCents: of.length === 0 ? null : halfUp(middle, 2),
    }
  }
  return {
    acceptedMembers: group(revenues.accepted),
    declinedMembers: group(revenues.declined),
    coverage: {
      members: lastDecision.size,
      membersWithRevenue: known,
      coveragePct: pct(known, lastDecision.size),
    },
    unavailableReason: null,
  }
}

/** `GET /api/v1/cancellation-survey`, of a source that answers. */
export function referenceSurvey(organizationId: string, data: AnalyticsData, given: Parameters) {
  const range = bounds(given.start, given.end)
  const picked = data.surveyEvents.filter(({ occurredAt }) => inBounds(ms(occurredAt), range))
  const canonical = (code: string) => {
    let text = ''
    for (const character of code.toLowerCase()) {
      const plain = ' -_'.includes(character) ? '_' : character
      if (plain !== '_' || !text.endsWith('_')) text += plain
    }
    return text
  }
  const named = [...new Set(picked.map(({ reasonCode }) => canonical(reasonCode)))].map((code) => {
    const same = picked.filter(({ reasonCode }) => canonical(reasonCode) === code)
    const words = code.split('_').join(' ')
    return {
      code,
      row: {
        reason: words.slice(0, 1).toUpperCase() + words.slice(1),
        rawCodes: [...new Set(same.map(({ reasonCode }) => reasonCode))].sort(ascending),
        count: same.length,
        pct: pct(same.length, picked.length),
      },
    }
  })
  const other = named.find(({ code }) => code === 'other')?.row
  return {
    organizationId,
    dateRange: { start: iso(range.from), end: iso(range.to) },
    source: 'exit_survey',
    available: true,
    totals: { selections: picked.length },
    reasons: named
      .filter(({ code }) => code !== 'other')
      .map(({ row }) => row)
      .sort((a, b) => b.count - a.count || ascending(a.reason, b.reason)),
    other: { count: other?.count ?? 0, pct: other?.pct ?? 0 },
  }
}
