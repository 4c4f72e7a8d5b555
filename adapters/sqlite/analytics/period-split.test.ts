import { expect, test } from 'vitest'
import { monthsAndDays, splitAtPeriods, yearsToDays } from './period-split.ts'

const instants = [
  '2024-12-31T23:59:59.999Z',
  '2025-01-01T00:00:00.000Z',
  '2025-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-01-31T00:00:00.000Z',
  '2026-01-31T23:59:59.998Z',
  '2026-01-31T23:59:59.999Z',
  '2026-02-01T00:00:00.000Z',
  '2026-02-14T12:00:00.000Z',
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.998Z',
  '9999-12-31T23:59:59.999Z',
]
const bounds = [null, ...instants]
const ranges = bounds.flatMap((start) => bounds.map((end) => ({ start, end })))

test.each([
  ['months and days', monthsAndDays],
  ['years, months and days', yearsToDays],
] as const)('%s hold every instant of a range once, and no other', (_, kinds) => {
  for (const range of ranges) {
    const { periods, instants: ends } = splitAtPeriods(range, kinds)
    const timesCounted = (instant: string) => {
      const texts = kinds.map(({ letter, length }) => letter + instant.slice(0, length))
      const inPeriods = periods.filter(([from, until]) => texts.some((text) => text >= from && text < until))
      return inPeriods.length + ends.filter(([from, until]) => instant >= from && instant < until).length
    }
    for (const instant of instants) {
      const isWithin =
        (range.start === null || instant >= range.start) && (range.end === null || instant <= range.end)
      expect([range, instant, timesCounted(instant)]).toEqual([range, instant, Number(isWithin)])
    }
    // The period of rows without a date.
    const isCounted = periods.some(([from]) => from === kinds[0].letter)
    expect([range, isCounted]).toEqual([range, range.start === null && range.end === null])
  }
})

test('whole periods are read from their sums alone, and an end lies within one period', () => {
  const split = splitAtPeriods(
    { start: '2024-02-01T00:00:00.000Z', end: '2024-02-29T23:59:59.999Z' },
    monthsAndDays,
  )
  expect(split).toEqual({ periods: [['M2024-02', 'M2024-03']], instants: [] })
  for (const range of ranges) {
    for (const [from, until] of splitAtPeriods(range, monthsAndDays).instants) {
      const day = from.slice(0, 'YYYY-MM-DD'.length)
      expect([range, day.length, until <= `${day}~`]).toEqual([range, 10, true])
    }
  }
})
