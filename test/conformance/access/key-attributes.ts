import assert from 'node:assert/strict'
import type { StorageCase } from '../case.ts'
import {
  at,
  claimOf,
  contact,
  contactPage,
  START_MS,
  tenantKey,
  twoTenants,
  workingKey,
} from '../fixtures.ts'

/** The attributes that an operator gives a key, its end, its successor and its last use. */
export const keyAttributeCases: readonly StorageCase[] = [
  {
    name: 'what an operator says of a key is kept, and comes with the read that proves it',
    async run(make) {
      const { keyed, administration } = await twoTenants(make)
      const limited = tenantKey('org-a', 'key-l', {
        label: 'Nightly sync — Zoë',
        scope: 'read',
        expiresAt: at(60),
        ratePerMinute: 600,
      })
      await administration.addKey(limited)
      assert.deepEqual(await administration.findKey('key-l'), limited)
      const read = await keyed.open(claimOf('org-a', 'key-l')).read([])
      assert(read.authenticated)
      assert.deepEqual(read.key, workingKey(limited))
      assert.equal(await administration.findKey('key-none'), null)
    },
  },
  {
    name: 'a key reads until the instant at which it expires, and from then on nothing',
    async run(make) {
      const { keyed, administration, clock, tenant } = await twoTenants(make)
      await tenant('org-a').upsert('contacts', [contact('c')])
      await administration.addKey(tenantKey('org-a', 'key-e', { expiresAt: at(60) }))
      const platform = { kind: 'platform', organizationId: null, expiresAt: at(60) } as const
      await administration.addKey(tenantKey('', 'key-p', platform))
      const reader = keyed.open(claimOf('org-a', 'key-e'))
      const outcomes = async () => [
        (await reader.read([contactPage()])).authenticated,
        (await reader.read([])).authenticated,
        (await keyed.findPlatformKey('key-p')) !== null,
      ]
      clock.ms = START_MS + 59_999
      assert.deepEqual(await outcomes(), [true, true, true])
      clock.ms = START_MS + 60_000
      assert.deepEqual(await outcomes(), [false, false, false])
      assert.equal((await administration.listKeys('org-a', null, 100)).length, 2)
    },
  },
  {
    name: 'a successor takes the place of a key that ends after the overlap, and of each key once',
    async run(make) {
      const { keyed, administration, clock } = await twoTenants(make)
      const rotated = (successorId: string) => {
        const successor = tenantKey('org-a', successorId, { label: 'next', createdAt: at(1) })
        return administration.rotateKey({ keyId: 'key-a', successor, endsAt: at(3600) })
      }
      assert.equal(await rotated('key-2'), true)
      const keys = [
        tenantKey('org-a', 'key-a', { expiresAt: at(3600), successorId: 'key-2' }),
        tenantKey('org-a', 'key-2', { label: 'next', createdAt: at(1) }),
      ]
      assert.deepEqual(await administration.listKeys('org-a', null, 100), keys)
      const works = async (keyId: string) =>
        (await keyed.open(claimOf('org-a', keyId)).read([])).authenticated
      assert.deepEqual([await works('key-a'), await works('key-2')], [true, true])
      assert.equal(await rotated('key-3'), false)
      assert.deepEqual(await administration.listKeys('org-a', null, 100), keys)
      clock.ms = START_MS + 3_600_000
      assert.deepEqual([await works('key-a'), await works('key-2')], [false, true])
    },
  },
  {
    name: 'a key that does not work has no successor, and a rotation makes no key last longer',
    async run(make) {
      const { administration, clock } = await twoTenants(make)
      await administration.addKey(tenantKey('org-a', 'key-e', { expiresAt: at(60) }))
      await administration.addKey(tenantKey('org-a', 'key-late', { expiresAt: at(60) }))
      await administration.addKey(tenantKey('org-a', 'key-r', { revokedAt: at(0) }))
      const rotated = (keyId: string, successorId: string) => {
        const successor = tenantKey('org-a', successorId, { createdAt: at(1) })
        return administration.rotateKey({ keyId, successor, endsAt: at(3600) })
      }
      assert.equal(await rotated('key-r', 'key-r2'), false)
      assert.equal(await rotated('key-none', 'key-n2'), false)
      assert.equal(await rotated('key-e', 'key-e2'), true)
      assert.equal((await administration.findKey('key-e'))?.expiresAt, at(60))
      clock.ms = START_MS + 60_000
      assert.equal(await rotated('key-late', 'key-late2'), false)
      const ids = (await administration.listKeys('org-a', null, 100)).map(({ keyId }) => keyId)
      assert.deepEqual(ids, ['key-a', 'key-e', 'key-late', 'key-r', 'key-e2'])
    },
  },
  {
    name: 'a rotation that fails in the middle leaves the key as it was',
    async run(make) {
      const { administration } = await twoTenants(make)
      const taken = tenantKey('org-a', 'key-b')
      await assert.rejects(administration.rotateKey({ keyId: 'key-a', successor: taken, endsAt: at(1) }))
      assert.deepEqual(await administration.listKeys('org-a', null, 100), [tenantKey('org-a', 'key-a')])
    },
  },
  {
    name: 'the last use of a key only goes forward',
    async run(make) {
      const { administration } = await twoTenants(make)
      const lastUse = async () => (await administration.findKey('key-a'))?.lastUsedAt
      assert.equal(await lastUse(), null)
      for (const [noted, seen] of [
        [at(3600), at(3600)],
        [at(0), at(3600)],
        [at(7200), at(7200)],
      ] as const) {
        await administration.noteKeyUse('key-a', noted)
        assert.equal(await lastUse(), seen)
      }
      await administration.noteKeyUse('key-none', at(0))
      assert.equal((await administration.findKey('key-b'))?.lastUsedAt, null)
    },
  },
]
