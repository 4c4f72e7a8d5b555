import { beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '../../domain/catalog.ts'
import { operatorEndpoints } from '../../domain/operator-catalog.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import { createScratchStorage } from '../support/scratch-storage.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

// Every operation of the operator interface against every kind of key, and every operation of the public interface
// against operator keys.

let service: TestService

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
})

const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{\w+\}/g, 'some-id')

async function statusOf(endpoint: Endpoint, key: string | null): Promise<number> {
  const body =
    endpoint.method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
  const init = { method: endpoint.method, ...body, ...(key === null ? {} : { key }) }
  return (await service.send(pathOf(endpoint), init)).status
}

/** A key in whose end one character is another one. */
function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

describe.each(operatorEndpoints.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  const isPublic = endpoint.access === 'public'
  const refused = isPublic ? 200 : 401

  test('is closed to whoever has no operator key that works', async () => {
    const tenantKey = await service.addOrganization('acme')
    const revoked = await service.addOperatorKey('admin')
    const expired = await service.addOperatorKey('admin', '2026-06-15T12:00:01.000Z')
    await service.revokeOperatorKey(revoked)
    service.clock.set('2026-06-15T12:00:01.000Z')
    const keys = {
      none: null,
      malformed: 'ok_live_',
      mistyped: mistyped(await service.addOperatorKey('admin')),
      tenant: tenantKey,
      platform: await service.addPlatformKey(),
      revoked,
      expired,
    }
    const statuses: Record<string, number> = {}
    for (const [kind, key] of Object.entries(keys)) statuses[kind] = await statusOf(endpoint, key)
    expect(statuses).toEqual(Object.fromEntries(Object.keys(keys).map((kind) => [kind, refused])))
  })

  test('is open to the roles that it names', async () => {
    const support = await statusOf(endpoint, await service.addOperatorKey('support'))
    const admin = await statusOf(endpoint, await service.addOperatorKey('admin'))
    if (endpoint.access === 'admin' || endpoint.access === 'admin_or_root_secret') expect(support).toBe(403)
    else expect(support).not.toBe(403)
    expect([401, 403, 500]).not.toContain(admin)
  })
})

describe.each(
  endpoints.filter(({ access }) => access !== 'public').map((endpoint) => ({ id: endpoint.id, endpoint })),
)('$id', ({ endpoint }) => {
  test('is closed to operator keys', async () => {
    expect(await statusOf(endpoint, await service.addOperatorKey('admin'))).toBe(401)
  })
})
