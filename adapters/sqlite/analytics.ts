import type {
  Analytics,
  InstantRange,
  MemberRecord,
  MembersQuery,
  ChurnHorizonDays,
  CohortCount,
  Cohorts,
  CohortsQuery,
  CancellationCount,
  Cancellations,
  TenureHorizonDays,
  TenureSummary,
  OfferCount,
  DecisionRevenue,
  RevenueByDecision,
} from '../../ports/analytics.ts'
import type { Guard } from './placement/guard.ts'
import { sql, type Expression, type SqlBool } from 'kysely'
import { memberFields } from '../../domain/resources/memberships.ts'
import { bind, slot, template, db, indexedBy, type Template } from './statement/compiler.ts'
import { decodeRows, tableOf } from './tables.ts'
import { rowsOf, resultsOf, type Executor, type ResultRow } from './statement/executor.ts'
import { selectFrom } from './read/page-select.ts'
import { byHorizon, byTenureHorizon } from '../../domain/resources/figures.ts'
import type { ExitSurveySource } from '../../ports/sources.ts'
import { toInstant } from '../../domain/text/instant.ts'

/**
 * The figures of the analytics. They are counted by indexes that hold all that they need, when they are asked for;
 * cohorts alone are kept as counts.
 */
export function createAnalytics(guard: Guard): Analytics {
  return {
    open: (organizationId) => {
      const executor = guard({ organizationIds: [organizationId] })
      return {
        members: (query) => readMembers(executor, organizationId, query),
        cohorts: (query) => readCohorts(executor, organizationId, query),
        retentionOffers: (range) => readOfferCounts(executor, organizationId, range),
        revenueByDecision: (range) => readRevenueByDecision(executor, organizationId, range),
        cancellations: (range) => readCancellations(executor, organizationId, range),
      }
    },
  }
}

const templates = new Map<string, Template<ResultRow>>()

/** Reads a page of members. The rows before the offset are skipped in the index alone. */
async function readMembers(
  executor: Executor,
  organizationId: string,
  { status, signup, limit, offset }: MembersQuery,
): Promise<readonly MemberRecord[]> {
  const shape = `${status ?? 'all'} ${isBounded(signup)}`
  const page = templates.get(shape) ?? compile(status, isBounded(signup))
  templates.set(shape, page)
  const values = { organizationId, status, ...signupDays(signup), limit, offset }
  const rows = await rowsOf(executor, bind(page, values))
  // The selected fields are known only as a list of names, from which the compiler cannot derive the type of the rows.
  return decodeRows(tableOf('memberships'), memberFields, rows) as unknown as readonly MemberRecord[]
}

function compile(status: MembersQuery['status'], isOfRange: boolean): Template<ResultRow> {
  const members =
    status === null
      ? sql`memberships as t indexed by memberships_signup_date`
      : sql`memberships as t indexed by memberships_status_signup_date`
  const select = selectFrom(tableOf('memberships'), memberFields, 'columns', members)
  return template(sql<ResultRow>`${select} where t.organization_id = ${slot('organizationId')}
    ${status === null ? sql`` : sql`and t.status = ${slot('status')}`}
    ${isOfRange ? sql`and t.signup_date >= ${slot('from')} and t.signup_date <= ${slot('to')}` : sql``}
    order by t.signup_date desc, t.membership_id limit +${slot('limit')} offset +${slot('offset')}`)
}

/**
 * The range as texts between which the days of signup lie. A signup counts as the first instant of its day, so an
 * instant after it leaves its day out: the text that follows the day does so too.
 */
function signupDays({ start, end }: InstantRange): { readonly from: string; readonly to: string } {
  const dayOf = (instant: string) => instant.slice(0, 'YYYY-MM-DD'.length)
  return {
    from: start === null ? '' : start.endsWith('T00:00:00.000Z') ? dayOf(start) : dayOf(start) + BEHIND_ALL,
    to: end === null ? BEHIND_ALL : dayOf(end),
  }
}

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
async function readCohorts(
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
async function readCancellations(
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

const byOffer = sql`indexed by retention_offer_events_offer_id_occurred_at_event_id_event`

/** The index has the events of each offer together, so they are counted without being sorted. */
const offerCounts = template(sql<OfferCount>`
  with counted as (
    select offer_id, sum(event = 'viewed') as viewed, sum(event = 'accepted') as accepted,
      sum(event = 'declined') as declined
    from retention_offer_events ${byOffer}
    where organization_id = ${slot('organizationId')} and ${within(sql`occurred_at`)} group by offer_id
  )
  select c.offer_id as "offerId", c.viewed, c.accepted, c.declined, e.offer_name as "offerName",
    e.target_plan_name as "targetPlanName", e.target_plan_price_cents as "targetPlanPriceCents"
  from counted as c cross join retention_offer_events as e
    on e.organization_id = ${slot('organizationId')} and e.event_id = (
      select l.event_id from retention_offer_events as l ${byOffer}
      where l.organization_id = ${slot('organizationId')} and l.offer_id = c.offer_id and ${within(sql`l.occurred_at`)}
      order by l.occurred_at desc, l.event_id desc limit 1)`)

/** Reads the events of a range once, by their index, and the latest row of each offer. */
async function readOfferCounts(
  executor: Executor,
  organizationId: string,
  range: InstantRange,
): Promise<readonly OfferCount[]> {
  return rowsOf(executor, bind(offerCounts, { organizationId, ...rangeValues(range) }))
}

/**
 * The revenue of a member; null without any billing event. Sums in floating point are exact for every realistic amount
 * of money, and cannot overflow.
 */
const revenue = sql`
  select iif(count(*) > 0, total(iif(type = 'payment', amount_cents, iif(type = 'refund', -amount_cents, 0))), null)
  from billing_events indexed by billing_events_membership_id_occurred_at_event_id_type_amount_cents
  where organization_id = ${slot('organizationId')} and membership_id = d.membership_id`

/**
 * An index has the decisions of each member together. Beside max(), SQLite takes the other columns from the row that
 * has the maximum; instants have one length, so the texts put together sort by instant, then by event.
 */
const revenueByDecision = template(sql<DecisionRow>`
  with decided as (
    select membership_id, event as decision, max(occurred_at || event_id)
    from retention_offer_events indexed by retention_offer_events_membership_id_occurred_at_event_id_event
    where organization_id = ${slot('organizationId')} and event <> 'viewed' and membership_id is not null
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
async function readRevenueByDecision(
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

/** The values of the one or two rows in the middle; null: there is no value. */
interface Middle {
  readonly lower: number | null
  readonly upper: number | null
}

/**
 * The columns `lower` and `upper`, the values in the middle of sorted ones.
 * @param value the value of a row, or of several rows that have the same
 * @param upto how many values there are up to the last one of this row
 * @param count how many values this row stands for
 * @param known how many values there are in all
 */
function middleColumns({
  value,
  upto,
  count,
  known,
}: Readonly<Record<'value' | 'upto' | 'count' | 'known', Expression<unknown>>>): Expression<unknown> {
  const at = (place: Expression<unknown>) =>
    sql`max(iif(${upto} >= ${place} and ${upto} - ${count} < ${place}, ${value}, null)) * 1.0`
  return sql`${at(sql`(${known} + 1) / 2`)} as lower, ${at(sql`(${known} + 2) / 2`)} as upper`
}

/** The middle as a pair; null when there is no value. */
function middlePair({ lower, upper }: Middle): readonly [number, number] | null {
  return lower === null || upper === null ? null : [lower, upper]
}

const reasonCounts = template(
  db
    .selectFrom(indexedBy('exit_survey_events', 'e', 'exit_survey_events_occurred_at_reason_code'))
    .select(({ fn }) => ['e.reason_code as code', fn.countAll<number>().as('count')])
    .where('e.organization_id', '=', slot('organizationId'))
    .where(({ ref }) => within(ref('e.occurred_at')))
    .groupBy('e.reason_code'),
)

/**
 * Exit-survey events in this service's own database. A batch ends by itself within a bounded time, so the caller's
 * signal is not needed.
 */
export function createExitSurvey(guard: Guard): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range) {
        const counts = bind(reasonCounts, { organizationId, ...rangeValues(range) })
        try {
          const rows = await rowsOf(guard({ organizationIds: [organizationId] }), counts)
          return { kind: 'counts', counts: rows }
        } catch (cause) {
          return { kind: 'unavailable', reason: 'The database did not answer.', cause }
        }
      },
    }),
  }
}

/** A text that sorts after every stored instant, day and month. */
const BEHIND_ALL = '~'

/** The values of the slots that `within` uses. Instants are stored as texts, which sort in the order of their times. */
function rangeValues({ start, end }: InstantRange): { readonly from: string; readonly until: string } {
  const behind = end === null ? BEHIND_ALL : toInstant(Date.parse(end) + 1)
  // A year of more than four digits, which no stored instant has, would sort before all of them.
  return { from: start ?? '', until: behind.startsWith('+') ? BEHIND_ALL : behind }
}

/** The condition that a stored instant lies within the range. A row without the instant lies within none. */
function within(column: Expression<unknown>): Expression<SqlBool> {
  return sql`${column} >= ${slot('from')} and ${column} < ${slot('until')}`
}

/** Whether the range has a bound. Rows without a date belong only to a range that has none. */
function isBounded({ start, end }: InstantRange): boolean {
  return start !== null || end !== null
}
