import * as v from 'valibot'
import type { CancellationCount, Cancellations, InstantRange } from '../../../ports/analytics.ts'
import { handled } from '../../access/serve-operation.ts'
import { described } from '../../record/operation/meaning.ts'
import { jsonResponse } from '../../record/operation/operation.ts'
import { jsonReply, PRIVATE } from '../../record/operation/reply.ts'
import { churnTypes } from '../../resources/members/memberships.ts'
import type { AnalyticsWorld } from '../world.ts'
import { count, dateRange, organizationId, percentageOf } from '../figures-schema.ts'
import { rangeOf } from '../parameters.ts'
import { totalOf } from '../../figures/total.ts'
import { percentage } from '../../figures/ratio.ts'
import { nullsLast } from '../../text/characters.ts'
import { sampleCancellations, sampleOrganizationId, sampleRange } from '../samples.ts'
import { Tenure, tenureFigures } from './tenure.ts'

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
