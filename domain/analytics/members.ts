import * as v from 'valibot'
import type { InstantRange, MemberRecord } from '../../ports/analytics.ts'
import { handled } from '../access/serve-operation.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import { tenureDays } from '../resources/figures.ts'
import { churnTypes, membershipStatuses } from '../resources/memberships.ts'
import {
  count,
  organizationId,
  endOf,
  limitOf,
  offsetOf,
  startOf,
  wordOf,
  type AnalyticsWorld,
  sampleMembers,
  sampleNow,
  sampleOrganizationId,
  sampleRange,
} from './report.ts'
import { toInstant } from '../text/instant.ts'

const LIMIT_DEFAULT = 500
const LIMIT_MAX = 1_000
/**
 * A larger offset plus a page would exceed the exact integers of JavaScript, and no organization has so many members.
 */
const OFFSET_MAX = Number.MAX_SAFE_INTEGER - LIMIT_MAX

const statuses = ['all', ...membershipStatuses] as const
type Status = (typeof statuses)[number]

const SIGNUP = 'the signup, which counts as the first instant of its day'

const text = v.nullable(v.string())
const instant = v.nullable(v.pipe(v.string(), v.isoTimestamp()))

const MemberRow = v.strictObject({
  membershipId: v.string(),
  customerId: text,
  signupDate: described(v.nullable(v.pipe(v.string(), v.isoDate())), 'A day; null when unknown.'),
  status: v.picklist(membershipStatuses),
  churnType: v.nullable(v.picklist(churnTypes)),
  cancelDate: described(text, 'A day or a UTC instant, as it was reported.'),
  tenureDays: described(
    v.nullable(count),
    'Whole days from the first instant of the signup day to the cancellation (churned) or to now (active); null when a day that it takes is unknown or the signup lies behind.',
  ),
  planName: text,
  billingAmount: described(v.nullable(v.number()), 'In units of the currency: 19.99.'),
  billingSiteCode: text,
  billingSiteName: text,
  creationSiteCode: text,
  creationSiteName: text,
  isOnTrial: v.boolean(),
  trialAmount: described(v.nullable(v.number()), 'In units of the currency.'),
  tags: v.array(v.string()),
})

const Members = v.strictObject({
  organizationId,
  filters: described(
    v.strictObject({ status: v.picklist(statuses), signupStart: instant, signupEnd: instant }),
    'The filters as applied; bounds as exact instants, null when not given or ignored.',
  ),
  pagination: v.strictObject({
    limit: described(count, 'The page size that was used.'),
    offset: described(count, 'How many members were passed over.'),
    hasMore: v.boolean(),
    nextOffset: described(v.nullable(count), 'The `offset` of the next page; null on the last one.'),
  }),
  members: v.array(MemberRow),
})

export const exportMembers = handled(
  {
    access: 'tenant',
    scope: 'read',
    requires: 'analytics',
    tag: 'Analytics',
    deprecated: true,
    summary: 'Export members',
    description:
      'Latest signup first, members of an unknown signup last, then by `membershipId`. A range on the signup leaves out members whose signup is unknown. Pages are cut by counting from the start: an import in between moves rows from one page to another.',
    query: {
      status: wordOf(statuses, 'Only members of this status. Any other value counts as `all`.', ([all]) => ({
        kind: 'value',
        value: all,
      })),
      signupStart: startOf(SIGNUP),
      signupEnd: endOf(SIGNUP),
      limit: limitOf(
        `Members per page. An invalid value counts as ${LIMIT_DEFAULT}, a larger one than ${LIMIT_MAX} as ${LIMIT_MAX}.`,
        LIMIT_DEFAULT,
        LIMIT_MAX,
      ),
      offset: offsetOf('How many members to pass over. An invalid value counts as 0.', OFFSET_MAX),
    },
    responses: {
      200: jsonResponse('The figures.', Members, {
        organizationId: sampleOrganizationId,
        filters: filtersOf('all', sampleRange),
        pagination: paginationOf(LIMIT_DEFAULT, 0, false),
        members: sampleMembers.map((member) => memberRow(member, sampleNow)),
      }),
    },
  },
  async (
    { query: { status, signupStart, signupEnd, limit, offset } },
    { analytics, clock }: AnalyticsWorld,
    organization,
  ) => {
    const signup = { start: signupStart, end: signupEnd }
    // One row more than the page shows whether another page follows.
    const found = await analytics
      .open(organization.organizationId)
      .members({ status: status === 'all' ? null : status, signup, limit: limit + 1, offset })
    const now = toInstant(clock.nowMs())
    const hasMore = found.length > limit
    const body: v.InferOutput<typeof Members> = {
      organizationId: organization.organizationId,
      filters: filtersOf(status, signup),
      pagination: paginationOf(limit, offset, hasMore),
      members: found.slice(0, limit).map((member) => memberRow(member, now)),
    }
    return jsonReply(200, body, PRIVATE)
  },
)

function paginationOf(limit: number, offset: number, hasMore: boolean) {
  return { limit, offset, hasMore, nextOffset: hasMore ? offset + limit : null }
}

function filtersOf(status: Status, { start, end }: InstantRange) {
  return { status, signupStart: start, signupEnd: end }
}

function memberRow(member: MemberRecord, now: string): v.InferOutput<typeof MemberRow> {
  const { status, signupDate } = member
  return {
    membershipId: member.membershipId,
    customerId: member.customerId,
    signupDate,
    status,
    churnType: member.churnType,
    cancelDate: member.cancelDate,
    tenureDays: status === 'active' ? tenureDays(signupDate, now) : member.tenureDays,
    planName: member.planName,
    billingAmount: currencyUnits(member.billingAmountCents),
    billingSiteCode: member.billingSiteCode,
    billingSiteName: member.billingSiteName,
    creationSiteCode: member.creationSiteCode,
    creationSiteName: member.creationSiteName,
    isOnTrial: member.isOnTrial,
    trialAmount: currencyUnits(member.trialAmountCents),
    tags: [...member.tags],
  }
}

/** An amount in units of its currency, as the legacy endpoints publish it. */
function currencyUnits(amountCents: number | null): number | null {
  return amountCents === null ? null : amountCents / 100
}
