import assert from 'node:assert/strict'
import type { PageQuery, Predicate, StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, twoTenants } from '../fixtures.ts'

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
