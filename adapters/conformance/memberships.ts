import { selection, serializer, type RowOf } from '../../domain/record/resource.ts'
import { cancellationInstant, siteOf, tenureDaysOf } from '../../domain/resources/figures.ts'
import type { memberships } from '../../domain/resources/memberships.ts'
import type { StoredRow } from '../../ports/index.ts'
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { cancellationRecords } from '../../domain/resources/cancellation-records.ts'
import { drawing, twoTenants, type TwoTenants } from './fixtures.ts'
import { casesFrom } from './cases.ts'

/** The fields in which a test's membership differs from the default one. */
export type MembershipChanges = Partial<RowOf<typeof memberships>>

/** A membership as an import stores it: the given fields and those that are derived from them. */
function withDerived(
  given: StoredRow &
    Parameters<typeof cancellationInstant>[0] &
    Parameters<typeof tenureDaysOf>[0] &
    Parameters<typeof siteOf>[0],
): StoredRow {
  const canceledAt = cancellationInstant(given)
  return {
    ...given,
    ...siteOf(given),
    canceledAt,
    isCancellation: canceledAt !== null,
    tenureDays: tenureDaysOf(given),
  }
}

/** An active membership of which only the id, a signup date and the given changes are known. */
export function storedMembership(membershipId: string, changes: MembershipChanges = {}): StoredRow {
  return withDerived({
    membershipId,
    customerId: null,
    signupDate: '2025-01-15',
    status: 'active',
    churnType: null,
    cancelDate: null,
    cancelReason: null,
    planName: null,
    billingAmountCents: null,
    billingInterval: null,
    billingSiteCode: null,
    billingSiteName: null,
    creationSiteCode: null,
    creationSiteName: null,
    isOnTrial: false,
    trialAmountCents: null,
    tags: [],
    ...changes,
  })
}

const publish = serializer(cancellationRecords)

function membership(membershipId: string, changes: MembershipChanges = {}): StoredRow {
  return storedMembership(membershipId, {
    signupDate: '2024-01-31',
    status: 'churned',
    churnType: 'voluntary',
    cancelDate: '2025-06-01',
    cancelReason: 'moved',
    billingAmountCents: 2500,
    billingInterval: 'month',
    creationSiteCode: 'RIV',
    creationSiteName: 'Riverside',
    ...changes,
  })
}

function billed(eventId: string, membershipId: string, changes: StoredRow = {}): StoredRow {
  const none = { amountCents: null, discountName: null, discountCents: null }
  return {
    eventId,
    membershipId,
    occurredAt: '2024-01-31T00:00:00.000Z',
    type: 'payment',
    ...none,
    ...changes,
  }
}

type Published = Readonly<Record<keyof (typeof cancellationRecords)['fields'], unknown>>

async function recordsOf({ tenant }: TwoTenants, ids: readonly string[]): Promise<Map<string, Published>> {
  const rows = await tenant('org-a').findMany('memberships', selection(cancellationRecords), ids)
  return new Map(rows.map((row) => [row.membershipId as string, publish(row)]))
}

async function recordOf(storage: TwoTenants, id: string): Promise<Published> {
  const record = (await recordsOf(storage, [id])).get(id)
  assert(record !== undefined)
  return record
}

const types = ['payment', 'payment', 'failed', 'refund', 'discount']
const signups = ['2024-01-31', '2024-02-29', '2023-03-01', '2025-01-01', null]
const DAY_MS = 86_400_000

function generatedEvent(below: (limit: number) => number): StoredRow {
  const type = types[below(types.length)]
  const isDiscount = type === 'discount'
  // The borders of the windows are drawn more often than chance would draw them.
  const start = Date.parse(signups[below(4)] ?? '')
  const days = [-1, 0, 29, 30, 364, 365, below(700)][below(7)] ?? 0
  const occurredAt = new Date(start + days * DAY_MS + (below(2) === 0 ? 0 : below(DAY_MS))).toISOString()
  return billed(`e-${below(200)}`, `m-${below(4)}`, {
    occurredAt,
    type,
    amountCents: isDiscount || below(4) === 0 ? null : below(10_000),
    discountName: isDiscount ? `"${below(3)}" \u{1F697}` : null,
    discountCents: isDiscount ? below(900) : null,
  })
}

/** A membership that ended, at the border of a due date or of its first year, or at any time. */
function generatedMembership(membershipId: string, below: (limit: number) => number): StoredRow {
  const signupDate = signups[below(signups.length)] ?? null
  const days = [0, 1, 28, 29, 31, 364, 365, below(800)][below(8)] ?? 0
  const cancelMs = Date.parse(signupDate ?? '2024-01-31') + days * DAY_MS + below(2)
  const hasBillingSite = below(2) === 0
  return membership(membershipId, {
    signupDate,
    cancelDate: below(3) === 0 ? '2025-06-01' : new Date(cancelMs).toISOString(),
    billingInterval: ([null, 'week', 'month', 'quarter', 'year'] as const)[below(5)] ?? null,
    billingSiteCode: hasBillingSite ? 'DTN' : null,
    billingSiteName: hasBillingSite && below(2) === 0 ? 'Downtown' : null,
  })
}

type Written = Readonly<Record<string, string | number | null>>

/**
 * The record of a membership and of all events that were written, by the rules of cancellation records alone: nothing of
 * the service computes here. Without `updatedAt`.
 */
function expected(row: Written, events: readonly Written[]) {
  const own = events.filter(({ membershipId }) => membershipId === row.membershipId)
  const startMs = row.signupDate === null ? NaN : Date.parse(`${String(row.signupDate)}T00:00:00Z`)
  const canceledMs = Date.parse(String(row.cancelDate))
  const dayOf = ({ occurredAt }: Written) => Math.floor((Date.parse(String(occurredAt)) - startMs) / DAY_MS)
  const placeOf = ({ occurredAt, eventId }: Written) => `${String(occurredAt)} ${String(eventId)}`
  /** Nothing lies within unknown days. */
  const inFirst = (days: number, ...kinds: readonly string[]) =>
    own
      .filter((event) => dayOf(event) >= 0 && dayOf(event) < days && kinds.includes(String(event.type)))
      .sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
  const discounts = inFirst(30, 'discount')
  const payments = inFirst(365, 'payment', 'failed')
  const paid = payments.filter(({ type }) => type === 'payment').length
  const due = dueDays(row, startMs, canceledMs)
  const tenureDays = Math.floor((canceledMs - startMs) / DAY_MS)
  const site = row.billingSiteCode === null && row.billingSiteName === null ? 'creation' : 'billing'
  return {
    membershipId: row.membershipId,
    customerId: row.customerId,
    siteCode: row[`${site}SiteCode`],
    siteName: row[`${site}SiteName`],
    planName: row.planName,
    signupDate: row.signupDate,
    canceledAt: new Date(canceledMs).toISOString(),
    tenureDays: tenureDays >= 0 ? tenureDays : null,
    churnType: row.churnType,
    reason: row.cancelReason,
    billingAmountCents: row.billingAmountCents,
    signupDiscounts: discounts.map(({ discountName, discountCents, occurredAt }) => ({
      name: discountName,
      discountCents,
      occurredAt,
    })),
    hadSignupDiscount: own.length === 0 ? null : discounts.length > 0,
    firstYearPayments: payments.map(({ occurredAt, amountCents, type }) => ({
      occurredAt,
      amountCents,
      status: type === 'payment' ? 'paid' : 'failed',
    })),
    firstYearPaymentCoverage: {
      expectedPayments: due,
      recordedPayments: paid,
      coveragePct: due === null || due === 0 ? null : Math.min(100, Math.round((paid * 10_000) / due) / 100),
      complete: due !== null && paid >= due,
    },
  }
}

/** On how many of the first 365 days, before the cancellation, a payment was due; null when that is unknown. */
function dueDays({ billingInterval }: Written, startMs: number, canceledMs: number): number | null {
  if (Number.isNaN(startMs) || billingInterval === null) return null
  const signup = new Date(startMs)
  const isDue = (day: Date, index: number) => {
    if (billingInterval === 'week') return index % 7 === 0
    const months =
      12 * (day.getUTCFullYear() - signup.getUTCFullYear()) + day.getUTCMonth() - signup.getUTCMonth()
    const isMonthEnd = new Date(day.getTime() + DAY_MS).getUTCDate() === 1
    const isSameDay =
      day.getUTCDate() === signup.getUTCDate() || (isMonthEnd && day.getUTCDate() < signup.getUTCDate())
    return isSameDay && months % { month: 1, quarter: 3, year: 12 }[billingInterval as 'month'] === 0
  }
  return Array.from({ length: 365 }, (_, index) => new Date(startMs + index * DAY_MS)).filter(
    (day, index) => day.getTime() < canceledMs && isDue(day, index),
  ).length
}

export const cancellationRecordCases = casesFrom(twoTenants, {
  async 'a cancellation record shows the events of its membership, in whatever order both were written'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    const below = drawing(7)
    const memberships = new Map<string, StoredRow>()
    const events = new Map<string, StoredRow>()
    const ids = Array.from({ length: 4 }, (_, index) => `m-${index}`)
    for (let round = 0; round < 60; round += 1) {
      storage.clock.ms += 1000
      const before = await recordsOf(storage, ids)
      const touched = new Set<unknown>()
      if (round % 2 === 0) {
        const written = new Map(Array.from({ length: 20 }, () => generatedEvent(below)).map((row) => [row.eventId as string, row])) // prettier-ignore
        for (const [id, row] of written) touched.add(events.get(id)?.membershipId).add(row.membershipId)
        await writer.upsert('billing-events', [...written.values()])
        for (const [id, row] of written) events.set(id, row)
      } else {
        const row = generatedMembership(`m-${below(4)}`, below)
        if (!isDeepStrictEqual(memberships.get(row.membershipId as string), row))
          touched.add(row.membershipId)
        await writer.upsert('memberships', [row])
        memberships.set(row.membershipId as string, row)
      }
      const after = await recordsOf(storage, ids)
      assert.equal(after.size, memberships.size)
      for (const [id, record] of after) {
        const { updatedAt, ...shown } = record
        assert.deepEqual(shown, expected(memberships.get(id) as Written, [...events.values()] as Written[]))
        const changed = before.get(id)?.updatedAt !== updatedAt
        assert.equal(changed, touched.has(id), `${id} in round ${round}`)
      }
    }
  },
  async 'a first year that would end after the year 9999 has all events until its end'(storage) {
    const writer = storage.tenant('org-a')
    const ids = ['m-before', 'm-after', 'm-redated']
    const last = { occurredAt: '9999-12-31T23:59:59.999Z' }
    const late = { signupDate: '9999-06-01', cancelDate: '9999-12-31' }
    await writer.upsert('memberships', [membership('m-before', late), membership('m-redated')])
    await writer.upsert(
      'billing-events',
      ids.map((id) => billed(id, id, last)),
    )
    await writer.upsert('memberships', [membership('m-after', late), membership('m-redated', late)])
    for (const [, { firstYearPayments: payments }] of await recordsOf(storage, ids))
      assert.deepEqual(payments, [{ ...last, amountCents: null, status: 'paid' }])
    assert.equal((await recordsOf(storage, ids)).size, ids.length)
  },
  async 'an event that changes, or moves to another membership, changes the records of both: a sync sees it'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    await writer.upsert('memberships', [membership('m-1'), membership('m-2'), membership('m-3')])
    const changes = async (event: StoredRow) => {
      const ids = ['m-1', 'm-2', 'm-3']
      const before = await recordsOf(storage, ids)
      storage.clock.ms += 1000
      const { changed } = await writer.upsert('billing-events', [event])
      const after = await recordsOf(storage, ids)
      return [
        changed,
        ...ids.filter((id) => String(before.get(id)?.updatedAt) < String(after.get(id)?.updatedAt)),
      ]
    }
    assert.deepEqual(await changes(billed('e-1', 'm-1')), [1, 'm-1'])
    assert.deepEqual(await changes(billed('e-1', 'm-1')), [0])
    assert.deepEqual(await changes(billed('e-1', 'm-1', { amountCents: 900 })), [1, 'm-1'])
    assert.deepEqual(await changes(billed('e-2', 'm-1', { type: 'refund' })), [1, 'm-1'])
    assert.deepEqual(await changes(billed('e-1', 'm-2', { amountCents: 900 })), [1, 'm-1', 'm-2'])
    assert.deepEqual(await writer.upsert('memberships', [membership('m-1')]), { changed: 0 })
    assert.deepEqual((await recordOf(storage, 'm-1')).firstYearPayments, [])
    assert.equal((await recordOf(storage, 'm-1')).hadSignupDiscount, false)
    assert.equal((await recordOf(storage, 'm-3')).hadSignupDiscount, null)
  },
  async 'events of another organization are none of its memberships'(storage) {
    await storage.tenant('org-b').upsert('billing-events', [billed('e-1', 'm-1')])
    await storage.tenant('org-a').upsert('memberships', [membership('m-1')])
    await storage.tenant('org-b').upsert('billing-events', [billed('e-2', 'm-1')])
    const { firstYearPayments: payments, hadSignupDiscount } = await recordOf(storage, 'm-1')
    assert.deepEqual([payments, hadSignupDiscount], [[], null])
  },
})
