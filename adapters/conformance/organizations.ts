import assert from 'node:assert/strict'
import type { StorageCase } from './case.ts'
import {
  form,
  organization,
  twoTenants,
  at,
  contact,
  contactPage,
  readContact,
  submission,
  submissionRow,
} from './fixtures.ts'

export const organizationCases: readonly StorageCase[] = [
  {
    name: 'an organization is kept as it was saved and replaced as a whole',
    async run(make) {
      const { administration } = await twoTenants(make)
      const full = organization('org-c', {
        slug: 'c',
        parentId: 'org-a',
        smsNumber: '+12125550100',
        phoneCountry: 'DE',
        posSource: { kind: 'odbc_second', tenant: 'dsn' },
        billingEvents: false,
        analytics: true,
        retentionOfferAnalytics: true,
        automationHourly: 2,
      })
      assert.equal(await administration.saveOrganization(full), 'saved')
      assert.deepEqual(await administration.findOrganization('org-c'), full)
      assert.equal(await administration.saveOrganization(organization('org-c')), 'saved')
      assert.deepEqual(await administration.findOrganization('org-c'), organization('org-c'))
      assert.equal(await administration.findOrganization('org-none'), null)
    },
  },
  {
    name: 'settings that were made from what is no longer stored are not saved',
    async run(make) {
      const { administration } = await twoTenants(make)
      const [first, posSource] = [organization('org-a'), { kind: 'odbc_second', tenant: 'dsn' } as const]
      const second = organization('org-a', { slug: 's', posSource, analytics: true })
      const third = organization('org-a', { name: 'Third' })
      assert.equal(await administration.saveOrganization(second, first), 'saved')
      for (const stale of [first, null, { ...second, slug: null }, { ...second, analytics: false }])
        assert.equal(await administration.saveOrganization(third, stale), 'changed')
      assert.deepEqual(await administration.findOrganization('org-a'), second)
      assert.equal(await administration.saveOrganization(third, second), 'saved')
      const added = organization('org-c')
      assert.equal(await administration.saveOrganization(added, added), 'changed')
      assert.equal(await administration.findOrganization('org-c'), null)
      assert.equal(await administration.saveOrganization(added, null), 'saved')
    },
  },
  {
    name: 'organizations are listed by their id, in pages',
    async run(make) {
      const { administration } = await twoTenants(make)
      const child = organization('org-a-1', { parentId: 'org-a' })
      await administration.saveOrganization(child)
      const all = [organization('org-a'), child, organization('org-b')]
      assert.deepEqual(await administration.listOrganizations(null, 10), all)
      assert.deepEqual(await administration.listOrganizations(null, 1), all.slice(0, 1))
      assert.deepEqual(await administration.listOrganizations('org-a', 1), all.slice(1, 2))
      assert.deepEqual(await administration.listOrganizations('org-b', 10), [])
    },
  },
  {
    name: 'a slug belongs to one organization; having none is no conflict',
    async run(make) {
      const { administration } = await twoTenants(make)
      assert.equal(await administration.saveOrganization(organization('org-a', { slug: 's' })), 'saved')
      assert.equal(
        await administration.saveOrganization(organization('org-a', { slug: 's', name: 'A' })),
        'saved',
      )
      assert.equal(
        await administration.saveOrganization(organization('org-b', { slug: 's', name: 'B' })),
        'slug_taken',
      )
      assert.deepEqual(await administration.findOrganization('org-b'), organization('org-b'))
      assert.equal(await administration.saveOrganization(organization('org-c', { slug: 's' })), 'slug_taken')
      assert.equal(await administration.findOrganization('org-c'), null)
      assert.equal(await administration.saveOrganization(organization('org-a')), 'saved')
      assert.equal(await administration.saveOrganization(organization('org-b', { slug: 's' })), 'saved')
    },
  },
  {
    name: 'a parent must exist and be another organization',
    async run(make) {
      const { administration } = await twoTenants(make)
      const child = (parentId: string) => organization('org-a', { parentId, name: 'Changed' })
      assert.equal(await administration.saveOrganization(child('org-none')), 'parent_missing')
      assert.equal(await administration.saveOrganization(child('org-a')), 'parent_missing')
      assert.deepEqual(await administration.findOrganization('org-a'), organization('org-a'))
      assert.equal(await administration.saveOrganization(child('org-b')), 'saved')
    },
  },
  {
    name: 'another phone country is another version of every form of the organization, and of no other form',
    async run(make) {
      const storage = await twoTenants(make)
      await storage.tenant('org-a').upsert('forms', [form('form-1'), form('form-2')])
      await storage.tenant('org-b').upsert('forms', [form('form-b')])
      const versions = async () =>
        Promise.all(['form-1', 'form-2', 'form-b'].map(async (id) => (await storage.forms.find(id))?.version))
      await storage.administration.saveOrganization(organization('org-a', { name: 'Renamed' }))
      assert.deepEqual(await versions(), [1, 1, 1])
      await storage.administration.saveOrganization(organization('org-a', { phoneCountry: 'DE' }))
      assert.deepEqual(await versions(), [2, 2, 1])
      const refused = organization('org-a', { phoneCountry: 'FR', parentId: 'org-none' })
      await storage.administration.saveOrganization(refused)
      assert.deepEqual(await versions(), [2, 2, 1])
    },
  },
]

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
        organizationName: 'Organization org-b',
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
