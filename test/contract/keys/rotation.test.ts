import { expect, test } from 'vitest'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { hashesBySecret } from '../../../domain/operators/service.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import type { Overview } from '../../../domain/placement/operators/overview.ts'
import type { Administration, HashCounts } from '../../../ports/organizations.ts'
import { readKey } from '../../../domain/access/keys.ts'
import { hashFormPassword } from '../../../domain/forms/password.ts'
import { plainForm } from '../../bench/seed.ts'
import { fakeRandom, testSecrets } from '../../support/runner/fakes.ts'
import { openTestService, type TestService, type TestStorage } from '../../support/services/service.ts'

async function submit(service: TestService): Promise<number> {
  const json = { _gotcha: '', _password: 'hunter2', full_name: 'Ada', email: 'ada@example.com' }
  const { status } = await service.send('/api/forms/bench-form/submissions', { json })
  await service.settled()
  return status
}

async function list(service: TestService, key: string): Promise<number> {
  const { status } = await service.send('/api/v1/forms', { key })
  await service.settled()
  return status
}

/** The sums that the operator interface shows: those of the shared database and of the families' databases together. */
async function hashesOfAll(administration: Administration, overview: Overview | undefined, secrets: Secrets) {
  const shared = await hashesBySecret(administration, secrets)
  const own = await overview?.administrations(null, (placed) => hashesBySecret(placed, secrets))
  const all = [shared, ...(own?.results ?? []).map(({ result }) => result)]
  const sum = (counts: readonly HashCounts[]): HashCounts => ({
    keys: counts.reduce((total, { keys }) => total + keys, 0),
    formPasswords: counts.reduce((total, { formPasswords }) => total + formPasswords, 0),
  })
  return {
    current: sum(all.map(({ current }) => current)),
    previous: sum(all.map(({ previous }) => previous)),
    lost: sum(all.map(({ lost }) => lost)),
  }
}

test('keys and form passwords survive a rotation of the root secret once they were used during it', async () => {
  let storage: TestStorage | undefined
  const open = (secrets: Awaited<ReturnType<typeof testSecrets>>) =>
    openTestService((clock) => (storage ??= createScratchStorage({ clock })), secrets)
  const first = await testSecrets(7)
  const before = await open(first)
  const used = await before.addOrganization('acme')
  const unused = await before.addOrganization('other')
  const passwordHash = await hashFormPassword('hunter2', first, fakeRandom())
  await before.storage.tenant('acme').upsert('forms', [{ ...plainForm, passwordHash }])
  const version = (await before.storage.forms.find('bench-form'))?.version

  const during = await open(await testSecrets(8, 7))
  expect([await list(during, used), await submit(during), await submit(during)]).toEqual([200, 200, 200])
  const moved = await during.storage.forms.find('bench-form')
  expect(version).toEqual(expect.any(Number))
  expect(moved).toMatchObject({ version, passwordHash: expect.any(String) as string })
  expect(moved?.passwordHash).not.toBe(passwordHash)

  const after = await open(await testSecrets(8))
  expect([await list(after, used), await submit(after)]).toEqual([200, 200])
  expect(await list(after, unused)).toBe(401)
  expect([...before.errors, ...during.errors, ...after.errors]).toEqual([])
})

test('a rotation can be ended when nothing is left under the previous root secret', async () => {
  let storage: ScratchStorage | undefined
  const open = (secrets: Awaited<ReturnType<typeof testSecrets>>) =>
    openTestService((clock) => (storage ??= createScratchStorage({ clock })), secrets)
  const first = await testSecrets(7)
  const before = await open(first)
  const { administration, overview } = before.storage
  const hashes = (secrets: Secrets) => hashesOfAll(administration, overview, secrets)
  const used = await before.addOrganization('acme')
  const late = await before.addOrganization('late')
  const platform = await before.addPlatformKey()
  const passwordHash = await hashFormPassword('hunter2', first, fakeRandom())
  await before.storage.tenant('acme').upsert('forms', [{ ...plainForm, passwordHash }])
  const none = { keys: 0, formPasswords: 0 }
  const all = { keys: 3, formPasswords: 1 }
  expect(await hashes(first)).toEqual({ current: all, previous: none, lost: none })

  const rotating = await testSecrets(8, 7)
  const during = await open(rotating)
  const find = (of: Administration) => of.findHashes(rotating.previous?.version ?? '', 10)
  const left = async () => {
    const own = (await overview?.administrations(null, find))?.results ?? []
    const found = [...(await find(administration)), ...own.flatMap(({ result }) => result)]
    return found.sort((one, other) => other.kind.localeCompare(one.kind))
  }
  expect(await hashes(rotating)).toEqual({ current: none, previous: all, lost: none })
  await list(during, used)
  await during.send('/api/v1/email', { method: 'POST', key: platform })
  await during.settled()
  expect(await left()).toEqual([
    { kind: 'key', id: readKey(late)?.keyId, organizationId: 'late' },
    { kind: 'form', id: 'bench-form', organizationId: 'acme' },
  ])
  expect(await submit(during)).toBe(200)
  expect(await hashes(rotating)).toEqual({
    current: { keys: 2, formPasswords: 1 },
    previous: { keys: 1, formPasswords: 0 },
    lost: none,
  })
  const last = { keys: 1, formPasswords: 0 }
  expect((await hashes(await testSecrets(8))).lost).toEqual(last)
  await administration.revokeKey(readKey(late)?.keyId ?? '', '2026-06-15T12:00:00.000Z')
  expect(await hashes(rotating)).toEqual({
    current: { keys: 2, formPasswords: 1 },
    previous: none,
    lost: none,
  })
  expect(await left()).toEqual([])

  const after = await open(await testSecrets(8))
  expect([await list(after, used), await submit(after), await list(after, late)]).toEqual([200, 200, 401])
})
