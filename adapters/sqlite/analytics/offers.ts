import type {
  DecisionRevenue,
  InstantRange,
  OfferCount,
  RevenueByDecision,
} from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { BEHIND_ALL } from './month-split.ts'
import { sql } from '../statement/sql.ts'

const inRange = sql`organization_id = ${slot('organizationId')}
  and occurred_at >= ${slot('from')} and occurred_at <= ${slot('until')}`

/** All instants have this many characters, so in `latest` the event id begins after them. */
const INSTANT_LENGTH = 24

const offerCounts = template(sql<OfferCount>`
  with counted as (
    select offer_id, sum(event = 'viewed') as viewed, sum(event = 'accepted') as accepted,
      sum(event = 'declined') as declined, max(occurred_at || event_id) as latest
    from retention_offer_events indexed by retention_offer_events_occurred_at_offer_id_event
    where ${inRange} group by offer_id
  )
  select c.offer_id as "offerId", c.viewed, c.accepted, c.declined, e.offer_name as "offerName",
    e.target_plan_name as "targetPlanName", e.target_plan_price_cents as "targetPlanPriceCents"
  from counted as c cross join retention_offer_events as e
    on e.organization_id = ${slot('organizationId')} and e.event_id = substr(c.latest, ${sql.lit(INSTANT_LENGTH + 1)})`)

/** Reads the events of the range from an index, and one row for each offer. */
export async function readOfferCounts(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<readonly OfferCount[]> {
  return rowsOf(executor, bind(offerCounts, { organizationId, ...boundsOf(range) }))
}

/** Sums in floating point: exact for every realistic amount of money, and without overflow. */
const revenueByDecision = template(sql<GroupRow>`
  with decided as (
    select membership_id, event, row_number() over (
      partition by membership_id order by occurred_at desc, event_id desc) as place
    from retention_offer_events indexed by retention_offer_events_event_occurred_at_membership_id
    where ${inRange} and event in ('accepted', 'declined') and membership_id is not null
  ),
  earned as (
    select d.event, d.membership_id, count(b.event_id) as events,
      total(iif(b.type = 'payment', b.amount_cents, iif(b.type = 'refund', -b.amount_cents, 0))) as revenue
    from decided as d left join billing_events as b indexed by billing_events_membership_id_occurred_at
      on b.organization_id = ${slot('organizationId')} and b.membership_id = d.membership_id
    where d.place = 1 group by d.membership_id
  ),
  ranked as (
    select event, revenue, events > 0 as known,
      row_number() over (partition by event, events > 0 order by revenue) as place,
      count(*) over (partition by event, events > 0) as members
    from earned
  )
  select event, count(*) as members, sum(known) as "membersWithRevenue", total(iif(known, revenue, 0)) as "revenueCents",
    max(iif(known and place = (members + 1) / 2, revenue, null)) as lower,
    max(iif(known and place = (members + 2) / 2, revenue, null)) as upper
  from ranked group by event`)

type GroupRow = Omit<DecisionRevenue, 'middleCents'> & {
  readonly event: string
  readonly lower: number | null
  readonly upper: number | null
}

/** Reads the decisions of the range, and the billing events of those who decided. */
export async function readRevenueByDecision(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<RevenueByDecision> {
  const values = { organizationId, ...boundsOf(range) }
  const rows = await rowsOf(executor, bind(revenueByDecision, values))
  return { accepted: groupOf('accepted', rows), declined: groupOf('declined', rows) }
}

function groupOf(decision: string, rows: readonly GroupRow[]): DecisionRevenue {
  const row = rows.find(({ event }) => event === decision)
  if (row === undefined) return { members: 0, membersWithRevenue: 0, revenueCents: 0, middleCents: null }
  const { members, membersWithRevenue, revenueCents, lower, upper } = row
  const middleCents = lower === null || upper === null ? null : ([lower, upper] as const)
  return { members, membersWithRevenue, revenueCents, middleCents }
}

function boundsOf({ start, end }: InstantRange) {
  return { from: start ?? '', until: end ?? BEHIND_ALL }
}
