import { describe, expect, test } from 'vitest'
import { capable, get, scratchService } from '../../support/data/analytics/analytics-service.ts'
import { bringLines } from '../../support/data/bring-lines.ts'

describe('revenue by decision', () => {
  const decided = (count: number, decision: string, prefix: string) =>
    Array.from({ length: count }, (_, index) => ({
      eventId: `${prefix}${index}`,
      offerId: 'o1',
      offerName: 'Half price',
      membershipId: `${prefix}${index}`,
      event: decision,
      occurredAt: '2026-03-01T00:00:00Z',
    }))
  const billed = (membershipId: string, amountCents: number, type = 'payment') => ({
    eventId: `${type} ${membershipId}`,
    membershipId,
    occurredAt: '2020-01-01T00:00:00Z',
    type,
    amountCents,
  })
  const ltvOf = async (lines: Readonly<Record<string, readonly object[]>>, settings: object = {}) => {
    const service = await scratchService()
    const key = await service.addOrganization('acme', { ...capable, ...settings })
    await bringLines(service, 'acme', lines)
    return (await get(service, '/api/v1/retention-offers', key)).body.ltv
  }
  // The 20 members who accepted paid 100, 200, … cents. The 10 who declined paid nothing and got a refund of 5 cents
  // each.
  const events = [...decided(20, 'accepted', 'a'), ...decided(10, 'declined', 'd')]
  const bills = [
    ...Array.from({ length: 20 }, (_, index) => billed(`a${index}`, (index + 1) * 100)),
    ...Array.from({ length: 10 }, (_, index) => billed(`d${index}`, 5, 'refund')),
  ]

  test('is there with 30 deciding members of whom enough is known', async () => {
    // The sum of 100 to 2000 is 21000; the middle values are 1000 and 1100.
    expect(await ltvOf({ 'retention-offer-events': events, 'billing-events': bills })).toEqual({
      acceptedMembers: { members: 20, averageRevenueCents: 1050, medianRevenueCents: 1050 },
      declinedMembers: { members: 10, averageRevenueCents: -5, medianRevenueCents: -5 },
      coverage: { members: 30, membersWithRevenue: 30, coveragePct: 100 },
      unavailableReason: null,
    })
    // Billing is known for 24 of 30 members, which is 80 %; it is unknown for six who declined.
    expect(
      await ltvOf({ 'retention-offer-events': events, 'billing-events': bills.slice(0, 24) }),
    ).toMatchObject({
      declinedMembers: { members: 4 },
      coverage: { members: 30, membersWithRevenue: 24, coveragePct: 80 },
    })
  })

  test('a group of which nothing is known has no average', async () => {
    const one = [...decided(29, 'accepted', 'a'), ...decided(1, 'declined', 'd')]
    const all = Array.from({ length: 29 }, (_, index) => billed(`a${index}`, 100))
    expect(await ltvOf({ 'retention-offer-events': one, 'billing-events': all })).toMatchObject({
      declinedMembers: { members: 0, averageRevenueCents: null, medianRevenueCents: null },
    })
  })

  test.each([
    ['Fewer than 30 members', { 'retention-offer-events': events.slice(1), 'billing-events': bills }, {}],
    ['fewer than 80 %', { 'retention-offer-events': events, 'billing-events': bills.slice(0, 23) }, {}],
    [
      "organization's provider",
      { 'retention-offer-events': events, 'billing-events': bills },
      { billingEvents: false },
    ],
  ])('is withheld with a reason: %s', async (reason, lines, settings) => {
    expect(await ltvOf(lines, settings)).toEqual({
      acceptedMembers: null,
      declinedMembers: null,
      coverage: null,
      unavailableReason: expect.stringContaining(reason) as string,
    })
  })
})
