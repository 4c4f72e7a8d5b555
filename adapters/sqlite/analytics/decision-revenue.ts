import { sql } from '../statement/sql.ts'
import type { DecisionRevenue, InstantRange, RevenueByDecision } from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { MiddleRow } from './middle.ts'
import { middleOf } from './middle.ts'
import { BEHIND_ALL, rangeValues, yearsToDays } from './period-split.ts'

const organization = slot('organizationId')

const wholePeriods = sql`from json_each(${slot('periods')}) as p cross join member_decision_totals as t
  on t.organization_id = ${organization} and t.period >= p.value ->> 0 and t.period < p.value ->> 1`

/**
 * The possible values of `held_days_max`: an upper bound, in days, of the time between a decision and the one that
 * supersedes it.
 */
const heldDaysMax = [8, 64, 512, 4_000_000].map((days) => sql`(${sql.lit(days)})`)
const byHeldDays = sql`indexed by member_decisions_held_days_max_decided_at`

/**
 * Decisions that no stored sum of the range includes: the latest decisions of members on its partial days, and
 * decisions that were superseded only after the range. The latter can only be in the last days of the range, as many as
 * `held_days_max` says, so only those days are searched. A range without an end has none.
 */
const singleDecisions = sql`
  select d.decision, d.billing_events > 0 as known, d.revenue_cents
  from json_each(${slot('instants')}) as i cross join member_decisions as d ${byHeldDays}
    on d.organization_id = ${organization} and d.held_days_max is null
    and d.decided_at >= i.value ->> 0 and d.decided_at < i.value ->> 1
  union all
  select d.decision, d.billing_events > 0, d.revenue_cents
  from (select column1 as days from (values ${sql.join(heldDaysMax)}) where ${slot('until')} < ${sql.lit(BEHIND_ALL)}) as held
  cross join member_decisions as d ${byHeldDays}
    on d.organization_id = ${organization} and d.held_days_max = held.days and d.decided_at < ${slot('until')}
    and d.decided_at >= max(${slot('from')},
      coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', ${slot('until')}, '-' || held.days || ' days'), ''))
  where d.superseded_at >= ${slot('until')}`

/** Sums in floating point, which are exact for every realistic amount of money and cannot overflow. */
const decisionTotals = template(sql<TotalRow>`
  select decision, sum(members) as members, sum(with_revenue) as "membersWithRevenue", total(revenue_cents) as "revenueCents"
  from (
    select t.decision, t.members, t.with_revenue, t.revenue_cents ${wholePeriods}
    union all select decision, 1, known, revenue_cents from (${singleDecisions})
  ) group by decision having sum(members) > 0`)

type TotalRow = Omit<DecisionRevenue, 'middleCents'> & { readonly decision: string }

const revenueMiddle = template(
  middleOf({
    before: sql`
      spans as materialized (select t.decision as subject, t.period ${wholePeriods}),
      ends as materialized (select decision as subject, revenue_cents as value from (${singleDecisions}) where known)`,
    shifts: [14, 7, 0],
  }),
)

/**
 * Reads the sums of whole years, months and days, the decisions of the partial days at the ends of the range, and those
 * of members who decided again after the range.
 */
export async function readRevenueByDecision(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<RevenueByDecision> {
  const values = { organizationId, ...rangeValues(range, yearsToDays) }
  const [totals, middles] = await resultsOf(executor, [
    bind(decisionTotals, values),
    bind(revenueMiddle, values),
  ])
  const groupOf = (decision: string) => groupFrom(decision, totals.rows, middles.rows)
  return { accepted: groupOf('accepted'), declined: groupOf('declined') }
}

function groupFrom(
  decision: string,
  totals: readonly TotalRow[],
  middles: readonly MiddleRow[],
): DecisionRevenue {
  const row = totals.find((total) => total.decision === decision)
  if (row === undefined) return { members: 0, membersWithRevenue: 0, revenueCents: 0, middleCents: null }
  const { members, membersWithRevenue, revenueCents } = row
  const middle = middles.find(({ subject }) => subject === decision)
  const middleCents = middle === undefined ? null : ([middle.lower, middle.upper] as const)
  return { members, membersWithRevenue, revenueCents, middleCents }
}
