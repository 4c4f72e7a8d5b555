import assert from 'node:assert/strict'
import type { OperatorKeyClaim, StoredKey, StoredOperatorKey } from '../../ports/index.ts'
import { type StorageInstance, at, tenantKey, twoTenants } from './fixtures.ts'
import { auditEntry } from './changes.ts'
import { casesFrom } from './cases.ts'

function operatorKey(keyId: string, changes: Partial<StoredOperatorKey> = {}): StoredOperatorKey {
  return {
    keyId,
    operator: 'ada',
    role: 'admin',
    hash: `hash of ${keyId}`,
    secretVersion: 'v1',
    createdAt: at(-10),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    issuedBy: null,
    ...changes,
  }
}

function claim(keyId: string, ...hashes: [] | OperatorKeyClaim['hashes']): OperatorKeyClaim {
  const [current = `hash of ${keyId}`, previous] = hashes
  return { keyId, hashes: previous === undefined ? [current] : [current, previous] }
}

async function add({ operatorChanges }: StorageInstance, ...keys: readonly StoredOperatorKey[]) {
  for (const key of keys)
    await operatorChanges(auditEntry(`add ${key.keyId}`)).addOperatorKey({ key, proof: null })
}

/** Revokes a key alone. True: it was there. */
async function revoke(
  { operatorChanges }: StorageInstance,
  auditId: string,
  keyId: string,
  revokedAt: string,
): Promise<boolean> {
  const revocation = { keyId, revokedAt, withDescendants: false }
  return (await operatorChanges(auditEntry(auditId)).revokeOperatorKey(revocation)) !== null
}

export const operatorKeyCases = casesFrom(twoTenants, {
  async 'an operator key is proven by its hash, under the current root secret or the previous one'(storage) {
    const key = operatorKey('op-1', { role: 'support', expiresAt: at(60), lastUsedAt: at(-5) })
    await add(storage, key, operatorKey('op-2'))
    const { operatorKeys } = storage
    assert.deepEqual(await operatorKeys.prove(claim('op-1')), key)
    assert.deepEqual(await operatorKeys.prove(claim('op-1', 'forged', 'hash of op-1')), key)
    assert.equal(await operatorKeys.prove(claim('op-1', 'forged')), null)
    assert.equal(await operatorKeys.prove(claim('op-1', 'hash of op-2')), null)
    assert.equal(await operatorKeys.prove(claim('op-1', '')), null)
    assert.equal(await operatorKeys.prove(claim('op-none')), null)
  },
  async 'keys of operators and of tenants are strangers to each other'(storage) {
    await add(storage, operatorKey('op-1'))
    assert.equal(await storage.operatorKeys.prove(claim('key-a')), null)
    const asTenant = { organizationId: 'org-a', keyId: 'op-1', hashes: ['hash of op-1'] } as const
    assert.deepEqual(await storage.keyed.open(asTenant).read([]), { authenticated: false })
    assert.equal(await storage.keyed.findPlatformKey('op-1'), null)
    assert.equal(await storage.administration.findKey('op-1'), null)
    assert.equal(await revoke(storage, 'x', 'key-a', at(1)), false)
  },
  async 'a revoked operator key fails on its very next use and keeps the instant; an expired one fails from its end on'(
    storage,
  ) {
    await add(storage, operatorKey('op-1'), operatorKey('op-2', { expiresAt: at(60) }))
    const { operatorKeys } = storage
    assert.equal(await revoke(storage, 'r1', 'op-1', at(1)), true)
    assert.equal(await operatorKeys.prove(claim('op-1')), null)
    assert.equal(await revoke(storage, 'r2', 'op-1', at(2)), true)
    assert.equal((await operatorKeys.list(null, 1))[0]?.revokedAt, at(1))
    assert.equal(await revoke(storage, 'r3', 'op-none', at(1)), false)
    storage.clock.ms += 59_999
    assert.notEqual(await operatorKeys.prove(claim('op-2')), null)
    storage.clock.ms += 1
    assert.equal(await operatorKeys.prove(claim('op-2')), null)
  },
  async 'operator keys are listed oldest first, in pages; one id is stored once'(storage) {
    const keys = [operatorKey('op-3', { createdAt: at(-20) }), operatorKey('op-1'), operatorKey('op-2')]
    await add(storage, ...[...keys].reverse())
    const { operatorKeys, operatorChanges } = storage
    assert.deepEqual(await operatorKeys.list(null, 10), keys)
    assert.deepEqual(await operatorKeys.list(null, 1), keys.slice(0, 1))
    assert.deepEqual(await operatorKeys.list({ value: at(-20), id: 'op-3' }, 1), keys.slice(1, 2))
    assert.deepEqual(await operatorKeys.list({ value: at(-10), id: 'op-1' }, 10), keys.slice(2))
    const again = { key: operatorKey('op-1', { operator: 'eve' }), proof: null }
    await assert.rejects(operatorChanges(auditEntry('again')).addOperatorKey(again))
    assert.deepEqual(await operatorKeys.list(null, 10), keys)
  },
  async 'one proof of the root secret makes one operator key'(storage) {
    const added = (keyId: string, proof: string | null) =>
      storage.operatorChanges(auditEntry(`add ${keyId}`)).addOperatorKey({ key: operatorKey(keyId), proof })
    assert.equal(await added('op-1', 'proof-1'), 'added')
    assert.equal(await added('op-2', 'proof-1'), 'proof_used')
    assert.equal(await added('op-3', 'proof-2'), 'added')
    assert.equal(await added('op-4', null), 'added')
    assert.equal(await added('op-5', null), 'added')
    const ids = (await storage.operatorKeys.list(null, 10)).map(({ keyId }) => keyId)
    assert.deepEqual(ids, ['op-1', 'op-3', 'op-4', 'op-5'])
  },
  async 'an operator key issues others while it works, and none that outlives it'(storage) {
    await add(storage, operatorKey('op-1', { expiresAt: at(60) }), operatorKey('op-2'), operatorKey('op-3'))
    await revoke(storage, 'r', 'op-3', at(0))
    const issued = (keyId: string, issuedBy: string, expiresAt: string | null) =>
      storage.operatorChanges(auditEntry(`add ${keyId}`)).addOperatorKey({
        key: operatorKey(keyId, { issuedBy, expiresAt }),
        proof: null,
      })
    assert.equal(await issued('k-1', 'op-1', at(60)), 'added')
    assert.equal(await issued('k-2', 'op-1', at(61)), 'issuer_ended')
    assert.equal(await issued('k-3', 'op-1', null), 'issuer_ended')
    assert.equal(await issued('k-4', 'op-2', null), 'added')
    assert.equal(await issued('k-5', 'op-2', at(1000)), 'added')
    assert.equal(await issued('k-6', 'op-3', at(1)), 'issuer_ended')
    assert.equal(await issued('k-7', 'op-none', at(1)), 'issuer_ended')
    storage.clock.ms += 60_000
    assert.equal(await issued('k-8', 'op-1', at(60)), 'issuer_ended')
    const listed = await storage.operatorKeys.list(null, 20)
    assert.deepEqual(
      listed.filter(({ issuedBy }) => issuedBy !== null).map(({ keyId, issuedBy }) => [keyId, issuedBy]),
      [
        ['k-1', 'op-1'],
        ['k-4', 'op-2'],
        ['k-5', 'op-2'],
      ],
    )
    const refused = (await storage.audit.list({}, null, 50)).filter(({ outcome }) => outcome === 'refused')
    assert.equal(refused.length, 5)
  },
  async 'a key is revoked alone or with all that descend from it, which the record names'(storage) {
    const child = (keyId: string, issuedBy: string) => operatorKey(keyId, { issuedBy })
    await add(storage, operatorKey('a'), child('a-1', 'a'), child('a-2', 'a'), child('a-1-1', 'a-1'))
    await add(storage, child('a-1-1-1', 'a-1-1'), operatorKey('b'), child('b-1', 'b'))
    await revoke(storage, 'r1', 'a-1-1', at(0))
    const { operatorKeys, operatorChanges, audit } = storage
    const revokeAll = async (auditId: string, keyId: string, revokedAt: string) => {
      const subject = { type: 'key', id: keyId } as const
      const revocation = { keyId, revokedAt, withDescendants: true }
      const revoked = await operatorChanges(auditEntry(auditId, { subject })).revokeOperatorKey(revocation)
      return revoked?.operatorKeys.map((key) => key.keyId) ?? null
    }
    assert.deepEqual(await revokeAll('r2', 'a', at(1)), ['a', 'a-1', 'a-1-1-1', 'a-2'])
    assert.deepEqual(await revokeAll('r3', 'a', at(2)), [])
    assert.equal(await revokeAll('r4', 'none', at(2)), null)
    const states = (await operatorKeys.list(null, 20)).map(({ keyId, revokedAt }) => [keyId, revokedAt])
    assert.deepEqual(Object.fromEntries(states), {
      a: at(1),
      'a-1': at(1),
      'a-2': at(1),
      'a-1-1': at(0),
      'a-1-1-1': at(1),
      b: null,
      'b-1': null,
    })
    const records = new Map((await audit.list({}, null, 50)).map((record) => [record.auditId, record]))
    const [second, third, fourth] = ['r2', 'r3', 'r4'].map((auditId) => records.get(auditId))
    assert.deepEqual(second?.subject, {
      type: 'key',
      id: 'a',
      descendants: ['a-1', 'a-1-1-1', 'a-2'],
      keys: [],
    })
    assert.deepEqual(
      [third?.outcome, third?.subject],
      ['done', { type: 'key', id: 'a', descendants: [], keys: [] }],
    )
    assert.equal(fourth?.outcome, 'refused')
  },
  async 'keys of organizations and of the platform are issued only while the operator key that does it works'(
    storage,
  ) {
    await add(storage, operatorKey('op-1', { expiresAt: at(60) }), operatorKey('op-2'))
    await revoke(storage, 'r', 'op-2', at(0))
    const { administration, operatorChanges, operatorKeys } = storage
    const issue = (keyId: string, issuedBy: string | null, more: Partial<StoredKey> = {}) =>
      operatorChanges(auditEntry(`add ${keyId}`)).addKey(tenantKey('org-a', keyId, { issuedBy, ...more }))
    const platform = { kind: 'platform', organizationId: null } as const
    // A key of an organization may work longer than its issuer.
    assert.equal(await issue('k-1', 'op-1', { expiresAt: at(600) }), true)
    assert.equal(await issue('k-2', null), true)
    assert.equal(await issue('k-3', 'op-2'), false)
    assert.equal(await issue('k-4', 'op-none'), false)
    assert.equal(await issue('k-5', 'op-1', platform), true)
    assert.equal(await issue('k-6', 'op-2', platform), false)
    const rotate = (keyId: string, successorId: string, issuedBy: string) =>
      operatorChanges(auditEntry(`rotate ${keyId}`)).rotateKey({
        keyId,
        successor: tenantKey('org-a', successorId, { issuedBy }),
        endsAt: at(3600),
      })
    assert.equal(await rotate('k-2', 's-2', 'op-2'), false)
    assert.equal(await rotate('k-1', 's-1', 'op-1'), true)
    assert.deepEqual(await Promise.all(['op-1', 'op-2', 'op-none'].map((id) => operatorKeys.works(id))), [
      true,
      false,
      false,
    ])
    storage.clock.ms += 60_000
    assert.equal(await issue('k-7', 'op-1'), false)
    assert.equal(await operatorKeys.works('op-1'), false)
    const found = [
      ...(await administration.listKeys('org-a', null, 20)),
      ...(await administration.listKeys(null, null, 20)),
    ].map(({ keyId, issuedBy, successorId, revokedAt }) => [keyId, issuedBy, successorId, revokedAt])
    // One that was stored in a database without operator keys, and refused only then, is revoked.
    assert.deepEqual(
      found.filter(([, , , revokedAt]) => revokedAt === null),
      [
        ['k-1', 'op-1', 's-1', null],
        ['k-2', null, null, null],
        ['key-a', null, null, null],
        ['s-1', 'op-1', null, null],
        ['k-5', 'op-1', null, null],
      ],
    )
    const records = await storage.audit.list({}, null, 50)
    const refused = records.filter(({ outcome }) => outcome === 'refused').map(({ auditId }) => auditId)
    assert.deepEqual(refused.sort(), ['add k-3', 'add k-4', 'add k-6', 'add k-7', 'rotate k-2'])
  },
  async 'what an operator key and those that descend from it issued is revoked with them, which the record names'(
    storage,
  ) {
    const { administration, operatorChanges, operatorKeys, audit } = storage
    await add(storage, operatorKey('a'), operatorKey('b'))
    await add(storage, operatorKey('a-1', { issuedBy: 'a' }), operatorKey('a-2', { issuedBy: 'a-1' }))
    const platform = { kind: 'platform', organizationId: null } as const
    const issue = async (keyId: string, more: Partial<StoredKey>) =>
      administration.addKey(tenantKey('org-a', keyId, { createdAt: at(-5), ...more }))
    await issue('k-1', { issuedBy: 'a' })
    await issue('k-2', { issuedBy: 'a-2', organizationId: 'org-b' })
    await issue('k-3', { issuedBy: 'a-1', ...platform })
    await issue('k-4', { issuedBy: 'b' })
    await issue('k-5', { issuedBy: null })
    await issue('k-6', { issuedBy: 'unknown' })
    await issue('k-7', { issuedBy: 'a', revokedAt: at(-1) })
    const revokeAll = (auditId: string, keyId: string, withDescendants = true) =>
      operatorChanges(auditEntry(auditId, { subject: { type: 'key', id: keyId } })).revokeOperatorKey({
        keyId,
        revokedAt: at(1),
        withDescendants,
      })
    assert.deepEqual((await revokeAll('r0', 'a', false))?.keys, [])
    assert.deepEqual(await operatorKeys.endedWithDescent(['a', 'b']), [])
    const revoked = await revokeAll('r1', 'a')
    assert.ok(revoked)
    assert.deepEqual(revoked.issuers, ['a', 'a-1', 'a-2'])
    assert.deepEqual(revoked.unreached, [])
    const byId = (left: { keyId: string }, right: { keyId: string }) => (left.keyId < right.keyId ? -1 : 1)
    assert.deepEqual([...revoked.keys].sort(byId), [
      { keyId: 'k-1', organizationId: 'org-a' },
      { keyId: 'k-2', organizationId: 'org-b' },
      { keyId: 'k-3', organizationId: null },
    ])
    assert.deepEqual((await revokeAll('r2', 'a'))?.keys, [])
    assert.deepEqual(await operatorKeys.endedWithDescent(['b', 'a-2', 'a', 'none']), ['a', 'a-2'])
    const states = await Promise.all(
      ['k-1', 'k-2', 'k-3', 'k-4', 'k-5', 'k-6', 'k-7', 'key-a'].map(
        async (keyId) => (await administration.findKey(keyId))?.revokedAt,
      ),
    )
    assert.deepEqual(states, [at(1), at(1), at(1), null, null, null, at(-1), null])
    const records = new Map((await audit.list({}, null, 50)).map((record) => [record.auditId, record]))
    const [first, second] = ['r1', 'r2'].map((auditId) => records.get(auditId))
    assert.ok(first?.outcome === 'done' && first.subject?.type === 'key')
    assert.deepEqual([...(first.subject.keys ?? [])].sort(), ['k-1', 'k-2', 'k-3'])
    assert.deepEqual([...(first.subject.descendants ?? [])].sort(), ['a-1', 'a-2'])
    assert.equal(second?.outcome, 'done')
  },
  async 'the use of an operator key is noted to the hour and never goes back; a rehash spares a revoked key'(
    storage,
  ) {
    await add(storage, operatorKey('op-1'), operatorKey('op-2', { revokedAt: at(1) }))
    const { operatorKeys } = storage
    await operatorKeys.noteKeyUse('op-1', at(0))
    await operatorKeys.noteKeyUse('op-1', at(-3600))
    await operatorKeys.noteKeyUse('op-none', at(0))
    await operatorKeys.rehashKey('op-1', 'new', 'v2')
    await operatorKeys.rehashKey('op-2', 'new', 'v2')
    assert.deepEqual(await operatorKeys.list(null, 10), [
      operatorKey('op-1', { hash: 'new', secretVersion: 'v2', lastUsedAt: at(0) }),
      operatorKey('op-2', { revokedAt: at(1) }),
    ])
  },
  async 'operator keys that work are counted and found by the root secret that they are hashed under'(
    storage,
  ) {
    const old = { secretVersion: 'old_-1' }
    await add(
      storage,
      operatorKey('op-1', old),
      operatorKey('op-2'),
      operatorKey('op-3', { ...old, revokedAt: at(1) }),
      operatorKey('op-4', { ...old, expiresAt: at(-1) }),
    )
    const { administration } = storage
    await administration.addKey(tenantKey('org-a', 'key-c', old))
    assert.deepEqual(await administration.countHashes('old_-1'), { keys: 2, formPasswords: 0 })
    assert.deepEqual(await administration.countHashes(null), { keys: 5, formPasswords: 0 })
    assert.deepEqual(await administration.findHashes('old_-1', 10), [
      { kind: 'key', id: 'key-c', organizationId: 'org-a' },
      { kind: 'operator key', id: 'op-1', organizationId: null },
    ])
  },
})
