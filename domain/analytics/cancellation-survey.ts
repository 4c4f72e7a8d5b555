import * as v from 'valibot'
import type { InstantRange } from '../../ports/analytics.ts'
import type { ReasonCount, ReasonCounts, TenantExitSurvey } from '../../ports/sources.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import {
  count,
  dateRange,
  organizationId,
  rangeOf,
  type AnalyticsWorld,
  sampleOrganizationId,
  sampleRange,
  sampleReasonCounts,
} from './report.ts'
import { totalOf, percentage } from '../resources/figures.ts'
import { nullsLast } from '../text/typed-text.ts'
import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import { drawFrom, pauseAfter, type Backoff, pause, within } from '../limits/waiting.ts'

/** The code of all reasons that are not in the list. */
const OTHER = 'other'

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

interface Reason {
  readonly reason: string
  readonly rawCodes: string[]
  readonly count: number
  readonly pct: number
}

export interface SurveyFigures {
  readonly selections: number
  readonly reasons: Reason[]
  readonly other: { readonly count: number; readonly pct: number }
}

/**
 * The reasons for raw codes: most frequent first, then by name. Percentages are of all selections, `other` included.
 */
export function surveyFigures(counted: readonly ReasonCount[]): SurveyFigures {
  const selections = totalOf(counted, ({ count }) => count)
  const groups = [...Map.groupBy(counted, ({ code }) => canonicalCode(code))].map(([code, spellings]) => {
    const count = totalOf(spellings, (spelling) => spelling.count)
    return {
      code,
      rawCodes: spellings.map((spelling) => spelling.code).sort(nullsLast),
      ...share(count, selections),
    }
  })
  const other = groups.find(({ code }) => code === OTHER)
  const reasons = groups
    .filter(({ code }) => code !== OTHER)
    .map(({ code, rawCodes, count, pct }) => ({ reason: sentenceCase(code), rawCodes, count, pct }))
  return {
    selections,
    reasons: reasons.sort((left, right) => right.count - left.count || nullsLast(left.reason, right.reason)),
    other: share(other?.count ?? 0, selections),
  }
}

function share(count: number, selections: number) {
  return { count, pct: percentage(count, selections) ?? 0 }
}

/** Codes with the same normal form are one reason: `Too-Expensive` and `too expensive` are `too_expensive`. */
function canonicalCode(code: string): string {
  return code.toLowerCase().replaceAll(/[ _-]+/g, '_')
}

/** Turns `too_expensive` into `Too expensive`. */
function sentenceCase(code: string): string {
  const [first = '', ...rest] = code.replaceAll('_', ' ')
  return first.toUpperCase() + rest.join('')
}

/** Two pauses, so three attempts. */
const BACKOFF: Backoff = { pausesMs: [200, 400], spread: { least: 0.5, most: 1 } }
/** An attempt that takes longer is cancelled. */
const TRY_MS = 4_000
/** No attempt begins after this time, and a running one is ended. */
const TOTAL_MS = 9_000

/** The ports and times on which asking depends. */
export interface Patience {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

/**
 * Asks the survey's source up to three times, with pauses between the attempts and a limit on the total time. Never
 * rejects.
 * @returns null: no attempt succeeded. The log has a line for each failed attempt and one for giving up.
 */
export async function askPatiently(
  survey: TenantExitSurvey,
  range: InstantRange,
  requestId: string,
  { clock, deadline, random, log }: Patience,
): Promise<readonly ReasonCount[] | null> {
  const startedMs = clock.nowMs()
  for (let tries = 1; ; tries += 1) {
    const leftMs = () => startedMs + TOTAL_MS - clock.nowMs()
    const answer = await oneTry(survey, range, Math.min(TRY_MS, leftMs()), deadline)
    if (answer.kind === 'counts') return answer.counts
    const { reason, cause } = answer
    const pauseMs = pauseAfter(BACKOFF, tries, drawFrom(random))
    if (pauseMs === null || leftMs() <= pauseMs) {
      log.error('exit_survey_unavailable', { requestId, tries, reason }, cause)
      return null
    }
    log.info('exit_survey_retry', { requestId, tries, reason })
    await pause(deadline, pauseMs)
  }
}

async function oneTry(
  survey: TenantExitSurvey,
  range: InstantRange,
  timeoutMs: number,
  deadline: Deadline,
): Promise<ReasonCounts> {
  try {
    return await within(deadline, timeoutMs, survey.countReasons(range, deadline.after(timeoutMs)))
  } catch (cause) {
    return { kind: 'unavailable', reason: 'The source did not answer in time.', cause }
  }
}
