import { sql } from '../statement/sql.ts'
import type { Sql } from '../statement/sql.ts'
import type { MembersQuery } from '../../../ports/analytics.ts'
import { slot } from '../statement/compiler.ts'

/** The SQL for how many members with a status a row of counts contains. */
const counts = {
  all: sql`members`,
  active: sql`members - churned`,
  churned: sql`churned`,
}

/**
 * Selects (signup_order, membership_id) of the member at `offset` in the order of the export, counted from the signup
 * order `first`; nothing when there are fewer members. It adds up the counts of months, then those of the blocks of one
 * month. Rows are skipped one by one in two blocks only: the one in which the range begins, and the one that contains
 * the member.
 * @param members the memberships, as `t`, by the index that has the order
 * @param conditions the conditions on the organization and the status
 */
export function memberAt(status: MembersQuery['status'], members: Sql, conditions: Sql): Sql {
  const counted = counts[status ?? 'all']
  const organization = slot('organizationId')
  const firstMonth = slot('firstMonth')
  return sql`
    with months as (
      select -cast(replace(month, '-', '') as integer) as month, ${counted} as counted
      from membership_cohorts where organization_id = ${organization} and dimension = 'none'
    ), first_blocks as (
      select first_order, first_id, ${counted} as counted from membership_blocks
      where organization_id = ${organization} and month = ${firstMonth} and first_order < ${slot('first')}
    ), first_block as (
      select * from first_blocks order by first_order desc, first_id desc limit 1
    ), sought as (
      select ${slot('offset')} + (select coalesce(sum(counted), 0) from months where month < ${firstMonth})
        + (select coalesce(sum(counted), 0) from first_blocks)
        - (select coalesce(sum(counted), 0) from first_block)
        + (select count(*) from ${members} where ${conditions} and t.signup_order < ${slot('first')}
          and (t.signup_order, t.membership_id) >= (select first_order, first_id from first_block)) as place
    ), sums as (
      select month, counted, sum(counted) over (order by month) as upto from months
    ), month_found as (
      select month, place - (upto - counted) as place from sums cross join sought
      where upto > place and upto - counted <= place
    ), blocks as (
      select b.first_order, b.first_id, b.counted, m.place,
        sum(b.counted) over (order by b.first_order, b.first_id) as upto
      from month_found as m cross join (
        select month, first_order, first_id, ${counted} as counted from membership_blocks
        where organization_id = ${organization}
      ) as b on b.month = m.month
    ), block_found as (
      select first_order, first_id, place - (upto - counted) as place from blocks
      where upto > place and upto - counted <= place
    )
    select t.signup_order, t.membership_id from ${members}
    where ${conditions}
      and (t.signup_order, t.membership_id) >= (select first_order, first_id from block_found)
    order by t.signup_order, t.membership_id limit 1 offset coalesce((select place from block_found), 0)`
}
