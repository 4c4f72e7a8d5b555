import { expect, test } from 'vitest'
import { fakeClock, fakeRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import { hashKey, isKey, issueKey, readKey } from './keys.ts'
import { readBearer } from './authenticate.ts'

const secrets = await testSecrets()
const issue = (organizationId: string | null) =>
  issueKey({ organizationId }, secrets, fakeRandom(), fakeClock())

test('a tenant key encodes its organization and its key id', async () => {
  const { key, stored } = await issue('acme_car-wash')
  expect(key).toMatch(/^ck_live_acme_car-wash_[0-9A-Za-z]{46}$/)
  expect(readKey(key)).toEqual({
    kind: 'tenant',
    organizationId: 'acme_car-wash',
    keyId: stored.keyId,
    text: key,
  })
  expect(stored).toMatchObject({ kind: 'tenant', organizationId: 'acme_car-wash', revokedAt: null })
})

test('a platform key encodes no organization', async () => {
  const { key, stored } = await issue(null)
  expect(key).toMatch(/^pk_live_[0-9A-Za-z]{46}$/)
  expect(readKey(key)).toMatchObject({ kind: 'platform', organizationId: null, keyId: stored.keyId })
})

test('what is stored does not contain the key', async () => {
  const { key, stored } = await issue('acme')
  expect(JSON.stringify(stored)).not.toContain(key.slice(-34))
  expect(stored.hash).not.toBe(await hashKey(key, (await testSecrets(9)).current))
})

test('a change of any one character is refused without a look-up', async () => {
  const { key } = await issue('acme')
  for (let index = 0; index < key.length; index += 1) {
    for (const character of 'a0Z_') {
      if (key[index] !== character)
        expect(readKey(key.slice(0, index) + character + key.slice(index + 1))).toBeNull()
    }
  }
})

test('a stored key fits only its own key, kind and organization, and not once revoked', async () => {
  const { key, stored } = await issue('acme')
  const presented = readKey(key)
  if (presented === null) throw new Error('unreadable')
  expect(await isKey(presented, stored, secrets)).toBe(true)
  expect(await isKey(presented, { ...stored, revokedAt: '2026-01-01T00:00:00.000Z' }, secrets)).toBe(false)
  expect(await isKey(presented, { ...stored, organizationId: 'other' }, secrets)).toBe(false)
  expect(await isKey(presented, { ...stored, kind: 'platform' }, secrets)).toBe(false)
  expect(await isKey(presented, { ...stored, hash: '' }, secrets)).toBe(false)
  expect(await isKey(presented, { ...stored, hash: '!' }, secrets)).toBe(false)
})

test('a key hashed under the previous root secret works during the rotation only', async () => {
  const { key, stored } = await issue('acme')
  const presented = readKey(key)
  if (presented === null) throw new Error('unreadable')
  expect(await isKey(presented, stored, await testSecrets(8, 7))).toBe(true)
  expect(await isKey(presented, stored, await testSecrets(8))).toBe(false)
})

test('the Bearer prefix is mandatory and case-sensitive', async () => {
  const { key } = await issue('acme')
  expect(readBearer(`Bearer ${key}`)?.text).toBe(key)
  const refused = [
    null,
    '',
    'Bearer',
    'Bearer ',
    key,
    `bearer ${key}`,
    `BEARER ${key}`,
    `Bearer  ${key}`,
    `Basic ${key}`,
  ]
  for (const header of [...refused, `Bearer ${key} `, `Bearer\t${key}`, `Bearer ${key},${key}`]) {
    expect(readBearer(header), String(header)).toBeNull()
  }
})
