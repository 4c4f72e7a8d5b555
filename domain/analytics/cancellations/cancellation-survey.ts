import * as v from 'valibot'
import type { InstantRange } from '../../../ports/analytics.ts'
import type { ReasonCount } from '../../../ports/sources.ts'
import { handled } from '../../access/serve-operation.ts'
import { described } from '../../record/operation/meaning.ts'
import { jsonResponse } from '../../record/operation/operation.ts'
import { jsonReply, PRIVATE } from '../../record/operation/reply.ts'
import type { AnalyticsWorld } from '../world.ts'
import { askPatiently } from '../ask-patiently.ts'
import { count, dateRange, organizationId } from '../figures-schema.ts'
import { rangeOf } from '../parameters.ts'
import { sampleOrganizationId, sampleRange, sampleReasonCounts } from '../samples.ts'
import { surveyFigures } from './survey-reasons.ts'

const pct = described(
  v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
  '`count` of `totals.selections`: a percentage to two decimals, halves up; 0 when there are none.',
)

const ReasonRow = v.strictObject({
  reason: described(v.string(), 'The code in sentence case, with spaces: `Too expensive`.'),
  rawCodes: described(
    v.array(v.string()),
    'The spellings that were recorded, ascending. Codes are one reason when they agree in lower case with each run of spaces, `-` and `_` as one `_`.',
  ),
  count: described(count, 'How often it was picked.'),
  pct,
})

const CancellationSurvey = v.strictObject({
  organizationId,
  dateRange,
  source: v.literal('exit_survey'),
  available: described(
    v.boolean(),
    'False when the source could not be queried, after several tries: then `selections` is 0, `reasons` is empty and `other` is null, and nothing is known.',
  ),
  totals: v.strictObject({
    selections: described(count, 'Reasons picked in range, `other` included.'),
  }),
  reasons: described(v.array(ReasonRow), 'By `count` descending, then by `reason`; without `other`.'),
  other: described(
    v.nullable(v.strictObject({ count: described(count, 'How often the code `other` was picked.'), pct })),
    'Null when nothing is known.',
  ),
})

export const getCancellationSurvey = handled(
  {
    access: 'tenant',
    scope: 'read',
    tag: 'Analytics',
    deprecated: true,
    summary: 'Report the cancellation survey',
    description:
      'Reasons that members picked when canceling in the portal; what the point of sale reports of churn is another matter.',
    query: rangeOf('the instant of the selection'),
    responses: {
      200: jsonResponse(
        'The figures.',
        CancellationSurvey,
        bodyOf(sampleOrganizationId, sampleRange, sampleReasonCounts),
      ),
    },
  },
  async ({ query: range, requestId }, world: AnalyticsWorld, organization) => {
    const survey = world.exitSurvey.open(organization.organizationId)
    const counted = await askPatiently(survey, range, requestId, world)
    return jsonReply(200, bodyOf(organization.organizationId, range, counted), PRIVATE)
  },
)

/** @param counted null: the source could not be queried */
function bodyOf(
  id: string,
  range: InstantRange,
  counted: readonly ReasonCount[] | null,
): v.InferOutput<typeof CancellationSurvey> {
  const { selections, reasons, other } = surveyFigures(counted ?? [])
  return {
    organizationId: id,
    dateRange: range,
    source: 'exit_survey',
    available: counted !== null,
    totals: { selections },
    reasons,
    other: counted === null ? null : other,
  }
}
