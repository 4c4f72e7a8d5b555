import { expect, test } from 'vitest'
import {
  firstYearPayments,
  signupDiscounts,
  cancellationInstant,
  siteOf,
  tenureDays,
  type BillingEvent,
} from './figures.ts'

function event(type: BillingEvent['type'], occurredAt: string, eventId = occurredAt): BillingEvent {
  return { eventId, occurredAt, type, amountCents: null, discountName: 'Half price', discountCents: 500 }
}

test('discounts count for 30 days from the start of the signup day, the end excluded, oldest first', () => {
  const times = [
    '2025-03-03T00:00:00.000Z',
    '2025-03-02T23:59:59.999Z',
    '2025-02-01T00:00:00.000Z',
    '2025-01-31T23:59:59.999Z',
  ]
  const events = [
    ...times.map((time) => event('discount', time)),
    event('payment', '2025-02-02T00:00:00.000Z'),
  ]
  expect(signupDiscounts('2025-02-01', events)).toEqual([
    { name: 'Half price', discountCents: 500, occurredAt: '2025-02-01T00:00:00.000Z' },
    { name: 'Half price', discountCents: 500, occurredAt: '2025-03-02T23:59:59.999Z' },
  ])
})

test('payments count for 365 days, which end on 29 February when a leap day comes', () => {
  const times = ['2024-02-29T00:00:00.000Z', '2024-02-28T23:59:59.999Z', '2023-03-01T00:00:00.000Z']
  const events = [
    ...times.map((time) => event('payment', time)),
    event('failed', '2023-03-01T00:00:00.000Z', 'a'),
    event('failed', '2023-02-28T23:59:59.999Z'),
    event('discount', '2023-03-02T00:00:00.000Z'),
  ]
  expect(firstYearPayments('2023-03-01', events)).toEqual([
    { occurredAt: '2023-03-01T00:00:00.000Z', amountCents: null, status: 'paid' },
    { occurredAt: '2023-03-01T00:00:00.000Z', amountCents: null, status: 'failed' },
    { occurredAt: '2024-02-28T23:59:59.999Z', amountCents: null, status: 'paid' },
  ])
})

test('without a signup day there are no first days', () => {
  const events = [event('payment', '2025-01-01T00:00:00.000Z'), event('discount', '2025-01-01T00:00:00.000Z')]
  expect([firstYearPayments(null, events), signupDiscounts(null, events)]).toEqual([[], []])
})

test.each([
  ['2024-02-28', '2024-03-01T00:00:00.000Z', 2],
  ['2025-02-28', '2025-03-01T23:59:59.999Z', 1],
  ['2025-03-01', '2025-03-01T23:59:59.999Z', 0],
  ['2025-03-01', '2025-02-28T23:59:59.999Z', null],
  [null, '2025-02-28T23:59:59.999Z', null],
])('the tenure from %s to %s is %s whole days', (signupDate, canceledAt, days) => {
  expect(tenureDays(signupDate, canceledAt)).toBe(days)
})

test('a cancellation is a churned membership with a date, a plain one at its first instant', () => {
  const at = (status: string, cancelDate: string | null) => cancellationInstant({ status, cancelDate })
  expect(at('churned', '2025-03-01')).toBe('2025-03-01T00:00:00.000Z')
  expect(at('churned', '2025-03-01T10:00:00.000Z')).toBe('2025-03-01T10:00:00.000Z')
  expect([at('active', '2025-03-01'), at('churned', null)]).toEqual([null, null])
})

test('its site is the billing site, else the creation site, code and name together', () => {
  const creation = { creationSiteCode: 'C', creationSiteName: 'Creation' }
  expect(siteOf({ ...creation, billingSiteCode: 'B', billingSiteName: null })).toEqual({
    siteCode: 'B',
    siteName: null,
  })
  expect(siteOf({ ...creation, billingSiteCode: null, billingSiteName: null })).toEqual({
    siteCode: 'C',
    siteName: 'Creation',
  })
  const none = {
    billingSiteCode: null,
    billingSiteName: null,
    creationSiteCode: null,
    creationSiteName: null,
  }
  expect(siteOf(none)).toEqual({ siteCode: null, siteName: null })
})
