import { sql } from '../statement/sql.ts'
import { byTenureHorizon } from '../../../domain/analytics/churn-horizons.ts'
import type {
  CancellationCount,
  Cancellations,
  InstantRange,
  TenureHorizonDays,
  TenureSummary,
} from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { middleOf } from './middle.ts'
import { monthsAndDays, rangeValues } from './period-split.ts'

const wholePeriods = sql`from json_each(${slot('periods')}) as p cross join membership_cancellations as c
  on c.organization_id = ${slot('organizationId')} and c.period >= p.value ->> 0 and c.period < p.value ->> 1`

/** The rows of the days that the range contains only partly. */
const partialDays = sql`from json_each(${slot('instants')}) as i cross join memberships as m
  indexed by memberships_is_cancellation_canceled_at
  on m.organization_id = ${slot('organizationId')} and m.is_cancellation = 1
  and m.canceled_at >= i.value ->> 0 and m.canceled_at < i.value ->> 1`

const withinColumns = Object.values(byTenureHorizon((days) => sql.id(`within${days}`)))
const withinConditions = Object.values(byTenureHorizon((days) => sql`m.tenure_days <= ${sql.lit(days)}`))

const reasonCounts = template(sql<CancellationCount>`
  select "churnType", reason, sum(members) as count from (
    select c.churn_type ->> '$' as "churnType", c.reason ->> '$' as reason, c.members ${wholePeriods}
    union all select m.churn_type, m.cancel_reason, 1 ${partialDays}
  ) group by 1, 2 having sum(members) > 0`)

const tenureTotals = template(sql<TenureRow>`
  select total(members) as members, total(known) as known, total(days) as days,
    ${sql.join(withinColumns.map((column) => sql`total(${column}) as ${column}`))}
  from (
    select c.members, c.with_tenure as known, c.tenure_days as days, ${sql.join(withinColumns)} ${wholePeriods}
    union all select 1, m.tenure_days is not null, m.tenure_days,
      ${sql.join(withinConditions)} ${partialDays}
  )`)

type TenureRow = Readonly<Record<'members' | 'known' | 'days' | `within${TenureHorizonDays}`, number>>

const tenureMiddle = template(
  middleOf({
    before: sql`
      spans as materialized (select distinct 'tenure' as subject, c.period ${wholePeriods}),
      ends as materialized (
        select 'tenure' as subject, m.tenure_days as value ${partialDays} and m.tenure_days is not null)`,
    shifts: [5, 0],
  }),
)

/** Reads the sums of whole months and days, and the rows of the partial days at the ends of the range. */
export async function readCancellations(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<Cancellations> {
  const values = { organizationId, ...rangeValues(range, monthsAndDays) }
  const [reasons, totals, middle] = await resultsOf(executor, [
    bind(reasonCounts, values),
    bind(tenureTotals, values),
    bind(tenureMiddle, values),
  ])
  const [row] = totals.rows
  if (row === undefined) throw new Error('Totals without a group are always one row')
  const [found] = middle.rows
  const middleDays = found === undefined ? null : ([found.lower, found.upper] as const)
  return { reasons: reasons.rows, tenure: tenureOf(row, middleDays) }
}

function tenureOf(row: TenureRow, middleDays: TenureSummary['middleDays']): TenureSummary {
  return {
    known: row.known,
    unknown: row.members - row.known,
    totalDays: row.days,
    membersWithinDays: byTenureHorizon((days) => row[`within${days}`]),
    middleDays,
  }
}
