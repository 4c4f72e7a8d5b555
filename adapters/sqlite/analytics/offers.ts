import { sql } from 'kysely'
import type { InstantRange, OfferCount } from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { rangeValues, within } from './range.ts'

const organization = slot('organizationId')
const byOffer = sql`indexed by retention_offer_events_offer_id_occurred_at_event_id_event`

/** The index has the events of each offer together, so they are counted without being sorted. */
const offerCounts = template(sql<OfferCount>`
  with counted as (
    select offer_id, sum(event = 'viewed') as viewed, sum(event = 'accepted') as accepted,
      sum(event = 'declined') as declined
    from retention_offer_events ${byOffer}
    where organization_id = ${organization} and ${within(sql`occurred_at`)} group by offer_id
  )
  select c.offer_id as "offerId", c.viewed, c.accepted, c.declined, e.offer_name as "offerName",
    e.target_plan_name as "targetPlanName", e.target_plan_price_cents as "targetPlanPriceCents"
  from counted as c cross join retention_offer_events as e
    on e.organization_id = ${organization} and e.event_id = (
      select l.event_id from retention_offer_events as l ${byOffer}
      where l.organization_id = ${organization} and l.offer_id = c.offer_id and ${within(sql`l.occurred_at`)}
      order by l.occurred_at desc, l.event_id desc limit 1)`)

/** Reads the events of a range once, by their index, and the latest row of each offer. */
export async function readOfferCounts(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<readonly OfferCount[]> {
  return rowsOf(executor, bind(offerCounts, { organizationId, ...rangeValues(range) }))
}
