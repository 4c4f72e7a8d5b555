import assert from 'node:assert/strict'
import type { PageQuery, Predicate, StoredRow } from '../../ports/index.ts'
import type { StorageCase } from './case.ts'
import { at, twoTenants, contact, purchase } from './fixtures.ts'

function product(productId: string, siteIds: readonly string[], changes: StoredRow = {}): StoredRow {
  return {
    productId,
    name: productId,
    description: null,
    type: 'membership',
    status: 'active',
    priceCents: 1000,
    currency: 'USD',
    billingInterval: 'month',
    imageUrl: null,
    siteIds,
    createdAt: at(0),
    ...changes,
  }
}

const sells = (siteId: string): Predicate => ({ field: 'siteIds', operator: 'contains', value: siteId })

function page(where: readonly Predicate[], changes: Partial<PageQuery> = {}): PageQuery {
  return {
    kind: 'page',
    collection: 'products',
    select: ['productId'],
    where,
    order: { field: 'createdAt', idField: 'productId', direction: 'descending' },
    after: null,
    limit: 100,
    ...changes,
  }
}

const ids = (rows: readonly StoredRow[] | undefined) => (rows ?? []).map(({ productId }) => productId)

export const listCases: readonly StorageCase[] = [
  {
    name: 'rows whose list has a value are found, once each, in either order and page by page',
    async run(make) {
      const { tenant, read } = await twoTenants(make)
      const lists = [['s-1'], ['s-1', 's-2', 's-1'], [], ['s-2'], ['S-1', 's-1x', 's%'], ['s-1', '"]']]
      const rows = lists.map((list, index) =>
        product(`p-${index}`, list, { createdAt: at(Math.floor(index / 2)) }),
      )
      await tenant('org-a').upsert('products', rows)
      await tenant('org-b').upsert('products', [product('p-9', ['s-1'])])
      const ascending = { field: 'createdAt', idField: 'productId', direction: 'ascending' } as const
      const pages = await read('org-a', [
        page([sells('s-1')]),
        page([sells('s-1')], { order: ascending }),
        page([sells('s-1')], { limit: 1, after: { value: at(2), id: 'p-5' } }),
        page([sells('s-1'), sells('s-2')]),
        page([sells('s-1'), { field: 'createdAt', operator: 'below', value: at(2) }]),
        page([{ field: 'status', operator: 'equals', value: 'archived' }, sells('s-1')]),
        page([sells('"]')]),
        page([sells('s-3')]),
      ])
      assert.deepEqual(pages.map(ids), [
        ['p-5', 'p-1', 'p-0'],
        ['p-0', 'p-1', 'p-5'],
        ['p-1'],
        ['p-1'],
        ['p-1', 'p-0'],
        [],
        ['p-5'],
        [],
      ])
    },
  },
  {
    name: 'a changed list is found by what it has now, in the order of the row as it is now',
    async run(make) {
      const { tenant, read, clock } = await twoTenants(make)
      const writer = tenant('org-a')
      const rows = [product('p-1', ['s-1', 's-2']), product('p-2', ['s-1'])]
      assert.deepEqual(await writer.upsert('products', rows), { changed: 2 })
      assert.deepEqual(await writer.upsert('products', rows), { changed: 0 })
      clock.ms += 1000
      const moved = product('p-1', ['s-2', 's-3'], { createdAt: at(5) })
      assert.deepEqual(await writer.upsert('products', [moved, product('p-2', ['s-1', 's-3'])]), {
        changed: 2,
      })
      clock.ms += 1000
      assert.deepEqual(await writer.upsert('products', [{ ...moved, name: 'renamed' }]), { changed: 1 })
      const sync = { field: 'updatedAt', idField: 'productId', direction: 'ascending' } as const
      const since: Predicate = { field: 'updatedAt', operator: 'atLeast', value: at(0) }
      const pages = await read('org-a', [
        page([sells('s-1')]),
        page([sells('s-3')]),
        page([sells('s-3'), since], { order: sync }),
      ])
      assert.deepEqual(pages.map(ids), [['p-2'], ['p-1', 'p-2'], ['p-2', 'p-1']])
    },
  },
]

const list = (listId: string): StoredRow => ({
  listId,
  name: listId,
  description: null,
  type: 'static',
  createdAt: at(0),
})

const member = (listId: string, contactId: string, addedAt: string): StoredRow => ({
  listId,
  contactId,
  addedAt,
})

export const listMemberCases: readonly StorageCase[] = [
  {
    name: 'a contact is once on each list, read as the contact it is, latest addition first',
    async run(make) {
      const { tenant, read } = await twoTenants(make)
      const writer = tenant('org-a')
      await writer.upsert('contacts', [contact('c-1', { firstName: 'Ada', tags: ['x'] }), contact('c-2')])
      await writer.upsert('contact-lists', [list('l-1'), list('l-2')])
      const members = [member('l-1', 'c-1', at(1)), member('l-1', 'c-2', at(2)), member('l-2', 'c-1', at(1))]
      assert.deepEqual(await writer.upsert('list-members', members), { changed: 3 })
      const again = [...members.slice(1), member('l-1', 'c-1', at(3))]
      assert.deepEqual(await writer.upsert('list-members', again), { changed: 1 })
      await tenant('org-b').upsert('list-members', [member('l-1', 'c-1', at(9))])
      const [rows, count] = await read('org-a', [
        {
          kind: 'page',
          collection: 'list-members',
          select: ['contactId', 'firstName', 'tags', 'addedAt'],
          where: [{ field: 'listId', operator: 'equals', value: 'l-1' }],
          order: { field: 'addedAt', idField: 'contactId', direction: 'descending' },
          after: null,
          limit: 10,
        },
        { kind: 'one', collection: 'contact-lists', select: ['contactCount'], id: 'l-1' },
      ])
      assert.deepEqual(rows, [
        { contactId: 'c-1', firstName: 'Ada', tags: ['x'], addedAt: at(3) },
        { contactId: 'c-2', firstName: null, tags: [], addedAt: at(2) },
      ])
      assert.deepEqual(count, [{ contactCount: 2 }])
    },
  },
]

export const alternateKeyCases: readonly StorageCase[] = [
  {
    name: 'rows are found by the other key of their collection, within their organization',
    async run(make) {
      const { tenant } = await twoTenants(make)
      await tenant('org-a').upsert('purchases', [purchase('p-1'), purchase('p-2'), purchase('p-3')])
      await tenant('org-b').upsert('purchases', [purchase('b-1', { processorId: 'ch p-1' })])
      const select = ['purchaseId', 'processorId']
      const found = await tenant('org-a').findMany(
        'purchases',
        select,
        ['ch p-1', 'ch p-3', 'ch p-3', 'p-2'],
        'processorId',
      )
      assert.deepEqual(found.map(({ purchaseId }) => purchaseId).sort(), ['p-1', 'p-3'])
      assert.deepEqual(await tenant('org-a').findMany('purchases', select, [], 'processorId'), [])
    },
  },
  {
    name: 'two rows of an organization cannot have one value of the other key; nothing is written, nor is it named',
    async run(make) {
      const { tenant } = await twoTenants(make)
      const writer = tenant('org-a')
      await writer.upsert('purchases', [purchase('p-1')])
      const clash = [purchase('p-2'), purchase('p-3', { processorId: 'ch p-1' })]
      await assert.rejects(writer.upsert('purchases', clash), (error) => !String(error).includes('ch p-1'))
      assert.deepEqual(await writer.findMany('purchases', ['purchaseId'], ['p-2', 'p-3']), [])
      assert.deepEqual(await tenant('org-b').upsert('purchases', [purchase('p-1')]), { changed: 1 })
    },
  },
]
