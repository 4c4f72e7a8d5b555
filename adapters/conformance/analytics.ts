import assert from 'node:assert/strict'
import type {
  InstantRange,
  StoredRow,
  TenantAnalytics,
  TenureSummary,
  ExitSurveySource,
  ReasonCount,
} from '../../ports/index.ts'
import { type StorageCase, organization, START_MS, twoTenants } from './fixtures.ts'
import { storedMembership, type MembershipChanges } from './memberships.ts'
import { casesFrom, type Case } from './cases.ts'

const everything: InstantRange = { start: null, end: null }

/** An event in the form in which the source receives it. */
export interface SurveyEvent {
  readonly eventId: string
  readonly reasonCode: string
  readonly occurredAt: string
}

/** A source under test, and a way to put events into it. */
export interface ExitSurveyInstance {
  readonly source: ExitSurveySource
  /** Delivers events of an organization to the source; an event that it already has may be delivered again. */
  deliver(organizationId: string, events: readonly SurveyEvent[]): Promise<void>
}

/** Makes a fresh, empty source with the organizations `org`, `org-a` and `org_a`. */
export type MakeExitSurvey = () => Promise<ExitSurveyInstance>

/** One promise of `ExitSurveySource`, with the check that an adapter keeps it. Rejects when it does not. */
export type ExitSurveyCase = Case<MakeExitSurvey>

const [BEFORE, FIRST, MIDDLE, LAST, BEHIND] = [
  '2024-02-28T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T12:00:00.001Z',
  '2024-02-29T23:59:59.999Z',
  '2024-03-01T00:00:00.000Z',
] as const

function event(eventId: string, occurredAt: string, reasonCode = 'moved'): SurveyEvent {
  return { eventId, reasonCode, occurredAt }
}

/** The counts by reason code. The source must be available. */
async function counted(
  { source }: ExitSurveyInstance,
  range: InstantRange = everything,
  organizationId = 'org-a',
): Promise<Record<string, number>> {
  const answer = await source.open(organizationId).countReasons(range, new AbortController().signal)
  assert(answer.kind === 'counts', JSON.stringify(answer))
  const codes = answer.counts.map(({ code }) => code)
  assert.equal(new Set(codes).size, codes.length)
  return Object.fromEntries(answer.counts.map(({ code, count }: ReasonCount) => [code, count]))
}

export const exitSurveySuite = casesFrom((make: MakeExitSurvey) => make(), {
  async 'reasons are counted by their code exactly as it was recorded'(survey) {
    const codes = [
      'moved',
      'Moved',
      'MOVED ',
      'too_expensive',
      'it\'s 100% "odd" \\ {x:String}',
      'Größe 🚗',
      '%41',
    ]
    const events = codes.flatMap((code, index) =>
      Array.from({ length: index + 1 }, (_, copy) => event(`${index}-${copy}`, MIDDLE, code)),
    )
    await survey.deliver('org-a', events)
    const expected = Object.fromEntries(codes.map((code, index) => [code, index + 1]))
    assert.deepEqual(await counted(survey), expected)
  },
  async 'both bounds of a range belong to it, to the millisecond, and either may be missing'(survey) {
    await survey.deliver(
      'org-a',
      [BEFORE, FIRST, MIDDLE, LAST, BEHIND].map((at, index) => event(`e-${index}`, at)),
    )
    const counts: readonly (readonly [InstantRange, number])[] = [
      [everything, 5],
      [{ start: FIRST, end: LAST }, 3],
      [{ start: FIRST, end: null }, 4],
      [{ start: null, end: LAST }, 4],
      [{ start: MIDDLE, end: MIDDLE }, 1],
      [{ start: BEFORE, end: BEHIND }, 5],
      [{ start: BEHIND, end: BEFORE }, 0],
      [{ start: '0000-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z' }, 5],
      [{ start: '9999-12-31T00:00:00.000Z', end: null }, 0],
      [{ start: null, end: '0001-01-01T00:00:00.000Z' }, 0],
    ]
    for (const [range, count] of counts) {
      assert.deepEqual(
        await counted(survey, range),
        count === 0 ? {} : { moved: count },
        JSON.stringify(range),
      )
    }
  },
  async 'an organization sees its own events and nothing of organizations with similar names'(survey) {
    await survey.deliver('org', [event('e-1', MIDDLE, 'of org')])
    await survey.deliver('org_a', [event('e-1', MIDDLE, 'of org_a'), event('e-2', MIDDLE, 'of org_a')])
    assert.deepEqual(await counted(survey, everything, 'org-a'), {})
    await survey.deliver('org-a', [event('e-1', MIDDLE, 'of org-a')])
    assert.deepEqual(await counted(survey, everything, 'org'), { 'of org': 1 })
    assert.deepEqual(await counted(survey, everything, 'org-a'), { 'of org-a': 1 })
    assert.deepEqual(await counted(survey, everything, 'org_a'), { 'of org_a': 2 })
    assert.deepEqual(await counted(survey, everything, 'or'), {})
    assert.deepEqual(await counted(survey, everything, 'ORG-A'), {})
  },
  async 'an event that is delivered again counts once, with what was said last'(survey) {
    await survey.deliver('org-a', [event('e-1', FIRST), event('e-2', FIRST)])
    await survey.deliver('org-a', [event('e-1', FIRST)])
    assert.deepEqual(await counted(survey), { moved: 2 })
    await survey.deliver('org-a', [event('e-2', FIRST, 'too_expensive')])
    assert.deepEqual(await counted(survey), { moved: 1, too_expensive: 1 })
  },
})

/** The source of exit surveys that every storage has of its own. */
const exitSurveyCases = exitSurveySuite.map((one): StorageCase => ({
  name: `exit survey: ${one.name}`,
  async run(make) {
    await one.run(async () => {
      const storage = await make({ nowMs: () => START_MS })
      for (const id of ['org', 'org-a', 'org_a'])
        await storage.administration.saveOrganization(organization(id))
      return {
        source: storage.exitSurvey,
        async deliver(organizationId, events) {
          const rows = events.map((event) => ({ ...event, membershipId: null, comment: null }))
          await storage.tenant(organizationId).upsert('exit-survey-events', rows)
        },
      }
    })
  },
}))

const allMembers = { status: null, signup: everything, limit: 1000, offset: 0 } as const
const noTenure: TenureSummary = { known: 0, unknown: 0, totalDays: 0, membersWithinDays: { 30: 0, 90: 0, 180: 0, 365: 0, 730: 0 }, middleDays: null } // prettier-ignore
const allCohorts = { dimension: 'none', firstMonth: null, lastMonth: null } as const

function churned(
  membershipId: string,
  cancelDate: string | null,
  changes: MembershipChanges = {},
): StoredRow {
  return storedMembership(membershipId, { status: 'churned', churnType: 'voluntary', cancelDate, ...changes })
}

function offerEvent(eventId: string, event: string, changes: StoredRow = {}): StoredRow {
  return {
    eventId,
    offerId: 'o-1',
    offerName: 'Half price',
    targetPlanName: null,
    targetPlanPriceCents: null,
    membershipId: 'm-1',
    event,
    occurredAt: '2025-03-01T00:00:00.000Z',
    ...changes,
  }
}

function billed(eventId: string, membershipId: string, type: string, amountCents: number | null): StoredRow {
  const occurredAt = '2025-02-01T00:00:00.000Z'
  return { eventId, membershipId, occurredAt, type, amountCents, discountName: null, discountCents: null }
}

async function idsOf(analytics: TenantAnalytics, changes: object): Promise<readonly string[]> {
  const rows = await analytics.members({ ...allMembers, ...changes })
  return rows.map(({ membershipId }) => membershipId)
}

export const analyticsCases: readonly StorageCase[] = [
  {
    name: 'members come latest signup first, unknown last, then by id, and a range leaves out the unknown',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      const days: Readonly<Record<string, string | null>> = { 'm-3': '2025-01-31', 'm-1': '2025-01-31', 'm-2': '2025-02-01', 'm-5': null, 'm-4': null, 'm-6': '2024-02-29' } // prettier-ignore
      const rows = Object.entries(days).map(([id, signupDate]) =>
        id === 'm-6' ? churned(id, null, { signupDate }) : storedMembership(id, { signupDate }),
      )
      await tenant('org-a').upsert('memberships', rows)
      const mine = analytics.open('org-a')
      const order = ['m-2', 'm-1', 'm-3', 'm-6', 'm-4', 'm-5']
      assert.deepEqual(await idsOf(mine, {}), order)
      for (const limit of [1, 2, 5]) {
        const paged: string[] = []
        for (let offset = 0; offset < 8; offset += limit)
          paged.push(...(await idsOf(mine, { limit, offset })))
        assert.deepEqual(paged, order)
      }
      assert.deepEqual(await idsOf(mine, { offset: Number.MAX_SAFE_INTEGER - 1000 }), [])
      assert.deepEqual(await idsOf(mine, { status: 'churned' }), ['m-6'])
      assert.deepEqual(await idsOf(mine, { status: 'active', offset: 1, limit: 3 }), ['m-1', 'm-3', 'm-4'])
      const from = (start: string | null, end: string | null) => idsOf(mine, { signup: { start, end } })
      assert.deepEqual(await from('2025-01-31T00:00:00.000Z', null), ['m-2', 'm-1', 'm-3'])
      assert.deepEqual(await from('2025-01-31T00:00:00.001Z', null), ['m-2'])
      assert.deepEqual(await from(null, '2025-01-31T00:00:00.000Z'), ['m-1', 'm-3', 'm-6'])
      assert.deepEqual(await from(null, '2025-01-30T23:59:59.999Z'), ['m-6'])
      assert.deepEqual(await from('9999-12-31T23:59:59.999Z', null), [])
    },
  },
  {
    name: 'a member is handed over whole',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      const published = {
        membershipId: 'm-1',
        customerId: 'c-1',
        signupDate: '2025-01-15',
        status: 'churned',
        churnType: 'voluntary',
        cancelDate: '2025-03-01T10:00:00.000Z',
        tenureDays: 45,
        planName: '',
        billingAmountCents: 1999,
        billingSiteCode: 'RIV',
        billingSiteName: null,
        creationSiteCode: null,
        creationSiteName: 'Downtown',
        isOnTrial: true,
        trialAmountCents: null,
        tags: ['a "b"'],
      } satisfies MembershipChanges
      await tenant('org-a').upsert('memberships', [
        { ...storedMembership('m-1', published), cancelReason: 'hidden', billingInterval: 'month' },
      ])
      assert.deepEqual(await analytics.open('org-a').members(allMembers), [published])
    },
  },
  {
    name: 'cohorts and cancellations follow every change of a membership',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      const mine = analytics.open('org-a')
      const figures = async () => {
        const { cohorts, ...coverage } = await mine.cohorts({ ...allCohorts, dimension: 'plan' })
        return { cohorts, coverage, ...(await mine.cancellations(everything)) }
      }
      const none = { 30: 0, 60: 0, 90: 0, 180: 0, 365: 0 }
      const still = { churned: 0, voluntary: 0, involuntary: 0, churnedWithinDays: none }
      const save = (row: StoredRow) => tenant('org-a').upsert('memberships', [row])

      await save(storedMembership('m-1', { planName: 'Basic' }))
      assert.deepEqual(await figures(), {
        cohorts: [{ month: '2025-01', value: 'Basic', members: 1, ...still }],
        coverage: { members: 1, membersWithSignupDate: 1 },
        reasons: [],
        tenure: noTenure,
      })
      await save(churned('m-1', '2025-03-01', { cancelReason: 'moved' }))
      const left = { churned: 1, voluntary: 1, involuntary: 0, churnedWithinDays: { ...none, 60: 1, 90: 1, 180: 1, 365: 1 } } // prettier-ignore
      assert.deepEqual(await figures(), {
        cohorts: [{ month: '2025-01', value: null, members: 1, ...left }],
        coverage: { members: 1, membersWithSignupDate: 1 },
        reasons: [{ reason: 'moved', churnType: 'voluntary', count: 1 }],
        tenure: { known: 1, unknown: 0, totalDays: 45, membersWithinDays: { 30: 0, 90: 1, 180: 1, 365: 1, 730: 1 }, middleDays: [45, 45] }, // prettier-ignore
      })
      // The member canceled before the signup, so the length of the membership is unknown.
      await save(churned('m-1', '2025-01-14T23:59:59.999Z', { churnType: null }))
      assert.deepEqual(await figures(), {
        cohorts: [{ month: '2025-01', value: null, members: 1, ...still, churned: 1 }],
        coverage: { members: 1, membersWithSignupDate: 1 },
        reasons: [{ reason: null, churnType: null, count: 1 }],
        tenure: { ...noTenure, unknown: 1 },
      })
      await save(storedMembership('m-1', { signupDate: null }))
      assert.deepEqual(await figures(), {
        cohorts: [],
        coverage: { members: 1, membersWithSignupDate: 0 },
        reasons: [],
        tenure: noTenure,
      })
    },
  },
  {
    name: 'cancellations are counted by exact bounds, within months and across them',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      const dates = ['2025-01-31', '2025-01-31T23:59:59.999Z', '2025-02-01', '2025-02-28T10:00:00.000Z', '2025-03-01', null] // prettier-ignore
      await tenant('org-a').upsert(
        'memberships',
        dates.map((cancelDate, index) => churned(`m-${index}`, cancelDate)),
      )
      // The cancellation date of an active member does not count.
      await tenant('org-a').upsert('memberships', [storedMembership('m-x', { cancelDate: '2025-02-01' })])
      const counts = async (start: string | null, end: string | null) => {
        const { reasons, tenure } = await analytics.open('org-a').cancellations({ start, end })
        const canceled = reasons.reduce((sum, { count }) => sum + count, 0)
        assert.equal(canceled, tenure.known + tenure.unknown)
        return canceled
      }
      assert.equal(await counts(null, null), 6)
      assert.equal(await counts('2025-01-01T00:00:00.000Z', null), 5)
      assert.equal(await counts(null, '2025-01-31T23:59:59.999Z'), 2)
      assert.equal(await counts(null, '2025-01-31T23:59:59.998Z'), 1)
      assert.equal(await counts('2025-01-31T00:00:00.001Z', '2025-02-28T09:59:59.999Z'), 2)
      assert.equal(await counts('2025-01-31T00:00:00.000Z', '2025-03-01T00:00:00.000Z'), 5)
      assert.equal(await counts('2025-02-01T00:00:00.000Z', '2025-02-28T23:59:59.999Z'), 2)
      assert.equal(await counts('2025-03-01T00:00:00.001Z', null), 0)
      assert.equal(await counts('2025-03-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'), 0)
    },
  },
  {
    name: 'an offer is named as its latest event in the range says',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      await tenant('org-a').upsert('retention-offer-events', [
        offerEvent('e-1', 'viewed', { offerName: 'Old', occurredAt: '2025-02-01T00:00:00.000Z' }),
        offerEvent('e-2', 'viewed', { offerName: 'Same instant, lesser id' }),
        offerEvent('e-3', 'accepted', { targetPlanName: 'Basic', targetPlanPriceCents: 999 }),
        offerEvent('e-4', 'declined', {
          offerId: 'o-2',
          membershipId: null,
          occurredAt: '2025-04-01T00:00:00.000Z',
        }),
      ])
      const mine = analytics.open('org-a')
      const latest = { offerName: 'Half price', targetPlanName: 'Basic', targetPlanPriceCents: 999 }
      const unnamed = { targetPlanName: null, targetPlanPriceCents: null }
      const byId = (offers: readonly { readonly offerId: string }[]) =>
        offers.toSorted((left, right) => (left.offerId < right.offerId ? -1 : 1))
      assert.deepEqual(byId(await mine.retentionOffers(everything)), [
        { offerId: 'o-1', viewed: 2, accepted: 1, declined: 0, ...latest },
        { offerId: 'o-2', viewed: 0, accepted: 0, declined: 1, offerName: 'Half price', ...unnamed },
      ])
      assert.deepEqual(await mine.retentionOffers({ start: null, end: '2025-02-28T23:59:59.999Z' }), [
        { offerId: 'o-1', viewed: 1, accepted: 0, declined: 0, offerName: 'Old', ...unnamed },
      ])
    },
  },
  {
    name: "a member's last decision in the range says whose revenue theirs is",
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      const later = { occurredAt: '2025-04-01T00:00:00.000Z' }
      await tenant('org-a').upsert('retention-offer-events', [
        offerEvent('e-1', 'declined', { membershipId: 'm-1' }),
        offerEvent('e-2', 'accepted', { membershipId: 'm-1' }),
        offerEvent('e-3', 'accepted', { membershipId: 'm-2' }),
        offerEvent('e-4', 'declined', { membershipId: 'm-2', ...later }),
        offerEvent('e-5', 'accepted', { membershipId: 'm-3' }),
        offerEvent('e-6', 'accepted', { membershipId: 'no-billing' }),
        offerEvent('e-7', 'viewed', { membershipId: 'm-1', ...later }),
        offerEvent('e-8', 'accepted', { membershipId: null }),
      ])
      await tenant('org-a').upsert('billing-events', [
        billed('b-1', 'm-1', 'payment', 2000),
        billed('b-2', 'm-1', 'refund', 2500),
        billed('b-3', 'm-2', 'payment', 100),
        billed('b-4', 'm-2', 'failed', 900),
        billed('b-5', 'm-3', 'discount', null),
        billed('b-6', 'm-3', 'payment', null),
        billed('b-7', 'undecided', 'payment', 7),
      ])
      const mine = analytics.open('org-a')
      assert.deepEqual(await mine.revenueByDecision(everything), {
        accepted: { members: 3, membersWithRevenue: 2, revenueCents: -500, middleCents: [-500, 0] },
        declined: { members: 1, membersWithRevenue: 1, revenueCents: 100, middleCents: [100, 100] },
      })
      assert.deepEqual(await mine.revenueByDecision({ start: null, end: '2025-03-31T00:00:00.000Z' }), {
        accepted: { members: 4, membersWithRevenue: 3, revenueCents: -400, middleCents: [0, 0] },
        declined: { members: 0, membersWithRevenue: 0, revenueCents: 0, middleCents: null },
      })
    },
  },
  {
    name: 'figures are those of one organization, and of none there are none',
    async run(make) {
      const { tenant, analytics } = await twoTenants(make)
      await tenant('org-b').upsert('memberships', [churned('m-1', '2025-03-01'), storedMembership('m-2')])
      await tenant('org-b').upsert('retention-offer-events', [offerEvent('e-1', 'accepted')])
      await tenant('org-b').upsert('billing-events', [billed('b-1', 'm-1', 'payment', 2000)])
      await tenant('org-a').upsert('retention-offer-events', [offerEvent('e-2', 'accepted')])
      const nobody = { members: 0, membersWithRevenue: 0, revenueCents: 0, middleCents: null }
      for (const id of ['org-a', 'missing']) {
        const mine = analytics.open(id)
        assert.deepEqual(await mine.members(allMembers), [])
        assert.deepEqual(await mine.cohorts(allCohorts), {
          cohorts: [],
          members: 0,
          membersWithSignupDate: 0,
        })
        assert.deepEqual(await mine.cancellations(everything), { reasons: [], tenure: noTenure })
        const { accepted, declined } = await mine.revenueByDecision(everything)
        assert.deepEqual([accepted, declined], [id === 'org-a' ? { ...nobody, members: 1 } : nobody, nobody])
      }
      assert.deepEqual(await analytics.open('missing').retentionOffers(everything), [])
      assert.equal((await analytics.open('org-b').members(allMembers)).length, 2)
    },
  },
  ...exitSurveyCases,
]
