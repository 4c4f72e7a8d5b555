import { sql } from 'kysely'
import { byHorizon } from '../../../domain/analytics/members/churn-horizons.ts'
import type { ChurnHorizonDays, CohortCount, Cohorts, CohortsQuery } from '../../../ports/analytics.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { BEHIND_ALL } from './range.ts'

const cohorts = db.selectFrom('membership_cohorts').where('organization_id', '=', slot('organizationId'))

const cohortCounts = template(
  cohorts
    .select(['month', 'members', 'churned', 'voluntary', 'involuntary'])
    .select(Object.values(byHorizon((days) => `within${days}` as const)))
    .select(({ ref }) => sql<string | null>`${ref('value')} ->> '$'`.as('value'))
    .where('dimension', '=', slot('dimension'))
    .where('month', '>=', slot('first'))
    .where('month', '<=', slot('last'))
    .where('month', '<>', sql.lit(''))
    .where('members', '>', sql.lit(0)),
)

const signupCoverage = template(
  cohorts
    .select(({ fn, ref }) => [
      fn.coalesce(fn.sum<number>('members'), sql.lit(0)).as('members'),
      sql<number>`coalesce(sum(iif(${ref('month')} = '', 0, ${ref('members')})), 0)`.as('dated'),
    ])
    .where('dimension', '=', sql.lit('none')),
)

/**
 * Reads cohorts from the counts that triggers maintain for each month (0002_service.sql). To count 100,000
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
