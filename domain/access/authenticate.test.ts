import { expect, test, vi } from 'vitest'
import { fakeClock, fakeRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import type { KeyClaim, KeyedStorage } from '../../ports/organizations.ts'
import { newOrganization } from '../organizations/settings.ts'
import { issueKey } from './keys.ts'
import { authenticateTenant, type KeyWorld } from './authenticate.ts'
import { createRateLimiter } from './rate-limiter.ts'
import type { Secrets, SecretVersion } from './secrets.ts'

const organization = newOrganization('acme', 'Acme')

/**
 * A service that knows some keys by their hashes. It counts the hashes that it computes and its calls of the storage.
 */
async function openService() {
  const opened = await testSecrets()
  const mac = vi.fn((...given: Parameters<SecretVersion['mac']>) => opened.current.mac(...given))
  const secrets: Secrets = { ...opened, current: { ...opened.current, mac } }
  const workingHashes = new Set<string>()
  const claims: KeyClaim[] = []
  const storage: KeyedStorage = {
    open: (claim) => ({
      async read() {
        if (claim.keyId === null) return { authenticated: false }
        claims.push(claim)
        if (!workingHashes.has(claim.hashes[0])) return { authenticated: false }
        const { organizationId, keyId } = claim
        const key = { keyId, organizationId, secretVersion: secrets.current.version, scope: 'all' as const }
        return {
          authenticated: true,
          key: { ...key, ratePerMinute: null, lastUsedAt: '2026-06-15T12:00:00.000Z' },
          organization,
          results: [],
          budget: null,
        }
      },
    }),
    findPlatformKey: async () => null,
  }
  const clock = fakeClock()
  const world: KeyWorld = {
    storage,
    secrets,
    clock,
    rateLimiter: createRateLimiter(clock),
    keys: { noteKeyUse: async () => undefined, rehashKey: async () => undefined },
    background: { run: () => undefined },
  }
  const ask = async (key: string) => {
    const url = new URL('https://x')
    const request = new Request(url, { headers: { authorization: `Bearer ${key}` } })
    const found = await authenticateTenant({ request, url, identified: () => undefined }, 'read', world)
    return 'caller' in found ? found.caller.organizationId : found.refusal.status
  }
  return { secrets, mac, workingHashes, claims, ask }
}

test('the hash of a key that was proven is not computed again, but storage is asked each time', async () => {
  const { secrets, mac, workingHashes, claims, ask } = await openService()
  const { key, stored } = await issueKey({ organizationId: 'acme' }, secrets, fakeRandom(), fakeClock())
  workingHashes.add(stored.hash)
  mac.mockClear()
  expect([await ask(key), await ask(key)]).toEqual(['acme', 'acme'])
  expect(mac).toHaveBeenCalledTimes(1)
  expect(claims).toEqual([claims[0], claims[0]])
  expect(claims[0]?.hashes).toEqual([stored.hash])
  // The key was revoked in the meantime.
  workingHashes.clear()
  expect(await ask(key)).toBe(401)
  expect(claims).toHaveLength(3)
})

test('a key that was never proven is hashed each time', async () => {
  const { secrets, mac, ask } = await openService()
  const { key } = await issueKey({ organizationId: 'acme' }, secrets, fakeRandom(), fakeClock())
  mac.mockClear()
  expect([await ask(key), await ask(key)]).toEqual([401, 401])
  expect(mac).toHaveBeenCalledTimes(2)
})

test('a key that was proven under one root secret is unknown under another', async () => {
  const [one, other] = [await openService(), await openService()]
  const { key, stored } = await issueKey({ organizationId: 'acme' }, one.secrets, fakeRandom(), fakeClock())
  one.workingHashes.add(stored.hash)
  await one.ask(key)
  await other.ask(key)
  expect(other.mac).toHaveBeenCalledTimes(1)
})
