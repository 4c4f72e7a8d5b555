import { sql, type Expression } from 'kysely'
import { byTenureHorizon } from '../../../domain/analytics/members/churn-horizons.ts'
import type {
  CancellationCount,
  Cancellations,
  InstantRange,
  TenureHorizonDays,
  TenureSummary,
} from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { middleColumns, middlePair, type Middle } from './middle.ts'
import { isBounded, rangeValues, within } from './range.ts'

/** The churned members of a range, by an index that has all that is counted of them. */
function churned(condition: Expression<unknown>): Expression<unknown> {
  return sql`from memberships indexed by memberships_status_canceled_at_churn_type_cancel_reason_tenure_days
    where organization_id = ${slot('organizationId')} and status = 'churned' ${condition}`
}

const withinSums = Object.values(
  byTenureHorizon(
    (days) => sql`total(iif(days <= ${sql.lit(days)}, members, 0)) as ${sql.id(`within${days}`)}`,
  ),
)

/** The statements about one set of members. Members who stayed as many days are counted together before all else. */
function statementsOf(members: Expression<unknown>) {
  return {
    reasons: template(sql<CancellationCount>`
      select churn_type as "churnType", cancel_reason as reason, count(*) as count ${members} group by 1, 2`),
    tenure: template(sql<TenureRow>`
      with counted as materialized (select tenure_days as days, count(*) as members ${members} group by 1),
      placed as (
        select days, members, sum(members) over (order by days) as upto, sum(members) over () as known
        from counted where days is not null
      )
      select (select coalesce(sum(members), 0) from counted) as members, coalesce(max(known), 0) as known,
        total(days * members) as "totalDays", ${sql.join(withinSums)},
        ${middleColumns({ value: sql`days`, upto: sql`upto`, count: sql`members`, known: sql`known` })}
      from placed`),
  }
}

const ofRange = statementsOf(churned(sql`and ${within(sql`canceled_at`)}`))
const ofAll = statementsOf(churned(sql``))

type TenureRow = Middle &
  Readonly<Record<'members' | 'known' | 'totalDays' | `within${TenureHorizonDays}`, number>>

/** Reads the churned members of a range twice, by their index: by reason, and by how long they had stayed. */
export async function readCancellations(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<Cancellations> {
  const statements = isBounded(range) ? ofRange : ofAll
  const values = { organizationId, ...rangeValues(range) }
  const [reasons, tenure] = await resultsOf(executor, [
    bind(statements.reasons, values),
    bind(statements.tenure, values),
  ])
  const [row] = tenure.rows
  if (row === undefined) throw new Error('Totals without a group are always one row')
  return { reasons: reasons.rows, tenure: tenureOf(row) }
}

function tenureOf(row: TenureRow): TenureSummary {
  return {
    known: row.known,
    unknown: row.members - row.known,
    totalDays: row.totalDays,
    membersWithinDays: byTenureHorizon((days) => row[`within${days}`]),
    middleDays: middlePair(row),
  }
}
