import { beforeAll, describe, expect, test } from 'vitest'
import { capable, get, scratchService } from '../../support/data/analytics/analytics-service.ts'
import { bringLines } from '../../support/data/bring-lines.ts'
import { members, offers, picked } from '../../support/data/analytics/few-members.ts'
import type { TestService } from '../../support/services/service.ts'

describe('figures that can be checked by hand', () => {
  let service: TestService
  let key: string
  beforeAll(async () => {
    service = await scratchService()
    key = await service.addOrganization('acme', capable)
    await bringLines(service, 'acme', {
      memberships: members,
      'retention-offer-events': offers,
      'exit-survey-events': picked,
    })
  })
  const body = async (path: string) => {
    const answer = await get(service, path, key)
    expect(answer.status).toBe(200)
    return answer.body
  }

  test('members', async () => {
    const shown = await body('/api/v1/members')
    const rows = shown.members as readonly Record<string, unknown>[]
    expect(rows.map((row) => [row.membershipId, row.tenureDays])).toEqual([
      ['m5', null],
      ['m6', 134],
      ['m1', 28],
      ['m2', 30],
      ['m3', 89],
      ['m4', 165],
      ['m7', null],
      ['m8', null],
    ])
    expect(rows[1]).toMatchObject({ billingAmount: 19.99, trialAmount: null, cancelDate: null, tags: [] })
    expect(shown.pagination).toEqual({ limit: 500, offset: 0, hasMore: false, nextOffset: null })
    const second = await body('/api/v1/members?signupEnd=2026-01-31&limit=2&offset=1')
    expect((second.members as readonly Record<string, unknown>[]).map((row) => row.membershipId)).toEqual([
      'm2',
      'm3',
    ])
    expect(second.pagination).toEqual({ limit: 2, offset: 1, hasMore: true, nextOffset: 3 })
    expect(second.filters).toEqual({
      status: 'all',
      signupStart: null,
      signupEnd: '2026-01-31T23:59:59.999Z',
    })
  })

  test('cohorts', async () => {
    const left = { '30': 2, '60': 2, '90': 3, '180': 3, '365': 3 }
    expect(await body('/api/v1/cohorts')).toEqual({
      organizationId: 'acme',
      dateRange: { start: null, end: null },
      source: 'membership_signup',
      available: true,
      dimension: 'none',
      // Six of eight members have a signup date.
      signupDateCoverage: { members: 8, withSignupDate: 6, coveragePct: 75 },
      dimensionValues: [],
      cohorts: [
        { cohortMonth: '2026-01', dimensionValue: null, cohortSize: 4, stillActive: 1, churned: 3, voluntary: 2, involuntary: 1, churnRatePct: 75, churnWithin: left }, // prettier-ignore
        { cohortMonth: '2026-02', dimensionValue: null, cohortSize: 2, stillActive: 1, churned: 1, voluntary: 0, involuntary: 0, churnRatePct: 50, churnWithin: { '30': 0, '60': 0, '90': 0, '180': 0, '365': 0 } }, // prettier-ignore
      ],
    })
    // The range is extended to the end of the month that contains its end.
    const byPlan = await body('/api/v1/cohorts?dimension=plan&end=2026-01-02')
    expect(byPlan.dateRange).toEqual({ start: null, end: '2026-01-31T23:59:59.999Z' })
    expect(byPlan.dimensionValues).toEqual(['Basic', 'Deluxe'])
    expect(
      (byPlan.cohorts as readonly Record<string, unknown>[]).map((row) => [
        row.dimensionValue,
        row.cohortSize,
      ]),
    ).toEqual([
      ['Basic', 2],
      ['Deluxe', 1],
      [null, 1],
    ])
  })

  test('cancellations', async () => {
    const { totals, reasons, tenure } = await body('/api/v1/cancellations')
    // The six are m1, m2, m3, m5, m7 and m8: three voluntary, two involuntary, one unknown.
    expect(totals).toEqual({ cancellations: 6, voluntary: 3, involuntary: 2, unknown: 1, voluntaryPct: 50, involuntaryPct: 33.33 }) // prettier-ignore
    expect(reasons).toEqual([
      { reason: 'moved', churnType: 'voluntary', count: 3, pct: 50 },
      { reason: 'card', churnType: 'involuntary', count: 1, pct: 16.67 },
      { reason: 'moved', churnType: 'involuntary', count: 1, pct: 16.67 },
      { reason: null, churnType: null, count: 1, pct: 16.67 },
    ])
    // The tenures are 28, 30 and 89 days: 147 in all.
    expect(tenure).toEqual({
      averageDays: 49,
      medianDays: 30,
      known: 3,
      unknown: 3,
      buckets: [
        { label: '0–30', minDays: 0, maxDays: 30, count: 2, pct: 66.67 },
        { label: '31–90', minDays: 31, maxDays: 90, count: 1, pct: 33.33 },
        { label: '91–180', minDays: 91, maxDays: 180, count: 0, pct: 0 },
        { label: '181–365', minDays: 181, maxDays: 365, count: 0, pct: 0 },
        { label: '366–730', minDays: 366, maxDays: 730, count: 0, pct: 0 },
        { label: '731+', minDays: 731, maxDays: null, count: 0, pct: 0 },
      ],
    })
    // March has m2, m3 and m7; m7 is left out when the range begins a millisecond later.
    const march = await body('/api/v1/cancellations?start=2026-03-01&end=2026-03-31')
    expect(march.totals).toMatchObject({ cancellations: 3, voluntaryPct: 66.67 })
    const later = await body('/api/v1/cancellations?start=2026-03-01T00:00:00.001Z&end=2026-03-31')
    expect(later.totals).toMatchObject({ cancellations: 2, voluntary: 1, involuntary: 1 })
  })

  test('retention offers', async () => {
    const shown = await body('/api/v1/retention-offers')
    expect(shown.totals).toEqual({ viewed: 4, accepted: 2, declined: 1, acceptanceRatePct: 50 })
    expect(shown.offers).toEqual([
      { offerId: 'o1', offerName: '50 % off', targetPlanName: 'Basic', targetPlanPrice: 9.99, viewed: 3, accepted: 2, declined: 0, acceptanceRatePct: 66.67 }, // prettier-ignore
      { offerId: 'o2', offerName: 'Pause', targetPlanName: null, targetPlanPrice: null, viewed: 1, accepted: 0, declined: 1, acceptanceRatePct: 0 }, // prettier-ignore
    ])
    expect(shown.ltv).toEqual({
      acceptedMembers: null,
      declinedMembers: null,
      coverage: null,
      unavailableReason: 'Fewer than 30 members decided on an offer in this range.',
    })
    const march = await body('/api/v1/retention-offers?start=2026-03-01&end=2026-03-31')
    expect((march.offers as readonly unknown[])[0]).toMatchObject({
      offerName: 'Half price',
      acceptanceRatePct: 33.33,
    })
    const april = await body('/api/v1/retention-offers?start=2026-04-01')
    expect(april.totals).toEqual({ viewed: 0, accepted: 1, declined: 0, acceptanceRatePct: null })
  })

  test('the cancellation survey', async () => {
    const shown = await body('/api/v1/cancellation-survey')
    expect(shown).toMatchObject({
      available: true,
      totals: { selections: 6 },
      other: { count: 2, pct: 33.33 },
    })
    expect(shown.reasons).toEqual([
      {
        reason: 'Too expensive',
        rawCodes: ['TOO  EXPENSIVE', 'Too-Expensive', 'too_expensive'],
        count: 3,
        pct: 50,
      },
      { reason: 'Moved', rawCodes: ['moved'], count: 1, pct: 16.67 },
    ])
    const first = await body('/api/v1/cancellation-survey?end=2026-03-01')
    expect(first).toMatchObject({ totals: { selections: 1 }, other: { count: 0, pct: 0 } })
    expect(await body('/api/v1/cancellation-survey?end=2025-01-01')).toMatchObject({
      available: true,
      totals: { selections: 0 },
      reasons: [],
      other: { count: 0, pct: 0 },
    })
  })

  test('nothing failed inside', () => {
    expect(service.errors).toEqual([])
  })
})
