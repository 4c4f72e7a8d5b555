import { byHorizon } from '../../domain/analytics/churn-horizons.ts'
import { groupsOf } from '../../domain/analytics/figures.ts'
import { isWithin } from '../../domain/analytics/range.ts'
import { memberFields } from '../../domain/resources/memberships.ts'
import { instantOf } from '../../domain/resources/cancellations/membership.ts'
import type {
  Analytics,
  CancellationCount,
  CohortCount,
  CohortsQuery,
  InstantRange,
  MemberRecord,
  MembersQuery,
  TenureCount,
} from '../../ports/analytics.ts'
import { offerCounts, revenueByDecision } from './offers.ts'
import { selectRows } from './read-query.ts'
import type { MemoryState, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** Memberships as the figures need them. */
type Member = MemberRecord & { readonly canceledAt: string | null; readonly cancelReason: string | null }

/** The figures, by going through all memberships each time. */
export function createMemoryAnalytics(state: MemoryState): Analytics {
  const read = async <Found>(organizationId: string, find: (tenant: TenantState) => Found, none: Found) => {
    state.meter.calls += 1
    const tenant = state.tenants.get(organizationId)
    return tenant === undefined ? none : find(tenant)
  }
  return {
    open: (id) => ({
      members: (query) => read(id, (tenant) => membersPage(tenant, query), []),
      cohorts: (query) =>
        read(id, (tenant) => cohorts(tenant, query), { cohorts: [], members: 0, membersWithSignupDate: 0 }),
      retentionOffers: (range) => read(id, (tenant) => offerCounts(tenant, range), []),
      revenueByDecision: (range) =>
        read(id, (tenant) => revenueByDecision(tenant, range), revenueByDecision(null, range)),
      cancellations: (range) =>
        read(id, (tenant) => cancellations(tenant, range), { reasons: [], tenures: [] }),
    }),
  }
}

function membersOf(tenant: TenantState): readonly Member[] {
  const rows = [...rowsOf(tenant, 'memberships').values()]
  const select = [...memberFields, 'canceledAt', 'cancelReason']
  return selectRows(tenant, 'memberships', select, rows) as unknown as readonly Member[]
}

function membersPage(
  tenant: TenantState,
  { status, signup, limit, offset }: MembersQuery,
): readonly MemberRecord[] {
  return membersOf(tenant)
    .filter((member) => status === null || member.status === status)
    .filter(({ signupDate }) => isWithin(signupDate === null ? null : instantOf(signupDate), signup))
    .sort(latestSignupFirst)
    .slice(offset, offset + limit)
    .map(asRecord)
}

function asRecord(member: Member): MemberRecord {
  return Object.fromEntries(memberFields.map((field) => [field, member[field]])) as unknown as MemberRecord
}

function latestSignupFirst(left: Member, right: Member): number {
  // The empty text, for an unknown day, comes last when descending.
  const bySignup = compareBytes(right.signupDate ?? '', left.signupDate ?? '')
  return bySignup || compareBytes(left.membershipId, right.membershipId)
}

function cohorts(tenant: TenantState, { dimension, firstMonth, lastMonth }: CohortsQuery) {
  const all = membersOf(tenant)
  const valueOf = ({ planName, billingSiteCode }: Member) =>
    ({ none: null, plan: planName, site: billingSiteCode })[dimension]
  const inRange = all.filter(({ signupDate }) => {
    const month = signupDate?.slice(0, 7)
    return month !== undefined && isWithin(month, { start: firstMonth, end: lastMonth })
  })
  const keyOf = (member: Member) => JSON.stringify([member.signupDate?.slice(0, 7), valueOf(member)])
  return {
    cohorts: [...groupsOf(inRange, keyOf)].map(([key, members]): CohortCount => {
      const [month, value] = JSON.parse(key) as [string, string | null]
      return { month, value, members: members.length, ...churnOf(members) }
    }),
    members: all.length,
    membersWithSignupDate: all.filter(({ signupDate }) => signupDate !== null).length,
  }
}

function churnOf(members: readonly Member[]): Omit<CohortCount, 'month' | 'value' | 'members'> {
  const churned = members.filter(({ status }) => status === 'churned')
  const ofType = (type: Member['churnType']) => churned.filter(({ churnType }) => churnType === type).length
  return {
    churned: churned.length,
    voluntary: ofType('voluntary'),
    involuntary: ofType('involuntary'),
    churnedWithinDays: byHorizon(
      (days) => churned.filter(({ tenureDays }) => tenureDays !== null && tenureDays <= days).length,
    ),
  }
}

function cancellations(tenant: TenantState, range: InstantRange) {
  const canceled = membersOf(tenant).filter(
    ({ status, canceledAt }) => status === 'churned' && isWithin(canceledAt, range),
  )
  const reasons = countBy(canceled, ({ cancelReason, churnType }) => ({ reason: cancelReason, churnType }))
  const tenures = countBy(canceled, ({ tenureDays }) => ({ days: tenureDays }))
  return {
    reasons: reasons satisfies readonly CancellationCount[],
    tenures: tenures satisfies readonly TenureCount[],
  }
}

function countBy<Item, Key extends object>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly (Key & { readonly count: number })[] {
  const groups = groupsOf(items, (item) => JSON.stringify(keyOf(item)))
  return [...groups].map(([key, { length: count }]) => ({ ...(JSON.parse(key) as Key), count }))
}
