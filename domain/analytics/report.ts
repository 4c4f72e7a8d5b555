import type { ParameterReading, QueryParameter } from '../record/operation.ts'
import { readLimit } from '../read/query.ts'
import { isCalendarDate, parseQueryInstant } from '../text/instant.ts'
import { described } from '../record/meaning.ts'
import type {
  Analytics,
  Cancellations,
  Cohorts,
  InstantRange,
  MemberRecord,
  OfferCount,
  RevenueByDecision,
} from '../../ports/analytics.ts'
import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { ExitSurveySource, ReasonCount } from '../../ports/sources.ts'
import { byHorizon } from '../resources/figures.ts'
import * as v from 'valibot'

// These endpoints are older than the strict ones. They ignore a parameter that they do not know, and one that is empty
// or given more than once, because then it is unclear which value is meant.

const BOUND =
  'A day (`YYYY-MM-DD`, UTC) or an ISO 8601 instant with an explicit offset (`+` is written `%2B`). Any other value, and a parameter given more than once, is ignored.'

type Bound = QueryParameter<string | null>

function bound(meaning: string, example: string, read: (text: string) => string | null): Bound {
  return {
    description: `${meaning} ${BOUND}`,
    schema: v.string(),
    example,
    read: lenient((text) => (text === null ? null : read(text))),
  }
}

/**
 * The parameter for the lower bound of a time; its value is the first instant that is included.
 * @param what the end of a sentence that begins with the bound
 */
export function startOf(what: string, read: (text: string) => string | null = lowerBound): Bound {
  const meaning = `Inclusive lower bound on ${what}; a day counts from its first instant.`
  return bound(meaning, '2026-01-01', read)
}

/** The parameter for the upper bound of a time; its value is the last instant that is included. */
export function endOf(what: string, read: (text: string) => string | null = upperBound): Bound {
  return bound(`Inclusive upper bound on ${what}; a day counts to its last instant.`, '2026-03-31', read)
}

/** The two parameters for the bounds of a time. */
export function rangeOf(what: string) {
  return { start: startOf(what), end: endOf(what) }
}

/** The two parameters for the bounds of a month (`YYYY-MM`). A bound is cut to its month without rounding. */
export function monthsOf(what: string) {
  const monthOf = (text: string) => upperBound(text)?.slice(0, 'YYYY-MM'.length) ?? null
  return { start: startOf(what, monthOf), end: endOf(what, monthOf) }
}

/**
 * A parameter that is one of several words; the first one is the default.
 * @param otherwise what any other text means
 */
export function wordOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
  otherwise: (words: Words) => ParameterReading<Words[number]>,
): QueryParameter<Words[number]> {
  return {
    description,
    schema: v.optional(v.picklist(words), words[0]),
    read: (given) => {
      const text = loneValue(given) ?? words[0]
      const value = words.find((word) => word === text)
      return value === undefined ? otherwise(words) : { kind: 'value', value }
    },
  }
}

/** The size of a page. */
export function limitOf(description: string, fallback: number, maximum: number): QueryParameter<number> {
  const schema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maximum))
  return {
    description,
    schema: v.optional(schema, fallback),
    read: (given) => ({ kind: 'value', value: readLimit(given, maximum, fallback) }),
  }
}

/** The parameter for how many rows to skip: a whole number up to `maximum`. Any other value means 0. */
export function offsetOf(description: string, maximum: number): QueryParameter<number> {
  return {
    description,
    schema: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
    read: lenient((text) => (text !== null && /^\d+$/.test(text) ? Math.min(Number(text), maximum) : 0)),
  }
}

/** A reader that never refuses a value. */
function lenient<Value>(read: (text: string | null) => Value): QueryParameter<Value>['read'] {
  return (given) => ({ kind: 'value', value: read(loneValue(given)) })
}

/** The text of a parameter; null when it is missing, empty or repeated. */
function loneValue([text = '', ...more]: readonly string[]): string | null {
  return text === '' || more.length > 0 ? null : text
}

/** The first instant of a day, or an exact instant; null when the text is neither. */
function lowerBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T00:00:00.000Z` : parseQueryInstant(text)
}

/** The last instant of a day, or an exact instant; null when the text is neither. */
function upperBound(text: string): string | null {
  return isCalendarDate(text) ? `${text}T23:59:59.999Z` : parseQueryInstant(text)
}

/** The parts that the bodies of several reports are made of. */

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const cents = v.pipe(v.number(), v.safeInteger())
const instant = v.pipe(v.string(), v.isoTimestamp())

/** A percentage, described by what it is a percentage of; null when the whole is zero. */
export function percentageOf(meaning: string) {
  return described(
    v.nullable(v.pipe(v.number(), v.minValue(0))),
    `${meaning} A percentage to two decimals, halves up; null when there is nothing to divide by.`,
  )
}

export const organizationId = described(v.string(), 'The organization bound to the key.')

export const dateRange = described(
  v.strictObject({ start: v.nullable(instant), end: v.nullable(instant) }),
  'The bounds as applied, both included, as exact instants; null: none was given, or it was ignored.',
)

/** The ports that the analytics need. */
export interface AnalyticsWorld {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

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
