import type { ChurnHorizonDays, TenureHorizonDays } from '../../ports/analytics.ts'
import * as v from 'valibot'

/**
 * `part / whole` rounded to the nearest whole number, halves up. The result is exact, unlike that of a floating-point
 * division.
 */
export function roundedQuotient(part: number, whole: number): number {
  const doubled = 2 * part + whole
  const remainder = doubled % (2 * whole)
  return (doubled - (remainder < 0 ? remainder + 2 * whole : remainder)) / (2 * whole)
}

/** `part / whole` rounded to two decimals, halves up; null when there is no whole. Both are whole numbers. */
export function quotient(part: number, whole: number): number | null {
  return whole === 0 ? null : roundedQuotient(part * 100, whole) / 100
}

/** `part` as a percentage of `whole`, rounded to two decimals, halves up; null when there is no whole. */
export function percentage(part: number, whole: number): number | null {
  return quotient(part * 100, whole)
}

/** The sum of a figure over items. */
export function totalOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0)
}

/** An object with a value for each horizon of the cohorts, a number of days since signup. */
export function byHorizon<Value>(of: (days: ChurnHorizonDays) => Value): Record<ChurnHorizonDays, Value> {
  return { 30: of(30), 60: of(60), 90: of(90), 180: of(180), 365: of(365) }
}

/** An object with a value for each horizon of tenures, a number of days that churned members had stayed at most. */
export function byTenureHorizon<Value>(
  of: (days: TenureHorizonDays) => Value,
): Record<TenureHorizonDays, Value> {
  return { 30: of(30), 90: of(90), 180: of(180), 365: of(365), 730: of(730) }
}

const DAY_MS = 86_400_000

/** The instant of a timestamp, or the first instant (UTC) of a date `YYYY-MM-DD`. */
function instantOf(dateOrTimestamp: string): string {
  return dateOrTimestamp.includes('T') ? dateOrTimestamp : `${dateOrTimestamp}T00:00:00.000Z`
}

interface Ending {
  readonly status: string
  readonly cancelDate: string | null
}

/**
 * When a membership was canceled: the cancelDate of a churned one. Null for any other membership, which is not a
 * cancellation record.
 */
export function cancellationInstant({ status, cancelDate }: Ending): string | null {
  return status === 'churned' && cancelDate !== null ? instantOf(cancelDate) : null
}

interface Site {
  readonly siteCode: string | null
  readonly siteName: string | null
}

interface Sites {
  readonly billingSiteCode: string | null
  readonly billingSiteName: string | null
  readonly creationSiteCode: string | null
  readonly creationSiteName: string | null
}

/** The billing site, else the creation site. Code and name always come from the same site. */
export function siteOf(membership: Sites): Site {
  const { billingSiteCode, billingSiteName, creationSiteCode, creationSiteName } = membership
  return billingSiteCode !== null || billingSiteName !== null
    ? { siteCode: billingSiteCode, siteName: billingSiteName }
    : { siteCode: creationSiteCode, siteName: creationSiteName }
}

/** Whole days from the first instant of the signup day to an instant; null when unknown or negative. */
export function tenureDays(signupDate: string | null, at: string): number | null {
  if (signupDate === null) return null
  const days = Math.floor((Date.parse(at) - Date.parse(instantOf(signupDate))) / DAY_MS)
  return days < 0 ? null : days
}

/** Whole days from a membership's signup to its cancellation; null when either is unknown, or it was not canceled. */
export function tenureDaysOf(membership: Ending & { readonly signupDate: string | null }): number | null {
  const canceledAt = cancellationInstant(membership)
  return canceledAt === null ? null : tenureDays(membership.signupDate, canceledAt)
}

const cents = v.nullable(v.pipe(v.number(), v.safeInteger()))

/** The part of a billing event of the first year that is stored with its membership. */
export const BillingEvent = v.strictObject({
  eventId: v.string(),
  occurredAt: v.string(),
  type: v.picklist(['payment', 'failed', 'discount']),
  amountCents: cents,
  discountName: v.nullable(v.string()),
  discountCents: cents,
})

export type BillingEvent = v.InferOutput<typeof BillingEvent>

/** How long a membership's first year lasts, and how long after the signup a discount counts as a signup discount. */
export const FIRST_YEAR_DAYS = 365
export const SIGNUP_DISCOUNT_DAYS = 30

interface SignupDiscount {
  readonly name: string | null
  readonly discountCents: number | null
  readonly occurredAt: string
}

export interface FirstYearPayment {
  readonly occurredAt: string
  readonly amountCents: number | null
  readonly status: 'paid' | 'failed'
}

/** The discounts of the first 30 days from the signup day, the end excluded, oldest first. */
export function signupDiscounts(
  signupDate: string | null,
  events: readonly BillingEvent[],
): SignupDiscount[] {
  return within(signupDate, SIGNUP_DISCOUNT_DAYS, events)
    .filter(({ type }) => type === 'discount')
    .map(({ discountName, discountCents, occurredAt }) => ({ name: discountName, discountCents, occurredAt }))
}

/** The payments, good and failed, of the first 365 days from the signup day, the end excluded, oldest first. */
export function firstYearPayments(
  signupDate: string | null,
  events: readonly BillingEvent[],
): FirstYearPayment[] {
  return within(signupDate, FIRST_YEAR_DAYS, events).flatMap(({ type, occurredAt, amountCents }) =>
    type === 'discount' ? [] : [{ occurredAt, amountCents, status: type === 'payment' ? 'paid' : 'failed' }],
  )
}

function within(signupDate: string | null, days: number, events: readonly BillingEvent[]): BillingEvent[] {
  if (signupDate === null) return []
  const startMs = Date.parse(instantOf(signupDate))
  return events
    .filter(({ occurredAt }) => {
      const sinceMs = Date.parse(occurredAt) - startMs
      return sinceMs >= 0 && sinceMs < days * DAY_MS
    })
    .toSorted((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
}

function placeOf({ occurredAt, eventId }: BillingEvent): string {
  return `${occurredAt} ${eventId}`
}

const WEEK_DAYS = 7

/** The length in months of the billing intervals that are measured in months. */
const intervalMonths: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }

interface Coverage {
  readonly expectedPayments: number | null
  readonly recordedPayments: number
  readonly coveragePct: number | null
  readonly complete: boolean
}

interface Billed {
  readonly signupDate: string | null
  readonly billingInterval: string | null
  readonly canceledAt: string
}

/** How many of the payments that were due in the first year are recorded. `coveragePct`: 0–100, two decimals. */
export function firstYearCoverage(membership: Billed, payments: readonly FirstYearPayment[]): Coverage {
  const expectedPayments = expectedPaymentsOf(membership)
  const recordedPayments = payments.filter(({ status }) => status === 'paid').length
  return {
    expectedPayments,
    recordedPayments,
    coveragePct: coveragePct(recordedPayments, expectedPayments),
    complete: expectedPayments !== null && recordedPayments >= expectedPayments,
  }
}

/**
 * The number of due dates, one for each billing interval, from the signup day until the cancellation or day 365,
 * whichever is earlier (excluded). Null when the interval or the signup is unknown.
 */
function expectedPaymentsOf({ signupDate, billingInterval, canceledAt }: Billed): number | null {
  if (signupDate === null || billingInterval === null) return null
  const startMs = Date.parse(instantOf(signupDate))
  const endMs = Math.min(Date.parse(canceledAt), startMs + FIRST_YEAR_DAYS * DAY_MS)
  const months = intervalMonths[billingInterval]
  const dueMs = (count: number) =>
    months === undefined
      ? startMs + count * WEEK_DAYS * DAY_MS
      : monthsLater(new Date(startMs), count * months)
  let count = 0
  while (dueMs(count) < endMs) count += 1
  return count
}

/** The same day of a later month, or the month's last day when it has no such day, in ms since 1970. */
function monthsLater(start: Date, months: number): number {
  const due = new Date(start)
  due.setUTCFullYear(start.getUTCFullYear(), start.getUTCMonth() + months, 1)
  const monthEnd = new Date(due)
  monthEnd.setUTCFullYear(due.getUTCFullYear(), due.getUTCMonth() + 1, 0)
  return due.setUTCDate(Math.min(start.getUTCDate(), monthEnd.getUTCDate()))
}

/** The percentage of expected payments that are recorded. More payments than expected count as 100 %. */
function coveragePct(recorded: number, expected: number | null): number | null {
  return expected === null ? null : percentage(Math.min(recorded, expected), expected)
}
