import assert from 'node:assert/strict'
import type { StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, link, linkEvent, twoTenants, type TwoTenants } from '../fixtures.ts'

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

export const linkCountCases: readonly StorageCase[] = [
  {
    name: 'a link counts its clicks, leads and sales, whichever came first',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'events imported again change nothing, and links imported again keep what they count',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const events = [linkEvent('e-1', 'l-1', 1), sale('e-2', 'l-1', 2, 100)]
      await writer.upsert('links', [link('l-1')])
      assert.deepEqual(await writer.upsert('link-events', events), { changed: 2 })
      assert.deepEqual(await writer.upsert('link-events', events), { changed: 0 })
      assert.deepEqual(await writer.upsert('links', [link('l-1')]), { changed: 0 })
      assert.deepEqual(await writer.upsert('links', [link('l-1', { title: 'Renamed' })]), { changed: 1 })
      assert.deepEqual(await countsOf(storage, 'l-1'), [1, 0, 1, 100, at(1)])
    },
  },
  {
    name: 'an event that moves to another link, kind, time or amount is counted as what it is now',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'an event is a change of its link: a sync sees it, and a tag finds it in its new place',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
]
