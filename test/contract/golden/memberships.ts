import { extra, type Row } from './rows.ts'

// Memberships with their events, and the records of who left that follow from them by decision 5.

const { pick, isNull, word } = extra
const DAY_MS = 86_400_000
const COUNT = 48

const some = (name: string, index: number, count: number) =>
  isNull(`Membership.${name}`, index) ? null : `${name} ${pick(`Membership.${name}`, index, count)}`

/**
 * Memberships with one event each, or none: its type, and when it was in milliseconds from the signup. The bounds of
 * the first thirty days and of the first year lie between some of them; what else happened decides nothing.
 */
const LONE_EVENTS: readonly (readonly [type: string, sinceMs: number] | null)[] = [
  null,
  ['refund', 10 * DAY_MS],
  ['failed', 10 * DAY_MS],
  ['payment', 400 * DAY_MS],
  ['discount', 400 * DAY_MS],
  ['discount', -1],
  ['payment', -1],
  ['discount', 0],
  ['discount', 30 * DAY_MS - 1],
  ['discount', 30 * DAY_MS],
  ['payment', 365 * DAY_MS - 1],
  ['payment', 365 * DAY_MS],
  ['failed', 365 * DAY_MS - 1],
  ['failed', 365 * DAY_MS],
]
const LONE_SIGNUP = '2024-03-31'
/** Some left at the same time, written as a day and as an instant, and some just before and after a day. */
const LONE_CANCEL = [
  '2026-02-20',
  '2026-02-20T00:00:00.000Z',
  '2026-02-20T23:59:59.999Z',
  '2026-02-21T00:00:00.000Z',
  '2026-01-10T23:59:59.999Z',
]

const generated = Array.from({ length: COUNT }, (_, index): Row => {
  const status = index % 3 === 2 ? 'active' : 'churned'
  const signup = Date.UTC(2024, pick('Membership.month', index, 20), 1 + pick('Membership.day', index, 31))
  const days = [3, 30, 31, 60, 90, 91, 181, 365, 366, 731, -4][pick('Membership.days', index, 11)] ?? 0
  const canceled = new Date(signup + days * DAY_MS + (index % 2) * 4_567_000).toISOString()
  const isCanceled = status === 'churned' && index % 7 !== 0
  return {
    membershipId: `membershipId-${String((index * 5) % COUNT).padStart(2, '0')}`,
    customerId: some('customerId', index, 9),
    signupDate: index === 0 || index % 10 === 5 ? null : new Date(signup).toISOString().slice(0, 10),
    status,
    churnType: isNull('Membership.churnType', index)
      ? null
      : word('Membership.churnType', index, ['voluntary', 'involuntary']),
    cancelDate: isCanceled || index % 12 === 2 ? (index % 2 === 0 ? canceled.slice(0, 10) : canceled) : null,
    cancelReason: some('cancelReason', index, 4),
    planName: some('planName', index, 3),
    billingAmountCents: isNull('Membership.amount', index) ? null : 1000 + index * 37,
    billingInterval: isNull('Membership.interval', index)
      ? null
      : word('Membership.interval', index, ['week', 'month', 'quarter', 'year']),
    ...site('billing', index),
    ...site('creation', index),
    isOnTrial: pick('Membership.trial', index, 2) === 1,
    trialAmountCents: isNull('Membership.trialAmount', index) ? null : 100 + index * 11,
    tags: Array.from({ length: index % 3 }, (_, tag) => `tag ${tag}`),
  }
})

export const memberships: readonly Row[] = [
  ...generated,
  ...[...LONE_EVENTS, LONE_EVENTS[1]].map((_, index) => ({
    ...generated[1],
    membershipId: `lone-${String((index * 4) % 15).padStart(2, '0')}`,
    // The last one's signup is unknown.
    signupDate: index === LONE_EVENTS.length ? null : LONE_SIGNUP,
    billingInterval: 'month',
    cancelDate: LONE_CANCEL[index % LONE_CANCEL.length],
  })),
]

/** A site's code and name are known together. */
function site(kind: string, index: number): Row {
  const code = some(`${kind}SiteCode`, index, 3)
  return { [`${kind}SiteCode`]: code, [`${kind}SiteName`]: code === null ? null : `Name of ${code}` }
}

const msOf = (time: unknown) => (time === null ? null : Date.parse(time as string))
const signedUp = ({ signupDate }: Row) => msOf(signupDate)
const timeOf = ({ occurredAt }: Row) => Date.parse(occurredAt as string)
const leftAt = ({ cancelDate }: Row) => msOf(cancelDate)

/** Days after the signup: the edges of thirty days and of a year, to the millisecond. */
const OFFSETS_MS = [0, 5, 29, 30, 31, 90, 364, 365, 400].map((days) => days * DAY_MS)
const manyEvents = generated
  .filter((one, index) => signedUp(one) !== null && index % 4 !== 3)
  .flatMap((one, index) =>
    OFFSETS_MS.filter((_, at) => (at + index) % 4 !== 3).map((offset, at): Row => {
      const type = word(`Payment.type ${index % 5}`, at + index, ['payment', 'failed', 'refund', 'discount'])
      // Every second one lies a millisecond before its edge.
      const ms = Number(signedUp(one)) + offset - (offset > 0 && (index + at) % 2 === 0 ? 1 : 0)
      return {
        // Ids are in no order of time.
        eventId: `payment-${index}-${(at * 5) % 9}`,
        membershipId: one.membershipId,
        occurredAt: new Date(ms).toISOString(),
        type,
        // What was given as a discount is nobody's revenue, whatever amount stands with it.
        amountCents: (at + index) % 6 === 5 ? null : 500 + 10 * index + at,
        discountName: type === 'discount' && index % 3 > 0 ? `discount ${at}` : null,
        discountCents: type === 'discount' && index % 3 < 2 ? 50 + at : null,
      }
    }),
  )

export const paymentEvents: readonly Row[] = [
  ...manyEvents,
  ...memberships.slice(COUNT).flatMap(({ membershipId }, index) => {
    const [type, sinceMs] = [...LONE_EVENTS, LONE_EVENTS[1]][index] ?? []
    if (type === undefined || sinceMs === undefined) return []
    const occurredAt = new Date(Date.parse(LONE_SIGNUP) + sinceMs).toISOString()
    return [
      {
        ...{ eventId: `lone-${index}`, membershipId, occurredAt, type, amountCents: 900 + index },
        ...{ discountName: null, discountCents: type === 'discount' ? 90 : null },
      },
    ]
  }),
]

const eventsOf = ({ membershipId }: Row) =>
  paymentEvents
    .filter((event) => event.membershipId === membershipId)
    .toSorted((left, right) => (String(left.occurredAt) < String(right.occurredAt) ? -1 : 1))

/** Rounded half up to two decimals; null when there is nothing to divide by. */
const percent = (part: number, whole: number) =>
  whole === 0 ? null : Math.floor((part * 10_000) / whole + 0.5) / 100

/** Whole days from the signup; null when a date is unknown or they are negative. */
function tenureDays(one: Row, untilMs: number | null): number | null {
  const from = signedUp(one)
  if (from === null || untilMs === null) return null
  const days = Math.floor((untilMs - from) / DAY_MS)
  return untilMs < from ? null : days
}

/** The k-th due date: the end of a shorter month stands for a day that it does not have. */
function dueMs(fromMs: number, interval: string, k: number): number {
  if (interval === 'week') return fromMs + 7 * k * DAY_MS
  const months = k * ({ month: 1, quarter: 3, year: 12 }[interval] ?? 0)
  const from = new Date(fromMs)
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(from.getUTCDate(), last))
}

export const cancellationRecords = memberships
  .filter(({ status, cancelDate }) => status === 'churned' && cancelDate !== null)
  .map((one): Row => {
    const from = signedUp(one)
    const until = Number(leftAt(one))
    const events = eventsOf(one)
    const within = (days: number) => (event: Row) =>
      from !== null && timeOf(event) >= from && timeOf(event) < from + days * DAY_MS
    const signupDiscounts = events.filter(({ type }) => type === 'discount').filter(within(30))
    const payments = events.filter(({ type }) => type === 'payment' || type === 'failed').filter(within(365))
    const recorded = payments.filter(({ type }) => type === 'payment').length
    const end = Math.min(until, Number(from) + 365 * DAY_MS)
    const interval = one.billingInterval as string | null
    const dues = Array.from({ length: 60 }, (_, k) => dueMs(Number(from), String(interval), k))
    const expected = from === null || interval === null ? null : dues.filter((due) => due < end).length
    const pct = expected === null ? null : percent(recorded, expected)
    return {
      membershipId: one.membershipId,
      customerId: one.customerId,
      siteCode: one.billingSiteCode ?? one.creationSiteCode,
      siteName: one.billingSiteName ?? one.creationSiteName,
      planName: one.planName,
      signupDate: one.signupDate,
      canceledAt: new Date(until).toISOString(),
      tenureDays: tenureDays(one, until),
      churnType: one.churnType,
      reason: one.cancelReason,
      billingAmountCents: one.billingAmountCents,
      signupDiscounts: signupDiscounts.map(({ discountName, discountCents, occurredAt }) => ({
        name: discountName,
        discountCents,
        occurredAt,
      })),
      hadSignupDiscount: events.length === 0 ? null : signupDiscounts.length > 0,
      firstYearPayments: payments.map(({ occurredAt, amountCents, type }) => ({
        occurredAt,
        amountCents,
        status: type === 'payment' ? 'paid' : 'failed',
      })),
      firstYearPaymentCoverage: {
        expectedPayments: expected,
        recordedPayments: recorded,
        coveragePct: pct === null ? null : Math.min(100, pct),
        complete: expected !== null && recorded >= expected,
      },
    }
  })

const paying = new Set(paymentEvents.map(({ membershipId }) => membershipId))
const [payers, others] = [true, false].map((pays) =>
  memberships.map(({ membershipId }) => membershipId).filter((id) => paying.has(id) === pays),
) as [unknown[], unknown[]]

/** The first and last instants of days, and those just outside; some of the ranges that are asked for end there. */
const DAY_BORDERS = [
  '2026-01-10T23:59:59.999Z',
  '2026-01-11T00:00:00.000Z',
  '2026-02-20T23:59:59.999Z',
  '2026-02-21T00:00:00.000Z',
  '2026-02-20T00:00:00.000Z',
  '2026-01-11T00:00:00.001Z',
]

/** An event a day and more. As they go on, the members who decided pass thirty, and four of five of them have paid. */
export const offerEvents = Array.from({ length: 156 }, (_, index): Row => {
  const offer = pick('Offer.id', index, 3)
  const decider = index % 9 === 2 ? others[(index - 2) % others.length] : payers[(index * 7) % payers.length]
  return {
    eventId: `offer-${index}`,
    offerId: `offerId-${offer}`,
    // Names are in the opposite order of ids, so that offers that tie are told apart by their ids alone.
    offerName: `offer ${9 - offer} as of ${index % 4}`,
    targetPlanName: index % 5 === 0 ? null : `target ${index % 3}`,
    targetPlanPriceCents: index % 7 === 0 ? null : 1999 + index,
    membershipId: index % 11 === 10 ? null : decider,
    event: word('Offer.event', index, ['viewed', 'accepted', 'viewed', 'declined']),
    occurredAt:
      index < 150
        ? new Date(Date.UTC(2026, 0, 1) + ((index * 41) % 150) * 86_400_777).toISOString()
        : DAY_BORDERS[index - 150],
  }
})

export const surveyEvents = Array.from({ length: 46 }, (_, index): Row => ({
  eventId: `survey-${index}`,
  membershipId: index % 5 === 0 ? null : `membershipId-${String(index).padStart(2, '0')}`,
  reasonCode: [
    'too_expensive',
    'Too-Expensive',
    'moved  away',
    'other',
    'tooexpensive',
    'Other',
    'sold_car',
    'TOO EXPENSIVE',
  ][pick('Survey.code', index, 8)],
  comment: index % 3 === 0 ? null : `comment ${index}`,
  occurredAt:
    index < 40
      ? new Date(Date.UTC(2026, 0, 1) + ((index * 23) % 40) * 86_400_999).toISOString()
      : DAY_BORDERS[index - 40],
}))
