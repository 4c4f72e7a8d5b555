import { expect, test } from 'vitest'
import { testSecrets } from '../../test/support/fakes.ts'
import { createPurchaseId, openPurchaseId } from './purchase-id.ts'

const secrets = await testSecrets()
const id = await createPurchaseId('acme', 'ch_3PqRsTuVwXyZ', secrets.current)

test('the same purchase has the same id, and it does not show what it was made of', async () => {
  expect(await createPurchaseId('acme', 'ch_3PqRsTuVwXyZ', secrets.current)).toBe(id)
  expect(id).toMatch(/^pur_[\w-]{42}$/)
  expect(Buffer.from(id.slice(4), 'base64url').toString('latin1')).not.toContain('ch_')
})

test('it is the id that earlier versions of this service gave out', () => {
  expect(id).toBe('pur_pW5lGTY7yXKgh7B6qjZEaZ4Tb4nxsVtKKRrlnebn_A')
})

test('another organization, purchase or secret makes another id', async () => {
  const others = [
    await createPurchaseId('other', 'ch_3PqRsTuVwXyZ', secrets.current),
    await createPurchaseId('acme', 'ch_3PqRsTuVwXyY', secrets.current),
    await createPurchaseId('acme', 'ch_3PqRsTuVwXyZ', (await testSecrets(8)).current),
    await createPurchaseId('ac', 'mech_3PqRsTuVwXyZ', secrets.current),
  ]
  expect(new Set([id, ...others]).size).toBe(5)
})

test('the longest id of a processor makes an identifier that a path takes', async () => {
  expect((await createPurchaseId('acme', 'x'.repeat(128), secrets.current)).length).toBeLessThanOrEqual(200)
})

test('it opens for its organization, during a rotation too, and for nobody else', async () => {
  expect(await openPurchaseId(id, 'acme', secrets)).toBe('ch_3PqRsTuVwXyZ')
  expect(await openPurchaseId(id, 'acme', await testSecrets(8, 7))).toBe('ch_3PqRsTuVwXyZ')
  expect(await openPurchaseId(id, 'acme', await testSecrets(8))).toBeNull()
  expect(await openPurchaseId(id, 'other', secrets)).toBeNull()
})

test('a change of any character is noticed', async () => {
  for (let index = 0; index < id.length; index += 1) {
    const changed = `${id.slice(0, index)}${id[index] === 'A' ? 'B' : 'A'}${id.slice(index + 1)}`
    expect(await openPurchaseId(changed, 'acme', secrets), changed).toBeNull()
    expect(await openPurchaseId(id.slice(0, index), 'acme', secrets)).toBeNull()
  }
  expect(await openPurchaseId(`${id}A`, 'acme', secrets)).toBeNull()
})
