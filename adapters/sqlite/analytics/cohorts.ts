import { sql } from 'kysely'
import { byHorizon } from '../../../domain/analytics/churn-horizons.ts'
import type {
  ChurnHorizonDays,
  CohortCount,
  Cohorts,
  CohortsQuery,
} from '../../../ports/records/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { BEHIND_ALL } from './range.ts'

const withinColumns = Object.values(byHorizon((days) => sql.id(`within${days}`)))

const cohortCounts = template(sql<CohortRow>`
  select month, value ->> '$' as value, members, churned, voluntary, involuntary,
    ${sql.join(withinColumns)}
  from membership_cohorts
  where organization_id = ${slot('organizationId')} and dimension = ${slot('dimension')}
    and month >= ${slot('first')} and month <= ${slot('last')} and month <> '' and members > 0`)

const signupCoverage = template(sql<{ readonly members: number; readonly dated: number }>`
  select coalesce(sum(members), 0) as members, coalesce(sum(iif(month = '', 0, members)), 0) as dated
  from membership_cohorts where organization_id = ${slot('organizationId')} and dimension = 'none'`)

/**
 * Reads cohorts from the counts that triggers maintain for each month (0010_membership_analytics.sql). To count 100,000
 * members for each request took 40 to 60 ms: too long for the neighbours in a shared database.
 */
export async function readCohorts(
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
  Readonly<Record<`within${ChurnHorizonDays}`, number>>

function cohortFromRow(row: CohortRow): CohortCount {
  const { month, value, members, churned, voluntary, involuntary } = row
  const churnedWithinDays = byHorizon((days) => row[`within${days}`])
  return { month, value, members, churned, voluntary, involuntary, churnedWithinDays }
}
