import assert from 'node:assert/strict'
import type { StorageCase } from './case.ts'
import { at, contact, contactPage, organization, tenantKey, twoTenants } from './fixtures.ts'

const accept = async () => true
const reject = async () => false

export const keyCases: readonly StorageCase[] = [
  {
    name: 'a good key reads, and the read shows the key and the organization',
    async run(make) {
      const { keyed } = await twoTenants(make)
      const seen: unknown[] = []
      const verify = async (stored: unknown) => seen.push(stored) === 1
      const read = await keyed.open({ organizationId: 'org-a', keyId: 'key-a' }, verify).read([])
      const key = tenantKey('org-a', 'key-a')
      assert.deepEqual(read, { authenticated: true, key, organization: organization('org-a'), results: [] })
      assert.deepEqual(seen, [key])
    },
  },
  {
    name: 'an unknown key, one of another organization and a platform key get nothing and are not verified',
    async run(make) {
      const { keyed, administration } = await twoTenants(make)
      await administration.addKey(tenantKey('org-a', 'key-p', { kind: 'platform', organizationId: null }))
      const claims = [
        { organizationId: 'org-a', keyId: 'key-none' },
        { organizationId: 'org-a', keyId: 'key-b' },
        { organizationId: 'org-b', keyId: 'key-a' },
        { organizationId: 'org-none', keyId: 'key-a' },
        { organizationId: 'org-a', keyId: 'key-p' },
        { organizationId: '', keyId: 'key-p' },
      ]
      const verify = async () => assert.fail('verified a key that does not match the claim')
      for (const claim of claims) {
        assert.deepEqual(await keyed.open(claim, verify).read([contactPage()]), { authenticated: false })
      }
    },
  },
  {
    name: 'a key that does not verify gets nothing',
    async run(make) {
      const storage = await twoTenants(make)
      await storage.tenant('org-a').upsert('contacts', [contact('c')])
      const reader = storage.keyed.open({ organizationId: 'org-a', keyId: 'key-a' }, reject)
      assert.deepEqual(await reader.read([contactPage()]), { authenticated: false })
    },
  },
  {
    name: 'a revoked key fails on its very next read, and keeps the instant of its first revocation',
    async run(make) {
      const { keyed, administration } = await twoTenants(make)
      const reader = keyed.open({ organizationId: 'org-a', keyId: 'key-a' }, accept)
      assert.equal((await reader.read([])).authenticated, true)
      assert.equal(await administration.revokeKey('key-a', at(1)), true)
      assert.equal((await reader.read([])).authenticated, false)
      assert.equal(await administration.revokeKey('key-a', at(2)), true)
      assert.equal((await administration.listKeys('org-a'))[0]?.revokedAt, at(1))
      assert.equal(await administration.revokeKey('key-none', at(1)), false)
    },
  },
  {
    name: 'keys are listed oldest first, per organization and for the platform; one id is stored once',
    async run(make) {
      const { administration } = await twoTenants(make)
      await administration.addKey(tenantKey('org-a', 'key-2', { createdAt: at(-5) }))
      await administration.addKey(tenantKey('org-a', 'key-1', { createdAt: at(-5) }))
      const platform = tenantKey('', 'key-p', { kind: 'platform', organizationId: null })
      await administration.addKey(platform)
      const idsOf = async (id: string | null) => (await administration.listKeys(id)).map(({ keyId }) => keyId)
      assert.deepEqual(await idsOf('org-a'), ['key-1', 'key-2', 'key-a'])
      assert.deepEqual(await idsOf('org-b'), ['key-b'])
      assert.deepEqual(await administration.listKeys(null), [platform])
      await assert.rejects(administration.addKey(tenantKey('org-b', 'key-a')))
      assert.equal((await administration.listKeys('org-a')).length, 3)
    },
  },
  {
    name: 'a platform key is found by its id until it is revoked; a tenant key never is',
    async run(make) {
      const { keyed, administration } = await twoTenants(make)
      const platform = tenantKey('', 'key-p', { kind: 'platform', organizationId: null })
      await administration.addKey(platform)
      assert.deepEqual(await keyed.findPlatformKey('key-p'), platform)
      assert.equal(await keyed.findPlatformKey('key-a'), null)
      assert.equal(await keyed.findPlatformKey('key-none'), null)
      await administration.revokeKey('key-p', at(1))
      assert.equal(await keyed.findPlatformKey('key-p'), null)
    },
  },
  {
    name: 'a rehash replaces hash and version, but not of a revoked key',
    async run(make) {
      const { administration } = await twoTenants(make)
      await administration.rehashKey('key-a', 'new', 'v2')
      await administration.rehashKey('key-none', 'new', 'v2')
      await administration.revokeKey('key-b', at(1))
      await administration.rehashKey('key-b', 'new', 'v2')
      const changed = tenantKey('org-a', 'key-a', { hash: 'new', secretVersion: 'v2' })
      assert.deepEqual(await administration.listKeys('org-a'), [changed])
      assert.deepEqual(await administration.listKeys('org-b'), [
        tenantKey('org-b', 'key-b', { revokedAt: at(1) }),
      ])
    },
  },
]
