import assert from 'node:assert/strict'
import type { StorageCase } from '../case.ts'
import { form, organization, twoTenants } from '../fixtures.ts'

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
