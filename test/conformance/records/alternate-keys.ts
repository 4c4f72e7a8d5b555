import assert from 'node:assert/strict'
import type { StorageCase } from '../case.ts'
import { purchase, twoTenants } from '../fixtures.ts'

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
