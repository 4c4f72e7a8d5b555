import { expect, test } from 'vitest'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { openedPurchaseId } from '../../test/support/data/opened-purchase-id.ts'
import { createPurchaseId } from './purchase-id.ts'

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

test('it opens for its organization under its secret, and for nobody else', async () => {
  expect(await openedPurchaseId(id, 'acme', secrets.current)).toBe('ch_3PqRsTuVwXyZ')
  expect(await openedPurchaseId(id, 'acme', (await testSecrets(8)).current)).toBeNull()
  expect(await openedPurchaseId(id, 'other', secrets.current)).toBeNull()
})

test('a change of any character is noticed', async () => {
  for (let index = 0; index < id.length; index += 1) {
    const changed = `${id.slice(0, index)}${id[index] === 'A' ? 'B' : 'A'}${id.slice(index + 1)}`
    expect(await openedPurchaseId(changed, 'acme', secrets.current), changed).toBeNull()
    expect(await openedPurchaseId(id.slice(0, index), 'acme', secrets.current)).toBeNull()
  }
  expect(await openedPurchaseId(`${id}A`, 'acme', secrets.current)).toBeNull()
})
