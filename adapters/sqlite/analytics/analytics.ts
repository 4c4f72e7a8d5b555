import { byHorizon } from '../../../domain/analytics/churn-horizons.ts'
import type {
  Analytics,
  CancellationCount,
  CohortCount,
  CohortsQuery,
  Cohorts,
  InstantRange,
  TenureCount,
} from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { readMembers } from './members-page.ts'
import { BEHIND_ALL, splitAtMonths } from './month-split.ts'
import { readOfferCounts, readRevenueByDecision } from './offers.ts'
import { sql } from '../statement/sql.ts'

/**
 * The figures of the analytics. Cohorts and cancellations come from the counts that triggers keep
 * (0010_membership_analytics.sql); only the partial months at the ends of a range are counted row by row.
 */
export function createAnalytics(executor: Executor): Analytics {
  return {
    open: (organizationId) => ({
      members: (query) => readMembers(executor, organizationId, query),
      cohorts: (query) => readCohorts(executor, organizationId, query),
      retentionOffers: (range) => readOfferCounts(executor, organizationId, range),
      revenueByDecision: (range) => readRevenueByDecision(executor, organizationId, range),
      cancellations: (range) => readCancellations(executor, organizationId, range),
    }),
  }
}

const cohortCounts = template(sql<CohortRow>`
  select month, value ->> '$' as value, members, churned, voluntary, involuntary,
    within30, within60, within90, within180, within365
  from membership_cohorts
  where organization_id = ${slot('organizationId')} and dimension = ${slot('dimension')}
    and month >= ${slot('first')} and month <= ${slot('last')} and month <> '' and members > 0`)

const signupCoverage = template(sql<{ readonly members: number; readonly dated: number }>`
  select coalesce(sum(members), 0) as members, coalesce(sum(iif(month = '', 0, members)), 0) as dated
  from membership_cohorts where organization_id = ${slot('organizationId')} and dimension = 'none'`)

async function readCohorts(
  executor: Executor,
  organizationId: string,
  { dimension, firstMonth, lastMonth }: CohortsQuery,
): Promise<Cohorts> {
  const [first, last] = [firstMonth ?? '', lastMonth ?? BEHIND_ALL]
  const [counted, covered] = await resultsOf(executor, [
    bind(cohortCounts, { organizationId, dimension, first, last }),
    bind(signupCoverage, { organizationId }),
  ])
  const { members, dated } = covered.rows[0] ?? { members: 0, dated: 0 }
  return { cohorts: counted.rows.map(cohortFromRow), members, membersWithSignupDate: dated }
}

type CohortRow = Omit<CohortCount, 'churnedWithinDays'> &
  Readonly<Record<`within${keyof CohortCount['churnedWithinDays']}`, number>>

function cohortFromRow(row: CohortRow): CohortCount {
  const { month, value, members, churned, voluntary, involuntary } = row
  const churnedWithinDays = byHorizon((days) => row[`within${days}`])
  return { month, value, members, churned, voluntary, involuntary, churnedWithinDays }
}

/** Rows of the months at the ends of a range. */
const atTheEnds = sql`from memberships indexed by memberships_is_cancellation_canceled_at
  where organization_id = ${slot('organizationId')} and is_cancellation = 1`
const inHead = sql`canceled_at >= ${slot('headFrom')} and canceled_at <= ${slot('headUntil')}`
const inTail = sql`canceled_at >= ${slot('tailFrom')} and canceled_at <= ${slot('tailUntil')}`
const inMonths = sql`organization_id = ${slot('organizationId')}
  and month >= ${slot('monthsFrom')} and month < ${slot('monthsUntil')}`

const reasonCounts = template(sql<CancellationCount>`
  select "churnType", reason, sum(members) as count from (
    select churn_type ->> '$' as "churnType", reason ->> '$' as reason, members
    from membership_cancellations where ${inMonths}
    union all select churn_type, cancel_reason, 1 ${atTheEnds} and ${inHead}
    union all select churn_type, cancel_reason, 1 ${atTheEnds} and ${inTail}
  ) group by 1, 2 having sum(members) > 0`)

const tenureCounts = template(sql<TenureCount>`
  select nullif(tenure_days, -1) as days, sum(members) as count from (
    select tenure_days, members from membership_tenures where ${inMonths}
    union all select coalesce(tenure_days, -1), 1 ${atTheEnds} and ${inHead}
    union all select coalesce(tenure_days, -1), 1 ${atTheEnds} and ${inTail}
  ) group by tenure_days having sum(members) > 0`)

async function readCancellations(executor: Executor, organizationId: string, range: InstantRange) {
  const { months, head, tail } = splitAtMonths(range)
  const values = {
    organizationId,
    monthsFrom: months.from,
    monthsUntil: months.until,
    headFrom: head.from,
    headUntil: head.until,
    tailFrom: tail.from,
    tailUntil: tail.until,
  }
  const [reasons, tenures] = await resultsOf(executor, [
    bind(reasonCounts, values),
    bind(tenureCounts, values),
  ])
  return { reasons: reasons.rows, tenures: tenures.rows }
}
