import * as v from 'valibot'
import type { TenureCount } from '../../ports/analytics.ts'
import { described } from '../record/meaning.ts'
import { count, percentageOf } from './figures-schema.ts'
import { totalOf } from '../figures/groups.ts'
import { percentage, quotient } from '../figures/ratio.ts'

interface Bucket {
  readonly label: string
  readonly minDays: number
  /** Null: no end. */
  readonly maxDays: number | null
}

const buckets: readonly Bucket[] = [
  { label: '0–30', minDays: 0, maxDays: 30 },
  { label: '31–90', minDays: 31, maxDays: 90 },
  { label: '91–180', minDays: 91, maxDays: 180 },
  { label: '181–365', minDays: 181, maxDays: 365 },
  { label: '366–730', minDays: 366, maxDays: 730 },
  { label: '731+', minDays: 731, maxDays: null },
]

const TenureBucket = v.strictObject({
  label: v.string(),
  minDays: count,
  maxDays: described(v.nullable(count), 'Included; null: no end.'),
  count: described(count, 'Cancellations of such a tenure.'),
  pct: percentageOf('`count` of `known`.'),
})

export const Tenure = described(
  v.strictObject({
    averageDays: described(
      v.nullable(v.number()),
      'Mean to two decimals, halves up; null when none is known.',
    ),
    medianDays: described(
      v.nullable(v.number()),
      'Median; of an even number the mean of the middle two; null when none is known.',
    ),
    known: described(count, 'Cancellations whose tenure is known.'),
    unknown: described(count, 'The others: a day is unknown, or the cancellation lies before the signup.'),
    buckets: described(v.array(TenureBucket), 'Always all six.'),
  }),
  'Whole days from the first instant of the signup day to the cancellation.',
)

interface KnownTenure {
  readonly days: number
  readonly count: number
}

/** How long members had stayed, from how many stayed how long. */
export function tenureFigures(counted: readonly TenureCount[]): v.InferOutput<typeof Tenure> {
  const sorted = counted.filter(isKnown).sort((left, right) => left.days - right.days)
  const known = totalOf(sorted, (tenure) => tenure.count)
  return {
    averageDays: quotient(
      totalOf(sorted, (tenure) => tenure.days * tenure.count),
      known,
    ),
    medianDays: medianOf(sorted, known),
    known,
    unknown: totalOf(counted, (tenure) => tenure.count) - known,
    buckets: buckets.map((bucket) => {
      const inBucket = sorted.filter(
        ({ days }) => days >= bucket.minDays && (bucket.maxDays === null || days <= bucket.maxDays),
      )
      const total = totalOf(inBucket, (tenure) => tenure.count)
      return { ...bucket, count: total, pct: percentage(total, known) }
    }),
  }
}

function isKnown(tenure: TenureCount): tenure is KnownTenure {
  return tenure.days !== null
}

function medianOf(sorted: readonly KnownTenure[], known: number): number | null {
  if (known === 0) return null
  return (daysAt(sorted, Math.floor((known - 1) / 2)) + daysAt(sorted, Math.floor(known / 2))) / 2
}

/** The tenure at a position, from 0, when all members are sorted by tenure, shortest first. */
function daysAt(sorted: readonly KnownTenure[], place: number): number {
  let passed = 0
  for (const { days, count: same } of sorted) {
    passed += same
    if (passed > place) return days
  }
  throw new RangeError(`There is no tenure in place ${place}`)
}
