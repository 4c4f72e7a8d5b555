import * as v from 'valibot'
import type {
  CancellationCount,
  Cancellations,
  InstantRange,
  TenureHorizonDays,
  TenureSummary,
} from '../../ports/analytics.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import { churnTypes } from '../resources/memberships.ts'
import {
  count,
  dateRange,
  organizationId,
  percentageOf,
  rangeOf,
  type AnalyticsWorld,
  sampleCancellations,
  sampleOrganizationId,
  sampleRange,
} from './report.ts'
import { totalOf, percentage, quotient } from '../resources/figures.ts'
import { nullsLast } from '../text/typed-text.ts'

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

const ReasonRow = v.strictObject({
  reason: described(v.nullable(v.string()), 'As the point of sale reports it; null when unknown.'),
  churnType: v.nullable(v.picklist(churnTypes)),
  count: described(count, 'Cancellations of this reason and type.'),
  pct: percentageOf('`count` of all cancellations in range.'),
})

const CancellationsBody = v.strictObject({
  organizationId,
  dateRange,
  source: v.literal('membership_status'),
  available: v.literal(true),
  totals: v.strictObject({
    cancellations: described(count, 'Members of status `churned` whose cancellation is in range.'),
    voluntary: described(count, 'Of these, those of churn type `voluntary`.'),
    involuntary: described(count, 'Of these, those of churn type `involuntary`.'),
    unknown: described(count, 'Of these, those of unknown churn type.'),
    voluntaryPct: percentageOf('`voluntary` of `cancellations`.'),
    involuntaryPct: percentageOf('`involuntary` of `cancellations`.'),
  }),
  reasons: described(
    v.array(ReasonRow),
    'By `count` descending, then by `reason`, then by `churnType`, the unknown ones last.',
  ),
  tenure: Tenure,
})

export const getCancellations = handled(
  {
    access: 'tenant',
    scope: 'read',
    requires: 'analytics',
    tag: 'Analytics',
    deprecated: true,
    summary: 'Report cancellations',
    description:
      'Churn as the point of sale reports it. A member who churned at an unknown date counts only where neither bound is given.',
    query: rangeOf('the cancellation; one of which only the day is known counts as its first instant'),
    responses: {
      200: jsonResponse(
        'The figures.',
        CancellationsBody,
        bodyOf(sampleOrganizationId, sampleRange, sampleCancellations),
      ),
    },
  },
  async ({ query: range }, { analytics }: AnalyticsWorld, organization) => {
    const found = await analytics.open(organization.organizationId).cancellations(range)
    return jsonReply(200, bodyOf(organization.organizationId, range, found), PRIVATE)
  },
)

function bodyOf(
  id: string,
  range: InstantRange,
  { reasons, tenure }: Cancellations,
): v.InferOutput<typeof CancellationsBody> {
  const totals = totalsOf(reasons)
  return {
    organizationId: id,
    dateRange: range,
    source: 'membership_status',
    available: true,
    totals,
    reasons: reasons.toSorted(mostFrequentFirst).map(({ reason, churnType, count: same }) => ({
      reason,
      churnType,
      count: same,
      pct: percentage(same, totals.cancellations),
    })),
    tenure: tenureFigures(tenure),
  }
}

function totalsOf(reasons: readonly CancellationCount[]) {
  const ofType = (type: CancellationCount['churnType']) =>
    totalOf(
      reasons.filter(({ churnType }) => churnType === type),
      (row) => row.count,
    )
  const [voluntary, involuntary, unknown] = [ofType('voluntary'), ofType('involuntary'), ofType(null)]
  const cancellations = voluntary + involuntary + unknown
  return {
    cancellations,
    voluntary,
    involuntary,
    unknown,
    voluntaryPct: percentage(voluntary, cancellations),
    involuntaryPct: percentage(involuntary, cancellations),
  }
}

function mostFrequentFirst(left: CancellationCount, right: CancellationCount): number {
  return (
    right.count - left.count ||
    nullsLast(left.reason, right.reason) ||
    nullsLast(left.churnType, right.churnType)
  )
}

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
