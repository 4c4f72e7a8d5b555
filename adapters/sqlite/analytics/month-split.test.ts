import { expect, test } from 'vitest'
import { splitAtMonths } from './month-split.ts'

const instants = [
  '2025-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-01-31T23:59:59.998Z',
  '2026-01-31T23:59:59.999Z',
  '2026-02-01T00:00:00.000Z',
  '2026-02-14T12:00:00.000Z',
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]
const bounds = [null, ...instants]

test.each(bounds.flatMap((start) => bounds.map((end) => [start, end] as const)))(
  'from %s to %s every instant is counted once or not at all, as the range says',
  (start, end) => {
    const { months, head, tail } = splitAtMonths({ start, end })
    const timesCounted = (instant: string) => {
      const month = instant.slice(0, 7)
      const inMonths = month >= months.from && month < months.until
      const among = [head, tail].filter(({ from, until }) => instant >= from && instant <= until)
      return Number(inMonths) + among.length
    }
    for (const instant of instants) {
      const isWithin = (start === null || instant >= start) && (end === null || instant <= end)
      expect([instant, timesCounted(instant)]).toEqual([instant, Number(isWithin)])
    }
    // The month of rows without a date.
    const countsUndated = '' >= months.from && '' < months.until
    expect(countsUndated).toBe(start === null && end === null)
  },
)

test('whole months are read from their counts alone', () => {
  const split = splitAtMonths({ start: '2024-02-01T00:00:00.000Z', end: '2024-02-29T23:59:59.999Z' })
  expect(split.months).toEqual({ from: '2024-02', until: '2024-02~' })
  expect([split.head, split.tail].every(({ from, until }) => from > until)).toBe(true)
})
