import { beforeAll, describe, expect, test } from 'vitest'
import { covers } from '../../../domain/access/authenticate.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import type { KeyScope } from '../../../ports/organizations.ts'
import { addSampleOrganization, samplePath } from '../../support/data/sample-organization.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// Tries every operation with a key, with a key of every scope and kind. The operations come from the catalog, and the
// needed scope from each operation's record. A second check, by method, shows that the records are right: only messages
// are posted.

const scopes: readonly KeyScope[] = ['read', 'send', 'all']
const keyed: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')

let service: TestService
const tenantKeys = new Map<KeyScope, string>()
const platformKeys = new Map<KeyScope, string>()

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
  await addSampleOrganization(service, 'mine', 'm-', 2, able)
  for (const scope of scopes) {
    tenantKeys.set(scope, await service.addKey({ organizationId: 'mine', scope }))
    platformKeys.set(scope, await service.addKey({ organizationId: null, scope }))
  }
})

async function answer(endpoint: Endpoint, key = '', method: string = endpoint.method) {
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const path = samplePath(endpoint, (field) => `m-${field}-0`)
  const response = await service.send(path, { method, key, ...body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const OUT_OF_SCOPE = /^\{"error":"The scope of this key does not allow it to (read data|send messages)\."\}$/

describe.each(keyed.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  test('needs what its method does', () => {
    expect(endpoint.scope).toBe(endpoint.method === 'POST' ? 'send' : 'read')
  })

  test.each(scopes)('with a tenant key for %s', async (scope) => {
    const { status, headers, text } = await answer(endpoint, tenantKeys.get(scope))
    if (covers(scope, endpoint.scope ?? 'read')) {
      // A send without a body is malformed; every read finds the sample rows.
      expect(status).toBe(endpoint.method === 'POST' ? 400 : 200)
    } else {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(text).toMatch(OUT_OF_SCOPE)
    }
  })

  test.each(scopes)('with a platform key for %s', async (scope) => {
    const { status, text } = await answer(endpoint, platformKeys.get(scope))
    const isAdmitted = endpoint.access === 'tenant_or_platform' && scope !== 'read'
    expect(status).toBe(isAdmitted ? 400 : 401)
    if (endpoint.access === 'tenant')
      expect(text).toBe('{"error":"Unauthorized. Send the header Authorization: Bearer ck_live_…"}')
    else if (!isAdmitted) expect(text).toMatch(OUT_OF_SCOPE)
  })

  test('a method that it does not have is told to nobody whose scope does not cover it', async () => {
    const status = async (scope: KeyScope) => (await answer(endpoint, tenantKeys.get(scope), 'DELETE')).status
    const refused = endpoint.scope === 'send' ? 'read' : 'send'
    expect([await status(refused), await status('all')]).toEqual([401, 405])
  })
})

test('a public operation asks for no scope', () => {
  const open = endpoints.filter(({ access }) => access === 'public')
  expect(open.map(({ scope }) => scope)).toEqual(open.map(() => null))
})
