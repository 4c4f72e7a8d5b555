import * as v from 'valibot'
import type { CohortCount, CohortDimension, Cohorts, CohortsQuery } from '../../ports/analytics.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import {
  count,
  dateRange,
  organizationId,
  percentageOf,
  monthsOf,
  wordOf,
  type AnalyticsWorld,
  sampleCohorts,
  sampleOrganizationId,
} from './report.ts'
import { toInstant } from '../text/instant.ts'
import { byHorizon, percentage } from '../resources/figures.ts'
import { nullsLast } from '../text/typed-text.ts'

const dimensions = ['none', 'plan', 'site'] as const satisfies readonly CohortDimension[]

const CohortRow = v.strictObject({
  cohortMonth: described(v.pipe(v.string(), v.regex(/^\d{4}-\d{2}$/)), 'The month of the signup: `YYYY-MM`.'),
  dimensionValue: described(
    v.nullable(v.string()),
    'The name of the plan or the code of the billing site; null when it is unknown, and for the dimension `none`.',
  ),
  cohortSize: described(count, 'Members who signed up in the month.'),
  stillActive: described(count, 'Of these, those who are active now.'),
  churned: described(count, 'Of these, those who churned; `stillActive` and `churned` make up `cohortSize`.'),
  voluntary: described(count, 'Of the churned, those of churn type `voluntary`.'),
  involuntary: described(
    count,
    'Of the churned, those of churn type `involuntary`. An unknown type is in neither.',
  ),
  churnRatePct: percentageOf('`churned` of `cohortSize`.'),
  churnWithin: described(
    v.strictObject(byHorizon(() => count)),
    'Of the churned, those whose whole days from signup to cancellation are at most so many: cumulative. An unknown cancellation, and one before the signup, is in none.',
  ),
})

const CohortsBody = v.strictObject({
  organizationId,
  dateRange: described(
    dateRange,
    'From the first instant of the first month to the last of the last one; null where the range is not bounded.',
  ),
  source: v.literal('membership_signup'),
  available: v.literal(true),
  dimension: v.picklist(dimensions),
  signupDateCoverage: described(
    v.strictObject({
      members: described(count, 'All members of the organization, whatever the range.'),
      withSignupDate: described(count, 'Those whose signup is known: only they are in cohorts.'),
      coveragePct: percentageOf('`withSignupDate` of `members`.'),
    }),
    'How much of the organization the cohorts can tell of.',
  ),
  dimensionValues: described(
    v.array(v.string()),
    'The known values in range, ascending; empty for the dimension `none`.',
  ),
  cohorts: described(
    v.array(CohortRow),
    'By month, then by value, the unknown value last; empty months are left out.',
  ),
})

export const getCohorts = handled(
  {
    access: 'tenant',
    scope: 'read',
    requires: 'analytics',
    tag: 'Analytics',
    deprecated: true,
    summary: 'Report signup cohorts',
    description: 'Members by the month of their signup, and what has become of them.',
    query: {
      ...monthsOf('the month of the signup, to which the bound itself is cut'),
      dimension: wordOf(
        dimensions,
        'What each month is split by: nothing, the plan, or the billing site.',
        (words) => ({ kind: 'refused', error: `Parameter dimension must be one of ${words.join(', ')}.` }),
      ),
    },
    responses: {
      200: jsonResponse(
        'The figures.',
        CohortsBody,
        bodyOf(
          sampleOrganizationId,
          { dimension: 'plan', firstMonth: '2026-01', lastMonth: '2026-03' },
          sampleCohorts,
        ),
      ),
      400: 'BadRequest',
    },
  },
  async (
    { query: { dimension, start: firstMonth, end: lastMonth } },
    { analytics }: AnalyticsWorld,
    organization,
  ) => {
    const asked = { dimension, firstMonth, lastMonth }
    const found = await analytics.open(organization.organizationId).cohorts(asked)
    return jsonReply(200, bodyOf(organization.organizationId, asked, found), PRIVATE)
  },
)

function bodyOf(
  id: string,
  { dimension, firstMonth, lastMonth }: CohortsQuery,
  { cohorts, members, membersWithSignupDate }: Cohorts,
): v.InferOutput<typeof CohortsBody> {
  const values = new Set(cohorts.map(({ value }) => value).filter((value) => value !== null))
  return {
    organizationId: id,
    dateRange: {
      start: firstMonth === null ? null : firstInstantOf(firstMonth),
      end: lastMonth === null ? null : lastInstantOf(lastMonth),
    },
    source: 'membership_signup',
    available: true,
    dimension,
    signupDateCoverage: {
      members,
      withSignupDate: membersWithSignupDate,
      coveragePct: percentage(membersWithSignupDate, members),
    },
    dimensionValues: [...values].sort(nullsLast),
    cohorts: cohorts.toSorted(byMonthThenValue).map(cohortRow),
  }
}

function firstInstantOf(month: string): string {
  return `${month}-01T00:00:00.000Z`
}

function lastInstantOf(month: string): string {
  const next = new Date(firstInstantOf(month))
  return toInstant(next.setUTCMonth(next.getUTCMonth() + 1) - 1)
}

function byMonthThenValue(left: CohortCount, right: CohortCount): number {
  return nullsLast(left.month, right.month) || nullsLast(left.value, right.value)
}

function cohortRow(cohort: CohortCount): v.InferOutput<typeof CohortRow> {
  const { month, value, members, churned, voluntary, involuntary, churnedWithinDays } = cohort
  return {
    cohortMonth: month,
    dimensionValue: value,
    cohortSize: members,
    stillActive: members - churned,
    churned,
    voluntary,
    involuntary,
    churnRatePct: percentage(churned, members),
    churnWithin: byHorizon((days) => churnedWithinDays[days]),
  }
}
