import { percentage } from '../../figures/ratio.ts'
import { FIRST_YEAR_DAYS, type FirstYearPayment } from './first-year.ts'
import { instantOf } from './membership.ts'

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/** The length in months of the billing intervals that are measured in months. */
const intervalMonths: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }

export interface Coverage {
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
