import { expect, test } from 'vitest'
import { createMemoryStorage } from '../../adapters/memory/index.ts'
import { hashFormPassword } from '../../domain/forms/password.ts'
import { plainForm } from '../bench/seed.ts'
import { fakeRandom, testSecrets } from '../support/fakes.ts'
import type { TestService, TestStorage } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

async function submit(service: TestService): Promise<number> {
  const body = { _gotcha: '', _password: 'hunter2', full_name: 'Ada', email: 'ada@example.com' }
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const { status } = await service.send('/api/forms/bench-form/submissions', init)
  await service.settled()
  return status
}

async function list(service: TestService, key: string): Promise<number> {
  const { status } = await service.send('/api/v1/forms', { key })
  await service.settled()
  return status
}

test('keys and form passwords survive a rotation of the root secret once they were used during it', async () => {
  let storage: TestStorage | undefined
  const open = (secrets: Awaited<ReturnType<typeof testSecrets>>) =>
    openTestService((clock) => (storage ??= createMemoryStorage({ clock })), secrets)
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
  expect(moved?.passwordHash).not.toBe(passwordHash)
  expect(moved?.version).toBe(version)

  const after = await open(await testSecrets(8))
  expect([await list(after, used), await submit(after)]).toEqual([200, 200])
  expect(await list(after, unused)).toBe(401)
  expect([...before.errors, ...during.errors, ...after.errors]).toEqual([])
})
