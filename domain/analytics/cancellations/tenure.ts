import * as v from 'valibot'
import type { TenureHorizonDays, TenureSummary } from '../../../ports/analytics.ts'
import { described } from '../../record/operation/meaning.ts'
import { count, percentageOf } from '../figures-schema.ts'
import { percentage, quotient } from '../../figures/ratio.ts'

interface Bucket {
  readonly label: string
  readonly minDays: number
  /** Null: the bucket has no upper bound. */
  readonly maxDays: TenureHorizonDays | null
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

/** The published figures of how long members had stayed. */
export function tenureFigures(summary: TenureSummary): v.InferOutput<typeof Tenure> {
  const { known, unknown, totalDays, membersWithinDays, middleDays } = summary
  const within = (days: TenureHorizonDays | null) => (days === null ? known : membersWithinDays[days])
  return {
    averageDays: quotient(totalDays, known),
    medianDays: middleDays === null ? null : (middleDays[0] + middleDays[1]) / 2,
    known,
    unknown,
    buckets: buckets.map((bucket, index) => {
      const before = buckets[index - 1]
      const total = within(bucket.maxDays) - (before === undefined ? 0 : within(before.maxDays))
      return { ...bucket, count: total, pct: percentage(total, known) }
    }),
  }
}
