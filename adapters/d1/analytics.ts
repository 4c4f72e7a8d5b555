import { sql } from 'kysely'
import { byHorizon } from '../../domain/analytics/churn-horizons.ts'
import type {
  Analytics,
  CancellationCount,
  CohortCount,
  CohortsQuery,
  Cohorts,
  InstantRange,
  TenureCount,
} from '../../ports/analytics.ts'
import { bind, slot, template } from './compiler.ts'
import type { Executor, ResultRow } from './executor.ts'
import { readMembers } from './members-page.ts'
import { BEHIND_ALL, splitAtMonths } from './month-split.ts'
import { readOfferCounts, readRevenueByDecision } from './offers.ts'

/**
 * The figures on D1. Cohorts and cancellations come from the counts that triggers keep (0010_membership_analytics.sql);
 * only the months at the ends of a range that does not begin or end with one are counted row by row.
 */
export function createD1Analytics(executor: Executor): Analytics {
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

const cohortCounts = template(sql`
  select month, value ->> '$' as value, members, churned, voluntary, involuntary,
    within30, within60, within90, within180, within365
  from membership_cohorts
  where organization_id = ${slot('organizationId')} and dimension = ${slot('dimension')}
    and month >= ${slot('first')} and month <= ${slot('last')} and month <> '' and members > 0`)

const signupCoverage = template(sql`
  select coalesce(sum(members), 0) as members, coalesce(sum(iif(month = '', 0, members)), 0) as dated
  from membership_cohorts where organization_id = ${slot('organizationId')} and dimension = 'none'`)

async function readCohorts(
  executor: Executor,
  organizationId: string,
  { dimension, firstMonth, lastMonth }: CohortsQuery,
): Promise<Cohorts> {
  const [first, last] = [firstMonth ?? '', lastMonth ?? BEHIND_ALL]
  const [counted, covered] = await executor.batch([
    bind(cohortCounts, { organizationId, dimension, first, last }),
    bind(signupCoverage, { organizationId }),
  ])
  const { members, dated } = (covered?.results[0] ?? {}) as {
    readonly members: number
    readonly dated: number
  }
  return { cohorts: (counted?.results ?? []).map(cohortFromRow), members, membersWithSignupDate: dated }
}

type CohortRow = Omit<CohortCount, 'churnedWithinDays'> &
  Readonly<Record<`within${keyof CohortCount['churnedWithinDays']}`, number>>

function cohortFromRow(result: ResultRow): CohortCount {
  const row = result as unknown as CohortRow
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

const reasonCounts = template(sql`
  select "churnType", reason, sum(members) as count from (
    select churn_type ->> '$' as "churnType", reason ->> '$' as reason, members
    from membership_cancellations where ${inMonths}
    union all select churn_type, cancel_reason, 1 ${atTheEnds} and ${inHead}
    union all select churn_type, cancel_reason, 1 ${atTheEnds} and ${inTail}
  ) group by 1, 2 having sum(members) > 0`)

const tenureCounts = template(sql`
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
  const [reasons, tenures] = await executor.batch([bind(reasonCounts, values), bind(tenureCounts, values)])
  return {
    reasons: (reasons?.results ?? []) as unknown as readonly CancellationCount[],
    tenures: (tenures?.results ?? []) as unknown as readonly TenureCount[],
  }
}
