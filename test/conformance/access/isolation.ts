import assert from 'node:assert/strict'
import type { StorageCase } from '../case.ts'
import {
  at,
  contact,
  contactPage,
  form,
  readContact,
  submission,
  submissionRow,
  twoTenants,
} from '../fixtures.ts'

export const isolationCases: readonly StorageCase[] = [
  {
    name: 'two organizations keep rows of the same ids apart, in pages, by id and when they change',
    async run(make) {
      const storage = await twoTenants(make)
      const { read, tenant } = storage
      await tenant('org-a').upsert('contacts', [contact('c-1', { firstName: 'Ada' }), contact('c-2')])
      await tenant('org-b').upsert('contacts', [contact('c-1', { firstName: 'Bob' }), contact('c-3')])
      await tenant('org-b').upsert('contacts', [contact('c-1', { firstName: 'Ben' })])
      const page = contactPage({ select: ['contactId', 'firstName'] })
      assert.deepEqual(await read('org-a', [page]), [
        [
          { contactId: 'c-2', firstName: null },
          { contactId: 'c-1', firstName: 'Ada' },
        ],
      ])
      assert.deepEqual(await read('org-b', [page]), [
        [
          { contactId: 'c-3', firstName: null },
          { contactId: 'c-1', firstName: 'Ben' },
        ],
      ])
      assert.equal(await readContact(storage, 'c-3', 'org-a'), undefined)
      assert.deepEqual(await tenant('org-a').findMany('contacts', ['contactId'], ['c-3']), [])
    },
  },
  {
    name: 'a position taken in one organization shows nothing of it in another',
    async run(make) {
      const { read, tenant } = await twoTenants(make)
      await tenant('org-a').upsert('contacts', [contact('a-1'), contact('a-2', { createdAt: at(5) })])
      await tenant('org-b').upsert('contacts', [contact('b-1', { createdAt: at(1) })])
      const [rows] = await read('org-b', [contactPage({ after: { value: at(5), id: 'a-2' } })])
      assert.deepEqual(rows, [{ contactId: 'b-1', createdAt: at(1) }])
    },
  },
  {
    name: 'form ids are unique across the service: foreign ones are told, and never overwritten',
    async run(make) {
      const { tenant, forms } = await twoTenants(make)
      await tenant('org-a').upsert('forms', [form('form-1'), form('form-2')])
      const ids = ['form-1', 'form-2', 'form-3']
      assert.deepEqual([...(await tenant('org-b').foreignIds('forms', ids))].sort(), ['form-1', 'form-2'])
      assert.deepEqual(await tenant('org-a').foreignIds('forms', ids), [])
      assert.deepEqual(await tenant('org-a').foreignIds('forms', []), [])
      const theft = [form('form-3'), form('form-1', { name: 'Stolen' })]
      await assert.rejects(tenant('org-b').upsert('forms', theft), /belongs to another organization/)
      assert.equal((await forms.find('form-1'))?.organizationId, 'org-a')
      assert.equal(await forms.find('form-3'), null)
    },
  },
  {
    name: 'ids that are unique only within an organization are never foreign',
    async run(make) {
      const { tenant } = await twoTenants(make)
      await tenant('org-a').upsert('contacts', [contact('c')])
      assert.deepEqual(await tenant('org-b').foreignIds('contacts', ['c']), [])
    },
  },
  {
    name: 'a form is found by its id alone, published or not, and opens its owner',
    async run(make) {
      const storage = await twoTenants(make)
      const definition = { fields: [{ id: 'constructor' }] }
      const unpublished = form('form-b', { isPublished: false, passwordHash: 'h', definition })
      await storage.tenant('org-b').upsert('forms', [unpublished])
      const found = await storage.forms.find('form-b')
      assert.deepEqual(found, {
        organizationId: 'org-b',
        formId: 'form-b',
        version: 1,
        isPublished: false,
        definition,
        passwordHash: 'h',
        phoneCountry: 'US',
      })
      assert.equal(await storage.forms.find('form-none'), null)
      await storage.tenant(found.organizationId).upsert('contacts', [contact('c')])
      assert.notEqual(await readContact(storage, 'c', 'org-b'), undefined)
      assert.equal(await readContact(storage, 'c', 'org-a'), undefined)
    },
  },
  {
    name: 'submissions of the same id in two organizations are two submissions',
    async run(make) {
      const { read, tenant } = await twoTenants(make)
      await tenant('org-a').upsert('forms', [form('form-1')])
      await tenant('org-b').upsert('form-submissions', [submissionRow('s-1', { answers: { of: 'b' } })])
      const saved = submission('s-1', { answers: { of: 'a' } })
      assert.deepEqual(await tenant('org-a').saveSubmission(saved), {
        kind: 'saved',
        contactId: null,
        outboxIds: [],
      })
      const one = { kind: 'one', collection: 'form-submissions', select: ['answers'], id: 's-1' } as const
      assert.deepEqual(await read('org-a', [one]), [[{ answers: { of: 'a' } }]])
      assert.deepEqual(await read('org-b', [one]), [[{ answers: { of: 'b' } }]])
    },
  },
]
