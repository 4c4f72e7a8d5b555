import { expect, it } from 'vitest'
import { instantOfLocalTime, isTimeZone, centsOfDecimal, decimalOfCents } from './codec.ts'

it.each([
  ['2026-01-15 12:00:00', 'America/Chicago', '2026-01-15T18:00:00.000Z'],
  ['2026-07-15T12:00:00.250', 'America/Chicago', '2026-07-15T17:00:00.250Z'],
  ['2026-07-15 12:00', 'UTC', '2026-07-15T12:00:00.000Z'],
  ['2026-07-15 12:00:00.123999999', 'UTC', '2026-07-15T12:00:00.123Z'],
  ['1960-07-15 12:00:00.123999999', 'UTC', '1960-07-15T12:00:00.123Z'],
  // The clocks go back: 01:30 comes twice, and the earlier one counts.
  ['2026-11-01 01:30:00', 'America/Chicago', '2026-11-01T06:30:00.000Z'],
  ['2026-11-01 00:59:59', 'America/Chicago', '2026-11-01T05:59:59.000Z'],
  ['2026-11-01 02:00:00', 'America/Chicago', '2026-11-01T08:00:00.000Z'],
  // The clocks go forward: 02:30 does not exist, and is counted with the offset before the change.
  ['2026-03-08 02:30:00', 'America/Chicago', '2026-03-08T08:30:00.000Z'],
  ['2026-03-08 01:59:59.999', 'America/Chicago', '2026-03-08T07:59:59.999Z'],
  ['2026-03-08 03:00:00', 'America/Chicago', '2026-03-08T08:00:00.000Z'],
  ['2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-06-01 00:00:00', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z'],
  // Daylight saving time of half an hour.
  ['2026-04-05 01:45:00', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
  // A day that Samoa skipped.
  ['2011-12-30 12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'],
  // Before time zones, local time differed by seconds.
  ['1880-01-01 00:00:00', 'America/Chicago', '1880-01-01T05:50:36.000Z'],
  ['0001-01-01 12:00:00', 'UTC', '0001-01-01T12:00:00.000Z'],
])('reads %s in %s as %s', (text, timeZone, instant) => {
  expect(instantOfLocalTime(text, timeZone)).toBe(instant)
})

it.each([
  '',
  '2026-02-30 00:00:00',
  '2026-01-01',
  '2026-01-01 24:00:00',
  '2016-12-31 23:59:60',
  '9999-12-31 23:59:59',
  '2026-01-01T00:00:00Z',
  'yesterday',
])('does not read %s', (text) => {
  expect(instantOfLocalTime(text, 'America/Chicago')).toBeNull()
})

it('knows a time zone when it sees one', () => {
  expect(['America/Chicago', 'UTC', 'Europe/Berlin'].every(isTimeZone)).toBe(true)
  expect(['Mars/Olympus', 'America/Nowhere', ''].some(isTimeZone)).toBe(false)
})

it.each([
  ['0', 0],
  ['12.30', 1230],
  ['12.3', 1230],
  ['12', 1200],
  ['.5', 50],
  ['12.', 1200],
  ['-0.05', -5],
  ['-0.00', 0],
  [' 7.10 ', 710],
  // As floating-point numbers, these come out a cent short: 1.15 * 100 is 114.99999999999999.
  ['1.15', 115],
  ['4.35', 435],
  ['8.2', 820],
  ['90071992547409.91', 9_007_199_254_740_991],
  ['12.3449', 1234],
  ['12.3450', 1235],
  ['-12.3450', -1235],
  ['0.0049', 0],
  ['0.005', 1],
  ['0.999', 100],
])('reads %s as %d cents', (text, cents) => {
  expect(centsOfDecimal(text)).toBe(cents)
})

it.each([
  '',
  '.',
  '-',
  'abc',
  '1,50',
  '1e2',
  '--1',
  '+1',
  '1.2.3',
  '$1',
  'NaN',
  '90071992547409.92',
  '1'.repeat(16),
])('does not read %s', (text) => {
  expect(centsOfDecimal(text)).toBeNull()
})

it('writes cents as a decimal that reads as the same cents', () => {
  for (const cents of [0, 1, -1, 9, 10, 99, 100, -105, 123_456_789, 9_007_199_254_740_991]) {
    for (const decimals of [2, 4]) {
      const text = decimalOfCents(cents, decimals)
      expect(centsOfDecimal(text)).toBe(cents)
      expect(text.split('.')[1]).toHaveLength(decimals)
    }
  }
  expect(decimalOfCents(-5, 2)).toBe('-0.05')
})
