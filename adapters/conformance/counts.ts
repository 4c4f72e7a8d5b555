import assert from 'node:assert/strict'
import type { StoredRow } from '../../ports/index.ts'
import { at, twoTenants, link, linkEvent, type TwoTenants } from './fixtures.ts'
import { casesFrom } from './cases.ts'

function checkoutLink(checkoutLinkId: string): StoredRow {
  return {
    checkoutLinkId,
    name: checkoutLinkId,
    url: 'https://example.com/',
    status: 'active',
    items: [],
    siteId: null,
    successUrl: null,
    expiresAt: null,
    createdAt: at(0),
  }
}

function purchase(purchaseId: string, checkoutLinkId: string | null, status: string): StoredRow {
  return {
    purchaseId,
    status,
    contactId: null,
    siteId: null,
    checkoutLinkId,
    currency: 'USD',
    subtotalCents: 0,
    discountCents: 0,
    taxCents: 0,
    totalCents: 0,
    refundedCents: 0,
    purchasedAt: at(0),
    refundedAt: null,
    processorId: `processor-${purchaseId}`,
    items: [],
    fulfillmentCodes: [],
  }
}

/** The completed count of each link of `org-a`, and whether the link changed after `before`. */
async function counts({ read }: TwoTenants, before = at(5)): Promise<readonly unknown[]> {
  const select = ['checkoutLinkId', 'completedCount', 'updatedAt']
  const results = await read(
    'org-a',
    ['l-1', 'l-2'].map((id) => ({ kind: 'one', collection: 'checkout-links', select, id }) as const),
  )
  return results.map(([row]) => [row?.completedCount, String(row?.updatedAt) > before])
}

export const completedCountCases = casesFrom(twoTenants, {
  async 'a checkout link counts its purchases that were paid, whichever was stored first'(storage) {
    const writer = storage.tenant('org-a')
    const statuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled']
    const early = statuses.map((status, index) => purchase(`early-${index}`, 'l-1', status))
    assert.deepEqual(await writer.upsert('purchases', early), { changed: 6 })
    assert.deepEqual(await writer.upsert('checkout-links', [checkoutLink('l-1'), checkoutLink('l-2')]), {
      changed: 2,
    })
    await storage.tenant('org-b').upsert('purchases', [purchase('foreign', 'l-1', 'paid')])
    assert.deepEqual(await counts(storage), [
      [3, false],
      [0, false],
    ])
    storage.clock.ms += 10_000
    const late = [...statuses.map((status, index) => purchase(`late-${index}`, 'l-1', status))]
    assert.deepEqual(await writer.upsert('purchases', [...late, purchase('none', null, 'paid')]), {
      changed: 7,
    })
    assert.deepEqual(await counts(storage), [
      [6, true],
      [0, false],
    ])
  },
  async 'the count follows a purchase that is paid, taken back or moved to another link'(storage) {
    const writer = storage.tenant('org-a')
    await writer.upsert('checkout-links', [checkoutLink('l-1'), checkoutLink('l-2')])
    const steps: readonly (readonly [string | null, string, readonly unknown[]])[] = [
      [
        'l-1',
        'pending',
        [
          [0, false],
          [0, false],
        ],
      ],
      [
        'l-1',
        'paid',
        [
          [1, true],
          [0, false],
        ],
      ],
      [
        'l-1',
        'refunded',
        [
          [1, false],
          [0, false],
        ],
      ],
      [
        'l-2',
        'refunded',
        [
          [0, true],
          [1, true],
        ],
      ],
      [
        'l-1',
        'failed',
        [
          [0, false],
          [0, true],
        ],
      ],
      [
        'l-2',
        'canceled',
        [
          [0, false],
          [0, false],
        ],
      ],
      [
        'l-2',
        'paid',
        [
          [0, false],
          [1, true],
        ],
      ],
      [
        null,
        'paid',
        [
          [0, false],
          [0, true],
        ],
      ],
      [
        'l-1',
        'paid',
        [
          [1, true],
          [0, false],
        ],
      ],
    ]
    for (const [index, [linkId, status, expected]] of steps.entries()) {
      storage.clock.ms += 10_000
      const { changed } = await writer.upsert('purchases', [purchase('p', linkId, status)])
      assert.equal(changed, 1)
      assert.deepEqual(await counts(storage, at(index * 10 + 5)), expected, `${index}: ${status}`)
    }
  },
})

const voucher = (voucherId: string, groupId: string | null, changes: StoredRow = {}): StoredRow => ({
  voucherId,
  groupId,
  status: 'active',
  code: `code of ${voucherId}`,
  contactId: null,
  productId: null,
  amountOffCents: null,
  percentOff: 10,
  currency: null,
  maxRedemptions: null,
  expiresAt: null,
  createdAt: at(0),
  ...changes,
})

const group = (groupId: string): StoredRow => ({
  groupId,
  name: groupId,
  description: null,
  status: 'active',
  productId: null,
  amountOffCents: null,
  percentOff: null,
  currency: null,
  startsAt: null,
  expiresAt: null,
  createdAt: at(0),
})

const redemption = (redemptionId: string, voucherId: string, seconds: number): StoredRow => ({
  redemptionId,
  voucherId,
  groupId: null,
  contactId: null,
  siteId: null,
  amountCents: null,
  code: `code of ${voucherId}`,
  redeemedAt: at(seconds),
})

/** The values of some fields of one row of `org-a`. */
async function valuesOf(
  { tenant }: TwoTenants,
  collection: string,
  id: string,
  fields: readonly string[],
): Promise<readonly unknown[]> {
  const [row] = await tenant('org-a').findMany(collection, fields, [id])
  return fields.map((field) => row?.[field])
}

export const voucherCountCases = casesFrom(twoTenants, {
  async 'a voucher counts its redemptions and its group the vouchers redeemed, whichever came first'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    const ofVoucher = (id: string) => valuesOf(storage, 'vouchers', id, ['redemptionCount', 'lastRedeemedAt'])
    const ofGroup = (id: string) => valuesOf(storage, 'voucher-groups', id, ['voucherCount', 'redeemedCount'])

    await writer.upsert('voucher-redemptions', [redemption('r-1', 'early', 5), redemption('r-2', 'early', 3)])
    await writer.upsert('vouchers', [voucher('early', 'g-1'), voucher('idle', 'g-1'), voucher('lone', null)])
    await writer.upsert('voucher-groups', [group('g-1'), group('g-2')])
    assert.deepEqual(await ofVoucher('early'), [2, at(5)])
    assert.deepEqual(await ofVoucher('idle'), [0, null])
    assert.deepEqual(await ofGroup('g-1'), [2, 1])

    await writer.upsert('voucher-redemptions', [redemption('r-3', 'late', 7)])
    await writer.upsert('vouchers', [voucher('late', 'g-2')])
    assert.deepEqual(await ofVoucher('late'), [1, at(7)])
    assert.deepEqual(await ofGroup('g-2'), [1, 1])

    await storage.tenant('org-b').upsert('voucher-redemptions', [redemption('r-9', 'idle', 9)])
    assert.deepEqual(await ofGroup('g-1'), [2, 1])
    await writer.upsert('voucher-redemptions', [redemption('r-4', 'idle', 9), redemption('r-5', 'idle', 8)])
    assert.deepEqual(await ofVoucher('idle'), [2, at(9)])
    assert.deepEqual(await ofGroup('g-1'), [2, 2])
  },
  async 'what moves to another voucher or group is counted there, and counted here no more'(storage) {
    const writer = storage.tenant('org-a')
    const ofGroup = (id: string) => valuesOf(storage, 'voucher-groups', id, ['voucherCount', 'redeemedCount'])
    await writer.upsert('voucher-groups', [group('g-1'), group('g-2')])
    await writer.upsert('vouchers', [voucher('v-1', 'g-1'), voucher('v-2', 'g-2')])
    await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-1', 1)])
    assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[1, 1], [1, 0]]) // prettier-ignore
    await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-2', 2)])
    assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[1, 0], [1, 1]]) // prettier-ignore
    await writer.upsert('vouchers', [voucher('v-2', 'g-1')])
    assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[2, 1], [0, 0]]) // prettier-ignore
    await writer.upsert('vouchers', [voucher('v-2', null)])
    assert.deepEqual(await ofGroup('g-1'), [1, 0])
    await writer.upsert('vouchers', [voucher('v-2', 'g-2')])
    assert.deepEqual(await ofGroup('g-2'), [1, 1])
  },
  async 'a redemption is a change of its voucher and, the first time, of the group: a sync sees both'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    await writer.upsert('voucher-groups', [group('g-1')])
    await writer.upsert('vouchers', [voucher('v-1', 'g-1')])
    const changedAt = async (collection: string, id: string) =>
      String((await valuesOf(storage, collection, id, ['updatedAt']))[0])
    const before = [await changedAt('vouchers', 'v-1'), await changedAt('voucher-groups', 'g-1')] as const
    storage.clock.ms += 1000
    await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-1', 1)])
    const after = [await changedAt('vouchers', 'v-1'), await changedAt('voucher-groups', 'g-1')] as const
    assert(before[0] < after[0] && before[1] < after[1])
    assert.deepEqual(await writer.upsert('vouchers', [voucher('v-1', 'g-1')]), { changed: 0 })
    assert.deepEqual(await writer.upsert('voucher-groups', [group('g-1')]), { changed: 0 })
  },
  async 'rows are counted as changed without those whose counts moved with them'({ tenant }) {
    const writer = tenant('org-a')
    await writer.upsert('voucher-groups', [group('g-1')])
    assert.deepEqual(await writer.upsert('vouchers', [voucher('v-1', 'g-1')]), { changed: 1 })
    const redemptions = [redemption('r-1', 'v-1', 1), redemption('r-2', 'v-1', 2)]
    assert.deepEqual(await writer.upsert('voucher-redemptions', redemptions), { changed: 2 })
  },
})

const FIELDS = ['clicks', 'leads', 'sales', 'saleAmountCents', 'lastClickedAt'] as const

/** What a link shows about its events: clicks, leads, sales, cents, last click. */
async function countsOf(
  { read }: TwoTenants,
  linkId: string,
  organizationId: 'org-a' | 'org-b' = 'org-a',
): Promise<readonly unknown[]> {
  const [rows] = await read(organizationId, [
    { kind: 'one', collection: 'links', select: FIELDS, id: linkId },
  ])
  return FIELDS.map((field) => rows?.[0]?.[field])
}

const sale = (eventId: string, linkId: string, second: number, amountCents: number | null): StoredRow =>
  linkEvent(eventId, linkId, second, { event: 'sale', amountCents })

export const linkCountCases = casesFrom(twoTenants, {
  async 'a link counts its clicks, leads and sales, whichever came first'(storage) {
    const writer = storage.tenant('org-a')
    const events = [
      linkEvent('e-1', 'early', 5),
      linkEvent('e-2', 'early', 3),
      linkEvent('e-3', 'early', 9, { event: 'lead', amountCents: 700 }),
      sale('e-4', 'early', 10, 2500),
      sale('e-5', 'early', 11, null),
      sale('e-6', 'early', 12, -500),
    ]
    await writer.upsert('link-events', events)
    await writer.upsert('links', [link('early'), link('idle')])
    assert.deepEqual(await countsOf(storage, 'early'), [2, 1, 3, 2000, at(5)])
    assert.deepEqual(await countsOf(storage, 'idle'), [0, 0, 0, 0, null])

    await storage.tenant('org-b').upsert('links', [link('early')])
    await storage.tenant('org-b').upsert('link-events', [linkEvent('e-1', 'early', 99)])
    await writer.upsert('link-events', [linkEvent('e-7', 'early', 4), linkEvent('e-8', 'idle', 1)])
    assert.deepEqual(await countsOf(storage, 'early'), [3, 1, 3, 2000, at(5)])
    assert.deepEqual(await countsOf(storage, 'idle'), [1, 0, 0, 0, at(1)])
    assert.deepEqual(await countsOf(storage, 'early', 'org-b'), [1, 0, 0, 0, at(99)])
  },
  async 'events imported again change nothing, and links imported again keep what they count'(storage) {
    const writer = storage.tenant('org-a')
    const events = [linkEvent('e-1', 'l-1', 1), sale('e-2', 'l-1', 2, 100)]
    await writer.upsert('links', [link('l-1')])
    assert.deepEqual(await writer.upsert('link-events', events), { changed: 2 })
    assert.deepEqual(await writer.upsert('link-events', events), { changed: 0 })
    assert.deepEqual(await writer.upsert('links', [link('l-1')]), { changed: 0 })
    assert.deepEqual(await writer.upsert('links', [link('l-1', { title: 'Renamed' })]), { changed: 1 })
    assert.deepEqual(await countsOf(storage, 'l-1'), [1, 0, 1, 100, at(1)])
  },
  async 'an event that moves to another link, kind, time or amount is counted as what it is now'(storage) {
    const writer = storage.tenant('org-a')
    const both = async () => [await countsOf(storage, 'l-1'), await countsOf(storage, 'l-2')]
    await writer.upsert('links', [link('l-1'), link('l-2')])
    await writer.upsert('link-events', [linkEvent('e-1', 'l-1', 9), linkEvent('e-2', 'l-1', 5)])
    await writer.upsert('link-events', [linkEvent('e-1', 'l-2', 9)])
    assert.deepEqual(await both(), [[1, 0, 0, 0, at(5)], [1, 0, 0, 0, at(9)]]) // prettier-ignore
    await writer.upsert('link-events', [sale('e-1', 'l-2', 9, 300)])
    assert.deepEqual(await both(), [[1, 0, 0, 0, at(5)], [0, 0, 1, 300, null]]) // prettier-ignore
    await writer.upsert('link-events', [sale('e-1', 'l-1', 9, 450), linkEvent('e-2', 'l-1', 2)])
    assert.deepEqual(await both(), [[1, 0, 1, 450, at(2)], [0, 0, 0, 0, null]]) // prettier-ignore
    await writer.upsert('link-events', [linkEvent('e-1', 'nowhere', 9), linkEvent('e-2', 'l-2', 7)])
    assert.deepEqual(await both(), [[0, 0, 0, 0, null], [1, 0, 0, 0, at(7)]]) // prettier-ignore
    await writer.upsert('link-events', [linkEvent('e-1', 'l-1', 8, { event: 'lead', amountCents: 5 })])
    assert.deepEqual((await both())[0], [0, 1, 0, 0, null])
  },
  async 'an event is a change of its link: a sync sees it, and a tag finds it in its new place'(storage) {
    const writer = storage.tenant('org-a')
    await writer.upsert('link-events', [linkEvent('e-0', 'l-3', 3), linkEvent('e-00', 'l-3', 4)])
    await writer.upsert('links', [link('l-1', { tags: ['a', 'b'] }), link('l-2', { tags: ['a'] })])
    await writer.upsert('links', [link('l-3', { tags: ['a'] })])
    storage.clock.ms += 60_000
    await writer.upsert('link-events', [linkEvent('e-1', 'l-1', 1)])
    const tagged = async (field: string, direction: 'ascending' | 'descending') => {
      const order = { field, idField: 'linkId', direction }
      const where = [{ field: 'tags', operator: 'contains', value: 'a' } as const]
      const select = ['linkId']
      const page = {
        kind: 'page',
        collection: 'links',
        select,
        where,
        order,
        after: null,
        limit: 9,
      } as const
      return ((await storage.read('org-a', [page]))[0] ?? []).map(({ linkId }) => linkId)
    }
    assert.deepEqual(await tagged('clicks', 'descending'), ['l-3', 'l-1', 'l-2'])
    assert.deepEqual(await tagged('updatedAt', 'ascending'), ['l-2', 'l-3', 'l-1'])
    assert.deepEqual(await tagged('lastClickedAt', 'ascending'), ['l-1', 'l-3', 'l-2'])
    await writer.upsert('links', [link('l-3', { tags: ['c'] }), link('l-1', { tags: ['b', 'a'] })])
    assert.deepEqual(await tagged('lastClickedAt', 'descending'), ['l-1', 'l-2'])
  },
})
