import { beforeEach, describe, expect, test } from 'vitest'
import { readKey } from '../../../domain/access/keys.ts'
import type { AuditRecord } from '../../../ports/operators.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { answerOf, openTestService, type TestService } from '../../support/services/service.ts'

// Keys of tenants and of the platform: how an operator issues, lists, replaces and revokes them, and how they then
// work.

const OF_ACME = '/operator/v1/organizations/acme/keys'
const OF_PLATFORM = '/operator/v1/platform-keys'

let service: TestService
let admin: string

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  admin = await service.addOperatorKey('admin')
})

interface KeyBody {
  readonly key: string
  readonly keyId: string
  readonly state: string
  readonly error: string
}

async function post(path: string, json: object | null = {}): Promise<readonly [number, KeyBody]> {
  const init = { method: 'POST', key: admin, json: json ?? undefined }
  const { status, body } = await answerOf<KeyBody>(await service.send(path, init))
  // No two changes happen at the same instant, so that lists have only one right order.
  service.clock.advance(1)
  return [status, body]
}

async function list(path: string, query = '') {
  const response = await service.send(path + query, { key: admin })
  return (await response.json()) as {
    readonly data: readonly KeyBody[]
    readonly pagination: { readonly nextCursor: string | null }
  }
}

const read = async (key: string) => (await service.send('/api/v1/contacts', { key })).status

async function audited(): Promise<readonly (readonly unknown[])[]> {
  const records: readonly AuditRecord[] = await service.storage.audit.list({}, null, 100)
  return records
    .filter(({ action }) => action.startsWith('key.'))
    .map(({ action, organizationId, outcome }) => [action, organizationId, outcome])
}

test('a key is issued with its settings, works within them, and shows them in the list', async () => {
  const settings = { label: 'Nightly sync', scope: 'read', ratePerMinute: 2 }
  const [status, issued] = await post(OF_ACME, { ...settings, expiresAt: '2026-06-15T14:00:00+01:00' })
  expect(status).toBe(201)
  expect([await read(issued.key), await read(issued.key), await read(issued.key)]).toEqual([200, 200, 429])
  service.clock.advance(60_000)
  expect((await service.send('/api/v1/email', { method: 'POST', key: issued.key })).status).toBe(401)
  await service.settled()
  const { key, ...shown } = issued
  const listed = async () => (await list(OF_ACME)).data.find(({ keyId }) => keyId === issued.keyId)
  expect(await listed()).toEqual({ ...shown, lastUsedAt: '2026-06-15T12:00:00.000Z' })
  expect(shown).toMatchObject({
    ...settings,
    state: 'active',
    kind: 'tenant',
    organizationId: 'acme',
    expiresAt: '2026-06-15T13:00:00.000Z',
    secret: 'current',
  })
  expect(readKey(key)?.keyId).toBe(issued.keyId)
  service.clock.set('2026-06-15T13:00:00.000Z')
  expect(await read(key)).toBe(401)
  expect((await listed())?.state).toBe('expired')
  expect(await audited()).toEqual([['key.issue', 'acme', 'done']])
})

test('a key is replaced, once, and ends after the overlap', async () => {
  const [, issued] = await post(OF_ACME, { label: 'Sync', scope: 'read' })
  const path = `/operator/v1/keys/${issued.keyId}/rotate`
  const [status, successor] = await post(path, { overlap: '7d' })
  expect(status).toBe(201)
  expect(successor).toMatchObject({
    label: 'Sync',
    scope: 'read',
    replacedKeyId: issued.keyId,
    replacedEndsAt: '2026-06-22T12:00:00.001Z',
  })
  const reason = `The key ${issued.keyId} was replaced before. Its successor is ${successor.keyId}.`
  expect(await post(path, { overlap: '7d' })).toEqual([409, { error: reason }])
  expect([await read(issued.key), await read(successor.key)]).toEqual([200, 200])
  service.clock.set('2026-06-22T12:00:00.001Z')
  expect([await read(issued.key), await read(successor.key)]).toEqual([401, 200])
  expect(await audited()).toEqual([
    ['key.rotate', 'acme', 'refused'],
    ['key.rotate', 'acme', 'done'],
    ['key.issue', 'acme', 'done'],
  ])
})

test('a key of the platform is issued, listed and revoked', async () => {
  const [status, issued] = await post(OF_PLATFORM, { scope: 'send', label: 'Legacy mailer' })
  expect([status, issued.key.slice(0, 8)]).toEqual([201, 'pk_live_'])
  expect((await list(OF_PLATFORM)).data.map(({ keyId }) => keyId)).toEqual([issued.keyId])
  const send = async () => (await service.send('/api/v1/email', { method: 'POST', key: issued.key })).status
  expect(await send()).toBe(400)
  expect(await post(`/operator/v1/keys/${issued.keyId}/revoke`, null)).toEqual([204, null])
  expect([await send(), (await list(OF_PLATFORM)).data[0]?.state]).toEqual([401, 'revoked'])
  expect((await post(`/operator/v1/keys/${issued.keyId}/rotate`, { overlap: '1h' }))[1].error).toBe(
    `The key ${issued.keyId} is revoked. Issue a new one.`,
  )
})

test('a list goes on where its page ended, and shows neither a key nor a hash', async () => {
  const stored = []
  for (let index = 0; index < 5; index += 1) {
    await post(OF_ACME, { label: `Key ${index}` })
    // Keys of the same instant are ordered by their ids.
    service.clock.advance(index % 2 === 0 ? -1 : 0)
  }
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await list(OF_ACME, `?limit=2&cursor=${cursor}`)
    stored.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  const all = await service.storage.administration.listKeys('acme', null, 100)
  expect(stored.map(({ keyId }) => keyId)).toEqual(all.map(({ keyId }) => keyId))
  for (const { hash } of all) expect(JSON.stringify(stored)).not.toContain(hash)
  expect(JSON.stringify(stored)).not.toContain('ck_live_')
})

describe('what cannot be is refused in one sentence, and nothing is stored', () => {
  test.each([
    [OF_ACME, { expiresAt: '2020-01-01T00:00:00Z' }, 400, 'expiresAt: must be in the future.'],
    [OF_ACME, { scope: 'write' }, 400, 'scope: must be one of read, send, all.'],
    [OF_ACME, { ratePerMinute: 0 }, 400, 'ratePerMinute: must be a whole number of requests a minute'],
    [OF_ACME, { ratePerMinute: '60' }, 400, 'ratePerMinute: must be a whole number of requests a minute'],
    [OF_ACME, { label: 'a\nb' }, 400, 'label: must be 1 to 100 characters'],
    [OF_ACME, { rate: 60 }, 400, 'rate: '],
    [OF_ACME, [], 400, ''],
    [OF_PLATFORM, { scope: 'read' }, 400, 'scope: of a platform key must be send or all'],
    ['/operator/v1/organizations/nobody/keys', {}, 404, 'There is no organization nobody'],
    ['/operator/v1/keys/nothing/rotate', { overlap: '7d' }, 404, 'There is no key nothing.'],
    ['/operator/v1/keys/nothing/rotate', { overlap: '7' }, 400, 'overlap: must be a number of minutes'],
    ['/operator/v1/keys/nothing/rotate', {}, 400, 'overlap: '],
    ['/operator/v1/keys/nothing/revoke', null, 404, 'There is no key nothing.'],
  ])('%s %j', async (path, body, status, sentence) => {
    const [answered, { error }] = await post(path, body)
    expect([answered, error.startsWith(sentence), error.split('\n')]).toEqual([status, true, [error]])
    const keys = await service.storage.administration.listKeys('acme', null, 100)
    expect(keys).toHaveLength(1)
    expect(await service.storage.administration.listKeys(null, null, 100)).toEqual([])
  })
})
