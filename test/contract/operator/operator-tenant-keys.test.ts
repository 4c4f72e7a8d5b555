import { beforeEach, describe, expect, test } from 'vitest'
import { readKey, readOperatorKey } from '../../../domain/access/keys.ts'
import type { AuditRecord } from '../../../ports/operators.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { answerOf, openTestService, type Page, type TestService } from '../../support/services/service.ts'

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
  return (await response.json()) as Page<KeyBody>
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
  expect(shown).toEqual({
    ...settings,
    keyId: readKey(key)?.keyId,
    kind: 'tenant',
    organizationId: 'acme',
    state: 'active',
    createdAt: '2026-06-15T12:00:00.000Z',
    expiresAt: '2026-06-15T13:00:00.000Z',
    revokedAt: null,
    lastUsedAt: null,
    successorId: null,
    secret: 'current',
    issuedBy: readOperatorKey(admin)?.keyId,
  })
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
  const ofPlatform = { kind: 'platform', organizationId: null, label: 'Legacy mailer' }
  expect((await list(OF_PLATFORM)).data).toMatchObject([{ ...ofPlatform, keyId: issued.keyId }])
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
  const ofNobody = await service.send('/operator/v1/organizations/nobody/keys', { key: admin })
  expect(ofNobody.status).toBe(404)
})

describe('what cannot be is refused in one sentence, and nothing is stored', () => {
  const refuses = async (path: string, body: object | null, status: number, sentence: string) => {
    const [answered, { error }] = await post(path, body)
    expect([answered, error.startsWith(sentence), error.split('\n')]).toEqual([status, true, [error]])
    const keys = await service.storage.administration.listKeys('acme', null, 100)
    expect(keys).toHaveLength(1)
    expect(await service.storage.administration.listKeys(null, null, 100)).toEqual([])
  }

  test.each([
    [{ expiresAt: '2026-06-15T12:00:00Z' }, 'expiresAt: must be in the future.'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt: must be an ISO 8601 instant'],
    [{ scope: 'write' }, 'scope: must be one of read, send, all.'],
    [{ ratePerMinute: 0 }, 'ratePerMinute: must be a whole number of requests a minute'],
    [{ ratePerMinute: '60' }, 'ratePerMinute: must be a whole number of requests a minute'],
    [{ label: 'a\nb' }, 'label: must be 1 to 100 characters'],
    [{ label: 7 }, 'label: must be 1 to 100 characters'],
    [{ rate: 60 }, 'rate: '],
    [[], ''],
  ])('the settings %j, of an organization and of the platform', async (settings, sentence) => {
    for (const path of [OF_ACME, OF_PLATFORM]) await refuses(path, settings, 400, sentence)
  })

  test.each([
    [OF_PLATFORM, { scope: 'read' }, 400, 'scope: of a platform key must be send or all'],
    ['/operator/v1/organizations/nobody/keys', {}, 404, 'There is no organization nobody'],
    ['/operator/v1/keys/nothing/rotate', { overlap: '7d' }, 404, 'There is no key nothing.'],
    ['/operator/v1/keys/nothing/rotate', { overlap: '7' }, 400, 'overlap: must be a number of minutes'],
    ['/operator/v1/keys/nothing/rotate', {}, 400, 'overlap: '],
    ['/operator/v1/keys/nothing/revoke', null, 404, 'There is no key nothing.'],
  ])('%s %j', refuses)
})
