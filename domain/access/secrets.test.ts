import { createHmac, hkdfSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { utf8 } from '../text/encoding.ts'
import { openSecrets, rootSecretProblem } from './secrets.ts'

const ROOTS = [1, 2].map((byte) => Buffer.alloc(32, byte))
const derived = (root: Buffer, info: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), info, bytes))

test('what is derived from a root secret stays as it is, so that keys, cursors and passwords stay valid', async () => {
  const [current, previous] = ROOTS.map((root) => root.toString('base64url'))
  const secrets = await openSecrets(current ?? '', previous ?? '')
  for (const [root, secret] of [
    [ROOTS[0], secrets.current],
    [ROOTS[1], secrets.previous],
  ] as const) {
    if (root === undefined || secret === null) throw new Error('There is no such secret')
    expect(secret.version).toBe(derived(root, 'version', 6).toString('base64url'))
    expect(secrets.find(secret.version)).toBe(secret)
    for (const purpose of ['api-key', 'cursor', 'form-password', 'root-secret-proof'] as const) {
      const mac = createHmac('sha256', derived(root, purpose, 32))
        .update('message')
        .digest()
      expect(Buffer.from(await secret.mac(purpose, utf8('message')))).toEqual(mac)
    }
    for (const purpose of ['purchase-id', 'import-reading'] as const)
      expect(Buffer.from(await secret.subkey(purpose, 64))).toEqual(derived(root, purpose, 64))
  }
  expect(secrets.find('AAAAAAAA')).toBeNull()
})

test.each([31, 33])('a root secret of %d bytes is refused', async (bytes) => {
  const root = Buffer.alloc(bytes).toString('base64url')
  expect(rootSecretProblem(root)).toMatch(/^must be 32 random bytes/)
  await expect(openSecrets(root, null)).rejects.toThrow('The root secret must be 32 random bytes')
})
