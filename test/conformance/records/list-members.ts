import assert from 'node:assert/strict'
import type { StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, contact, twoTenants } from '../fixtures.ts'

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
