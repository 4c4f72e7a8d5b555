import { describe, expect, test } from 'vitest'
import { firstYearCoverage, type FirstYearPayment } from './figures.ts'

const paid = (count: number): FirstYearPayment[] =>
  Array.from({ length: count }, () => ({
    occurredAt: '2025-01-01T00:00:00.000Z',
    amountCents: 1,
    status: 'paid',
  }))

const expected = (signupDate: string | null, billingInterval: string | null, canceledAt: string) =>
  firstYearCoverage({ signupDate, billingInterval, canceledAt }, []).expectedPayments

const LATE = '2030-01-01T00:00:00.000Z'

describe('due dates before the earlier of cancellation and day 365', () => {
  test.each([
    // Due dates from 1 Jan to 1 Dec; the next one, 1 Jan 2026, is day 365 itself.
    ['2025-01-01', 'month', LATE, 12],
    // 2024 is a leap year, so day 365 is 31 Dec.
    ['2024-01-01', 'month', LATE, 12],
    // Due dates from 29 Feb to 29 Jan. The next one would be 28 Feb 2025, which is day 365 itself.
    ['2024-02-29', 'month', LATE, 12],
    // The 53rd due date is on day 364.
    ['2025-01-01', 'week', LATE, 53],
    ['2025-01-01', 'quarter', LATE, 4],
    ['2025-01-01', 'year', LATE, 1],
    // Day 365 is 29 Feb 2024, so 1 Mar 2024 is after it.
    ['2023-03-01', 'year', LATE, 1],
    // Due on 31 Jan, and on 28 Feb at 00:00Z, which a cancellation at that instant excludes.
    ['2025-01-31', 'month', '2025-02-28T00:00:00.000Z', 1],
    ['2025-01-31', 'month', '2025-02-28T00:00:00.001Z', 2],
    ['2024-01-31', 'month', '2024-02-29T00:00:00.000Z', 1],
    ['2024-01-31', 'month', '2024-02-29T00:00:00.001Z', 2],
    // A date that was clamped to a short month does not shift the next one: 31 Mar, not 28 Mar.
    ['2025-01-31', 'month', '2025-03-31T00:00:00.000Z', 2],
    ['2025-01-31', 'month', '2025-03-31T12:00:00.000Z', 3],
    // Due on 30 Nov and on 28 Feb.
    ['2025-11-30', 'quarter', '2026-02-28T00:00:00.001Z', 2],
    ['2025-06-15', 'week', '2025-06-22T00:00:00.000Z', 1],
    // Canceled at the instant of the signup, or before it: nothing was due.
    ['2025-06-15', 'month', '2025-06-15T00:00:00.000Z', 0],
    ['2025-06-15', 'month', '2025-06-01T00:00:00.000Z', 0],
    ['2025-06-15', 'month', '2025-06-15T00:00:00.001Z', 1],
  ])('%s each %s until %s: %i', (signupDate, interval, canceledAt, count) => {
    expect(expected(signupDate, interval, canceledAt)).toBe(count)
  })

  test('are unknown without a signup or an interval', () => {
    expect(expected(null, 'month', LATE)).toBeNull()
    expect(expected('2025-01-01', null, LATE)).toBeNull()
  })
})

describe('coverage', () => {
  const until = (canceledAt: string, payments: readonly FirstYearPayment[]) =>
    firstYearCoverage({ signupDate: '2025-01-01', billingInterval: 'month', canceledAt }, payments)

  test('counts successful payments alone, to two decimals', () => {
    const failed: FirstYearPayment = {
      occurredAt: '2025-01-01T00:00:00.000Z',
      amountCents: null,
      status: 'failed',
    }
    expect(until('2025-03-15T00:00:00.000Z', [...paid(2), failed])).toEqual({
      expectedPayments: 3,
      recordedPayments: 2,
      coveragePct: 66.67,
      complete: false,
    })
  })

  test('is at most 100, and complete', () => {
    expect(until('2025-02-15T00:00:00.000Z', paid(3))).toEqual({
      expectedPayments: 2,
      recordedPayments: 3,
      coveragePct: 100,
      complete: true,
    })
  })

  test('has no percentage of nothing, and none of the unknown', () => {
    expect(until('2025-01-01T00:00:00.000Z', [])).toEqual({
      expectedPayments: 0,
      recordedPayments: 0,
      coveragePct: null,
      complete: true,
    })
    const unknown = { signupDate: '2025-01-01', billingInterval: null, canceledAt: LATE }
    expect(firstYearCoverage(unknown, paid(1))).toEqual({
      expectedPayments: null,
      recordedPayments: 1,
      coveragePct: null,
      complete: false,
    })
  })
})
