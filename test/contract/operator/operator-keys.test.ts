import { beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '../../support/contract/endpoints.ts'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import { proveRootSecret } from '../../../domain/access/operator-credentials.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { crc32 } from '../../../domain/access/keys.ts'
import { toBase62, utf8 } from '../../../domain/text/encoding.ts'
import { testSecrets } from '../../support/runner/fakes.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// Every operation of the operator interface against every kind of key, and every operation of the public interface
// against operator keys.

let service: TestService

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
})

const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{\w+\}/g, 'some-id')

async function ask({ method, path }: Endpoint, key: string | null, url = path): Promise<Response> {
  const isRead = method === 'GET'
  const body = isRead ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
  return service.send(url.replaceAll(/\{\w+\}/g, 'some-id'), {
    method,
    ...body,
    ...(key === null ? {} : { key }),
  })
}

/** A key that nobody issued, with a good checksum and the id of an issued key. */
function forged(key: string): string {
  const unchecked = `${key.slice(0, 'ok_live_'.length + 12)}${'z'.repeat(28)}`
  return unchecked + toBase62(crc32(utf8(unchecked)), 6)
}

const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

describe.each(operatorEndpoints.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  const isPublic = endpoint.access === 'public'
  const needsAdmin = endpoint.access === 'admin' || endpoint.access === 'admin_or_root_secret'

  test('is closed to whoever has no operator key that works', async () => {
    const revoked = await service.addOperatorKey('admin')
    await service.revokeOperatorKey(revoked)
    const expired = await service.addOperatorKey('admin', '2026-06-15T12:00:01.000Z')
    service.clock.set('2026-06-15T12:00:01.000Z')
    const good = await service.addOperatorKey('admin')
    const keys = {
      none: null,
      malformed: 'ok_live_',
      mistyped: mistyped(good),
      forged: forged(good),
      tenant: await service.addOrganization('acme'),
      platform: await service.addPlatformKey(),
      revoked,
      expired,
    }
    const statuses: Record<string, number> = {}
    for (const [kind, key] of Object.entries(keys)) statuses[kind] = (await ask(endpoint, key)).status
    const expected = isPublic ? 200 : 401
    expect(statuses).toEqual(Object.fromEntries(Object.keys(keys).map((kind) => [kind, expected])))
    expect(await service.storage.audit.list({ organizationId: 'some-id' }, null, 10)).toEqual([])
  })

  test('is closed to a proof of the root secret, unless it issues operator keys', async () => {
    const body = '{"operator":"ada","role":"admin"}'
    const { current } = await testSecrets()
    const authorization = await proveRootSecret(
      current,
      { host: 'service.example', body: utf8(body) },
      service.clock.nowMs(),
    )
    const { status } = await service.send(pathOf(endpoint), {
      method: endpoint.method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(endpoint.method === 'GET' ? {} : { body }),
    })
    const isFirstKey = endpoint.access === 'admin_or_root_secret'
    expect(status).toBe(isPublic ? 200 : isFirstKey ? 201 : 401)
  })

  test('answers every key that does not work with the same bytes', async () => {
    const revoked = await service.addOperatorKey('admin')
    await service.revokeOperatorKey(revoked)
    const texts = []
    for (const key of [null, revoked, forged(revoked), await service.addPlatformKey()]) {
      const response = await ask(endpoint, key)
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
      texts.push(JSON.stringify([response.status, headers, await response.text()]))
    }
    expect(new Set(texts).size).toBe(1)
  })

  test('is open to the roles that it names', async () => {
    const support = await ask(endpoint, await service.addOperatorKey('support'))
    const admin = await ask(endpoint, await service.addOperatorKey('admin'))
    expect([401, 403, 500]).not.toContain(admin.status)
    expect(support.status === 403).toBe(needsAdmin)
    if (!needsAdmin) return
    expect(await support.json()).toEqual({
      error: 'This needs an operator key with the role admin; this key has the role support.',
    })
  })

  test('records whom a role kept from changing something, and what they asked for', async () => {
    const key = await service.addOperatorKey('support')
    await ask(endpoint, key)
    const records = (await service.storage.audit.list({}, null, 10)).filter(
      ({ operator }) => operator === 'support',
    )
    const isRefused = needsAdmin && endpoint.action !== null
    expect(records.map(({ action, outcome }) => [action, outcome])).toEqual(
      isRefused
        ? [[endpoint.action, 'forbidden']]
        : // A request whose body cannot be read leaves no record.
          endpoint.action === null || endpoint.body !== null
          ? []
          : [[endpoint.action, 'refused']],
    )
  })

  test('refuses a parameter that it does not have, and a method that its path does not have', async () => {
    const key = await service.addOperatorKey('admin')
    const unknown = await ask(endpoint, key, `${endpoint.path}?organisation=acme`)
    expect(unknown.status).toBe(isPublic ? 200 : 400)
    expect((await unknown.text()).includes('Unknown parameter')).toBe(!isPublic)
    const path = pathOf(endpoint)
    expect((await service.send(path, { method: 'PATCH', key })).status).toBe(405)
    expect((await service.send(path, { method: 'PATCH' })).status).toBe(isPublic ? 405 : 401)
    if (endpoint.method === 'GET') {
      const head = await service.send(path, { method: 'HEAD', key })
      expect([head.status < 500, await head.text()]).toEqual([true, ''])
    }
  })
})

test('no endpoint of one interface has an id of the other, which cursors and log lines name', () => {
  const ids = [...endpoints, ...operatorEndpoints].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

const guarded: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')

describe.each(guarded.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  test('is closed to operator keys', async () => {
    for (const role of ['support', 'admin'] as const)
      expect((await ask(endpoint, await service.addOperatorKey(role))).status).toBe(401)
  })
})

test('the path of nothing is 404, with or without a key', async () => {
  const key = await service.addOperatorKey('admin')
  for (const path of ['/operator/v1/nothing', '/operator/v1', '/operator/', '/operator/v2/health'])
    for (const init of [{}, { key }]) expect((await service.send(path, init)).status).toBe(404)
})
