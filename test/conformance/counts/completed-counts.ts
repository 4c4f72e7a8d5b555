import assert from 'node:assert/strict'
import type { StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, twoTenants, type TwoTenants } from '../fixtures.ts'

function link(checkoutLinkId: string): StoredRow {
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

export const completedCountCases: readonly StorageCase[] = [
  {
    name: 'a checkout link counts its purchases that were paid, whichever was stored first',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const statuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled']
      const early = statuses.map((status, index) => purchase(`early-${index}`, 'l-1', status))
      assert.deepEqual(await writer.upsert('purchases', early), { changed: 6 })
      assert.deepEqual(await writer.upsert('checkout-links', [link('l-1'), link('l-2')]), { changed: 2 })
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
  },
  {
    name: 'the count follows a purchase that is paid, taken back or moved to another link',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      await writer.upsert('checkout-links', [link('l-1'), link('l-2')])
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
  },
]
