import { sql } from '../statement/sql.ts'
import type { InstantRange, OfferCount } from '../../../ports/analytics.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { monthsAndDays, rangeValues } from './period-split.ts'

const organization = slot('organizationId')
const byOffer = sql`retention_offer_events_offer_id_occurred_at_event_id_event`

/** On a partial day, only the events of offers that have a count for that day are read. */
const offerCounts = template(sql<OfferCount>`
  with counted as (
    select offer_id, sum(viewed) as viewed, sum(accepted) as accepted, sum(declined) as declined from (
      select c.offer_id, c.viewed, c.accepted, c.declined
      from json_each(${slot('periods')}) as p cross join retention_offer_counts as c
        on c.organization_id = ${organization} and c.period >= p.value ->> 0 and c.period < p.value ->> 1
      union all
      select e.offer_id, e.event = 'viewed', e.event = 'accepted', e.event = 'declined'
      from json_each(${slot('instants')}) as i cross join retention_offer_counts as d
        on d.organization_id = ${organization} and d.period = 'D' || substr(i.value ->> 0, 1, 10)
      cross join retention_offer_events as e indexed by ${byOffer}
        on e.organization_id = ${organization} and e.offer_id = d.offer_id
        and e.occurred_at >= i.value ->> 0 and e.occurred_at < i.value ->> 1
    ) group by offer_id having sum(viewed + accepted + declined) > 0
  )
  select c.offer_id as "offerId", c.viewed, c.accepted, c.declined, e.offer_name as "offerName",
    e.target_plan_name as "targetPlanName", e.target_plan_price_cents as "targetPlanPriceCents"
  from counted as c cross join retention_offer_events as e
    on e.organization_id = ${organization} and e.event_id = (
      select l.event_id from retention_offer_events as l indexed by ${byOffer}
      where l.organization_id = ${organization} and l.offer_id = c.offer_id
        and l.occurred_at >= ${slot('from')} and l.occurred_at < ${slot('until')}
      order by l.occurred_at desc, l.event_id desc limit 1)`)

/**
 * Reads the counts of whole months and days, the events of the partial days at the ends of the range, and two rows for
 * each offer.
 */
export async function readOfferCounts(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<readonly OfferCount[]> {
  const values = { organizationId, ...rangeValues(range, monthsAndDays) }
  return rowsOf(executor, bind(offerCounts, values))
}
