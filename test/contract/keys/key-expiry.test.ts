import { describe, expect, test } from 'vitest'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { readKey } from '../../../domain/access/keys.ts'
import { samplePath } from '../../support/data/sample-organization.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

const keyed: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')
const EXPIRES_AT = '2026-06-15T13:00:00.000Z'

async function answer(service: TestService, endpoint: Endpoint, key: string) {
  const { method } = endpoint
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await service.send(
    samplePath(endpoint, () => 'some-id'),
    { method, key, ...body },
  )
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
  return { status: response.status, headers, text: await response.text() }
}

async function open() {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  return service
}

describe.each(keyed.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  test('an expired key is answered exactly as a revoked one, from the instant of its end', async () => {
    const service = await open()
    const owners = endpoint.access === 'tenant' ? ['acme'] : ['acme', null]
    for (const organizationId of owners) {
      const expiring = await service.addKey({ organizationId, expiresAt: EXPIRES_AT })
      const revoked = await service.addKey({ organizationId })
      await service.storage.administration.revokeKey(readKey(revoked)?.keyId ?? '', EXPIRES_AT)
      service.clock.set('2026-06-15T12:59:59.999Z')
      expect((await answer(service, endpoint, expiring)).status).not.toBe(401)
      service.clock.set(EXPIRES_AT)
      expect(await answer(service, endpoint, expiring)).toEqual(await answer(service, endpoint, revoked))
      expect((await answer(service, endpoint, expiring)).status).toBe(401)
    }
  })
})

test('a key that expires between two pages gets no second one', async () => {
  const service = await open()
  const key = await service.addKey({ organizationId: 'acme', expiresAt: EXPIRES_AT })
  expect((await service.send('/api/v1/contacts', { key })).status).toBe(200)
  service.clock.set(EXPIRES_AT)
  expect((await service.send('/api/v1/contacts', { key })).status).toBe(401)
})
