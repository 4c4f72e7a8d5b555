import { beforeEach, describe, expect, test } from 'vitest'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

let service: TestService
let admin: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  admin = await openOperatorClient(service)
})

const defaults = {
  organizationId: 'acme',
  name: 'Acme',
  slug: null,
  parentId: null,
  smsNumber: null,
  phoneCountry: 'US',
  posSource: null,
  billingEvents: true,
  analytics: false,
  retentionOfferAnalytics: false,
  automationHourly: 500,
}

describe('organizations', () => {
  test('are created with defaults, updated in part, shown, and cleared by null', async () => {
    expect(await admin.post('/organizations/acme', { name: 'Acme' })).toEqual({ status: 201, body: defaults })
    const posSource = { kind: 'odbc_second', tenant: 'dsn' }
    const settings = {
      slug: 'acme',
      smsNumber: '+12125550100',
      analytics: true,
      posSource,
      automationHourly: 2,
    }
    const updated = { ...defaults, ...settings }
    expect(await admin.post('/organizations/acme', settings)).toEqual({ status: 200, body: updated })
    expect(await admin.get('/organizations/acme')).toMatchObject({ status: 200, body: updated })
    const cleared = { slug: null, smsNumber: null, posSource: null }
    const body = { ...updated, ...cleared }
    expect(await admin.post('/organizations/acme', cleared)).toEqual({ status: 200, body })
    expect(await admin.get('/organizations/nobody')).toEqual({
      status: 404,
      body: { error: 'There is no organization nobody.' },
    })
  })

  test('keep the slug to one of them, and a parent that is there', async () => {
    await admin.post('/organizations/acme', { name: 'Acme', slug: 'a' })
    expect(await admin.post('/organizations/other', { name: 'Other', slug: 'a' })).toEqual({
      status: 409,
      body: { error: 'Another organization has the slug a.' },
    })
    expect(await admin.post('/organizations/acme', { parentId: 'nobody' })).toEqual({
      status: 409,
      body: { error: 'There is no organization nobody, so it cannot be the parent.' },
    })
    expect((await admin.post('/organizations/acme', { parentId: 'acme' })).status).toBe(409)
    expect((await admin.get('/organizations/other')).status).toBe(404)
  })

  test('are tied to a parent and untied again, in the shared database only', async () => {
    for (const [id, more] of [
      ['acme', {}],
      ['kid', { parentId: 'acme' }],
      ['harbor', { place: 'own' }],
      ['pier', { parentId: 'harbor' }],
    ] as const)
      expect((await admin.post(`/organizations/${id}`, { name: id, ...more })).status).toBe(201)
    for (const id of ['kid', 'acme', 'harbor']) {
      const { status, body } = await admin.post(`/organizations/${id}`, { parentId: null })
      expect([status, body]).toEqual([200, expect.objectContaining({ parentId: null })])
    }
    expect(await admin.post('/organizations/pier', { parentId: null })).toEqual({
      status: 409,
      body: {
        error:
          'pier can leave its family only in the shared database, where it then stays. Move the family there with "org move" first.',
      },
    })
    expect((await admin.get('/organizations/pier')).body).toMatchObject({ parentId: 'harbor' })
  })

  test('that two operators change at the same moment keep both changes, or one of the two is told', async () => {
    await admin.post('/organizations/acme', { name: 'Acme' })
    const settings = [{ slug: 'acme' }, { analytics: true }, { phoneCountry: 'DE' }]
    const answers = await Promise.all(settings.map((body) => admin.post('/organizations/acme', body)))
    const { body } = await admin.get('/organizations/acme')
    const made = settings.filter((_, index) => answers[index]?.status === 200)
    expect(made.length).toBeGreaterThan(0)
    expect(body).toMatchObject({ ...defaults, ...Object.assign({}, ...made) })
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  })

  test.each<[object, string]>([
    [{}, 'name: is required, because the organization is new.'],
    [{ name: '' }, 'name: must be 1 to 200 characters, without control characters.'],
    [{ name: 'A', slug: 'a--b' }, 'slug: must be at most 63 lower-case letters'],
    [{ name: 'A', smsNumber: '2125550100' }, 'smsNumber: must be a valid number in E.164 form'],
    [{ name: 'A', phoneCountry: 'XX' }, 'phoneCountry: must be an ISO 3166-1 alpha-2 code'],
    [{ name: 'A', analytics: 'yes' }, 'analytics: must be true or false'],
    [{ name: 'A', posSource: 'odbc_shared:x' }, 'posSource: must be an object with kind and tenant, or null'],
    [{ name: 'A', posSource: { kind: 'oracle', tenant: '1' } }, 'posSource.kind: must be one of'],
    [{ name: 'A', posSource: { kind: 'odbc_second', tenant: 'a b' } }, 'odbc_second: takes the name'],
    [{ name: 'A', organizationId: 'b' }, 'organizationId'],
    [{ name: 'A', parentId: 'none' }, 'parentId: must not be none, which stands for no organization'],
    [{ name: 'A', parentId: '' }, 'parentId: must be 1 to 64 letters'],
  ])('refuse %j', async (body, problem) => {
    const answer = await admin.post('/organizations/acme', body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(problem)])
    expect((await admin.get('/organizations/acme')).status).toBe(404)
  })

  test('have an id that keys can contain', async () => {
    for (const id of ['_x', 'a b', 'x'.repeat(65), 'ä', 'none'])
      expect((await admin.post(`/organizations/${encodeURIComponent(id)}`, { name: 'A' })).status).toBe(400)
  })

  test('are listed by their id, in pages, with cursors that belong to this list alone', async () => {
    for (const id of ['c', 'a', 'b']) await admin.post(`/organizations/${id}`, { name: id })
    const first = await admin.get('/organizations?limit=2')
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
    expect(first.body.pagination).toMatchObject({ limit: 2, hasMore: true })
    const { nextCursor } = first.body.pagination
    const second = await admin.get(`/organizations?limit=2&cursor=${nextCursor}`)
    expect(second.body).toEqual({
      data: [{ ...defaults, organizationId: 'c', name: 'c' }],
      pagination: { limit: 2, hasMore: false, nextCursor: null },
    })
    for (const path of [
      `/audit?cursor=${nextCursor}`,
      `/operator-keys?cursor=${nextCursor}`,
      `/organizations?cursor=x${nextCursor}`,
      `/organizations?cursor=${nextCursor}&cursor=${nextCursor}`,
      `/outbox?cursor=${nextCursor}`,
    ])
      expect((await admin.get(path)).status).toBe(400)
  })
})

test.each<[body: string | Uint8Array<ArrayBuffer>, said: string]>([
  ['{\n  "name": "Acme"\n  "slug": "a"}', 'is not JSON: line 3, column 3: a comma or } was expected.'],
  ['{"name": "open sesame",}', 'is not JSON: line 1, column 23: there is a comma too many before the }.'],
  [
    "{'name': 'Acme'}",
    'is not JSON: line 1, column 2: names and texts are in double quotes, not in single ones.',
  ],
  [
    '{"name":',
    'is not JSON: line 1, column 9: the text ends here, but } is missing for the { in line 1, column 1.',
  ],
  [new Uint8Array([0xff, 0xfe, 0x7b, 0]), 'must be text in UTF-8.'],
  ['', 'must be a JSON object.'],
  ['[]', 'must be a JSON object.'],
])('a body that is not JSON is told where it is wrong: %j', async (body, said) => {
  const response = await service.send('/operator/v1/organizations/acme', {
    ...{ method: 'POST', key: admin.key, body },
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.json()]).toEqual([400, { error: `request: ${said}` }])
})

describe('operator keys', () => {
  test('are issued with a role and an end, and revoked, their own too', async () => {
    const issued = await admin.post('/operator-keys', {
      operator: 'bob',
      role: 'support',
      expiresAt: '2026-07-01',
    })
    const { key, keyId } = issued.body
    expect([issued.status, issued.body.expiresAt]).toEqual([201, '2026-07-01T00:00:00.000Z'])
    expect((await service.send('/operator/v1/organizations', { key })).status).toBe(200)
    service.clock.set('2026-07-01T00:00:00.000Z')
    expect((await service.send('/operator/v1/organizations', { key })).status).toBe(401)
    expect((await admin.post(`/operator-keys/${keyId}/revoke`)).status).toBe(204)
    expect((await admin.post(`/operator-keys/${keyId}/revoke`)).status).toBe(204)
    expect((await admin.post('/operator-keys/nothing/revoke')).status).toBe(404)
    const own = (await admin.get('/health')).body.operatorKeyId
    expect((await admin.post(`/operator-keys/${own}/revoke`)).status).toBe(204)
    expect((await admin.get('/health')).status).toBe(401)
  })

  test.each([
    { operator: 'bob' },
    { operator: '', role: 'admin' },
    { operator: 'bob', role: 'owner' },
    { operator: 'bob', role: 'admin', expiresAt: '2026-06-15T12:00:00Z' },
    { operator: 'bob\n', role: 'admin' },
    { operator: 'bob', role: 'admin', proof: 'x' },
  ])('refuse %j', async (grant) => {
    expect((await admin.post('/operator-keys', grant)).status).toBe(400)
    expect((await admin.get('/operator-keys')).body.data).toHaveLength(1)
  })
})
