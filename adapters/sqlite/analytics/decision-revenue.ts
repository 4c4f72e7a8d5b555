import { sql } from 'kysely'
import type { DecisionRevenue, InstantRange, RevenueByDecision } from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { middleColumns, middlePair, type Middle } from './middle.ts'
import { rangeValues, within } from './range.ts'

const organization = slot('organizationId')

/**
 * The revenue of a member; null without any billing event. Sums in floating point are exact for every realistic amount
 * of money, and cannot overflow.
 */
const revenue = sql`
  select iif(count(*) > 0, total(iif(type = 'payment', amount_cents, iif(type = 'refund', -amount_cents, 0))), null)
  from billing_events indexed by billing_events_membership_id_occurred_at_event_id_type_amount_cents
  where organization_id = ${organization} and membership_id = d.membership_id`

/**
 * An index has the decisions of each member together. Beside max(), SQLite takes the other columns from the row that
 * has the maximum; instants have one length, so the texts put together sort by instant, then by event.
 */
const revenueByDecision = template(sql<DecisionRow>`
  with decided as (
    select membership_id, event as decision, max(occurred_at || event_id)
    from retention_offer_events indexed by retention_offer_events_membership_id_occurred_at_event_id_event
    where organization_id = ${organization} and event <> 'viewed' and membership_id is not null
      and ${within(sql`occurred_at`)}
    group by membership_id
  ), earned as materialized (select d.decision, (${revenue}) as cents from decided as d),
  placed as (
    select decision, cents, row_number() over (partition by decision order by cents nulls last) as place,
      count(cents) over (partition by decision) as known
    from earned
  )
  select decision, count(*) as members, known as "membersWithRevenue", total(cents) as "revenueCents",
    ${middleColumns({ value: sql`cents`, upto: sql`place`, count: sql`1`, known: sql`known` })}
  from placed group by decision`)

type DecisionRow = Omit<DecisionRevenue, 'middleCents'> & Middle & { readonly decision: string }

/** Reads the decisions of the organization by their index, and the billing events of the members who decided. */
export async function readRevenueByDecision(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<RevenueByDecision> {
  const rows = await rowsOf(executor, bind(revenueByDecision, { organizationId, ...rangeValues(range) }))
  return { accepted: groupOf('accepted', rows), declined: groupOf('declined', rows) }
}

function groupOf(decision: string, rows: readonly DecisionRow[]): DecisionRevenue {
  const row = rows.find((each) => each.decision === decision)
  if (row === undefined) return { members: 0, membersWithRevenue: 0, revenueCents: 0, middleCents: null }
  const { members, membersWithRevenue, revenueCents } = row
  return { members, membersWithRevenue, revenueCents, middleCents: middlePair(row) }
}
