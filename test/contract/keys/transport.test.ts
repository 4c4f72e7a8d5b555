import { beforeAll, describe, expect, test } from 'vitest'
import { proveRootSecret } from '../../../domain/access/operator-credentials.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import { overTransport } from '../../../host-worker/http/fetch-handler.ts'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import { addSampleOrganization, samplePath } from '../../support/data/sample-organization.ts'
import { testSecrets } from '../../support/runner/fakes.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// What the scheme of a request decides: keys are for https, and what comes over https stays there.

const UNAUTHORIZED = '{"error":"Unauthorized"}'
const READ = '{"error":"Unauthorized. Send the header Authorization: Bearer ck_live_…"}'
const OPERATE =
  '{"error":"Unauthorized. Send the header Authorization: Bearer ok_live_… with an operator key that is neither revoked nor expired."}'
const EXPOSED =
  '{"error":"No key is accepted over plain http, where others can read it. Use https, and replace the key that was sent."}'

let service: TestService
let storage: ScratchStorage
let keys: { readonly tenant: string; readonly platform: string; readonly operator: string }

/** Every operation of both interfaces that needs a key, with the text for a caller without a good one. */
const keyed = [
  ...endpoints
    .filter(({ access }) => access !== 'public')
    .map((endpoint) => ({
      id: endpoint.id,
      method: endpoint.method,
      path: samplePath(endpoint, (field) => `m-${field}-0`),
      refused: endpoint.scope === 'send' ? UNAUTHORIZED : READ,
      exposed: endpoint.scope === 'send' ? UNAUTHORIZED : EXPOSED,
      kind: 'tenant' as const,
    })),
  ...operatorEndpoints
    .filter(({ access }) => access !== 'public')
    .map(({ id, method, path }) => ({
      ...{ id, method, path: path.replaceAll(/\{\w+\}/g, 'mine'), refused: OPERATE, exposed: EXPOSED },
      kind: 'operator' as const,
    })),
]

beforeAll(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
  const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
  const tenant = await addSampleOrganization(service, 'mine', 'm-', 2, able)
  keys = { tenant, platform: await service.addPlatformKey(), operator: await service.addOperatorKey('admin') }
})

async function ask(url: string, method: string, authorization: string | null) {
  const before = storage.meter.calls
  const isBare = method === 'GET' || method === 'HEAD'
  const response = await service.send(url, {
    method,
    ...(isBare ? {} : { body: '{}' }),
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(isBare ? {} : { 'content-type': 'application/json' }),
    },
  })
  return { response, text: await response.text(), calls: storage.meter.calls - before }
}

const transportOf = (response: Response) => response.headers.get('strict-transport-security')

describe.each(keyed)('$id', ({ method, path, refused, exposed, kind }) => {
  test('refuses a key that came over plain http, good or not, without a look-up', async () => {
    const good = keys[kind]
    for (const token of [`Bearer ${good}`, `bearer ${good}`, good, `Bearer ${good.slice(1)}`, 'Bearer x'])
      for (const host of ['http://service.example', 'http://127.0.0.1.example:8080', 'http://192.168.0.7']) {
        const { response, text, calls } = await ask(host + path, method, token)
        expect([response.status, text, calls]).toEqual([401, exposed, 0])
        expect([response.headers.get('www-authenticate'), transportOf(response)]).toEqual(['Bearer', null])
      }
  })

  test('says the same to every caller without a good key', async () => {
    const other = kind === 'tenant' ? keys.operator : keys.tenant
    for (const token of [
      null,
      'Bearer ',
      'Bearer x',
      `bearer ${keys[kind]}`,
      `Bearer ${other}`,
      `Bearer ${keys[kind].slice(0, -1)}`,
      'Basic eDp5',
    ])
      for (const host of ['https://service.example', 'http://service.example', 'http://localhost:8787'])
        if (token === null || token.startsWith('Basic') || !host.startsWith('http://service')) {
          const { response, text } = await ask(host + path, method, token)
          expect([response.status, text]).toEqual([401, refused])
        }
  })
})

const READS = keyed.filter(({ kind, method }) => kind === 'tenant' && method === 'GET')

test.each([
  'http://localhost',
  'http://127.0.0.1:8787',
  'http://127.9.8.7',
  'http://[::1]:1',
  'https://a.example',
])('a key is taken at %s', async (host) => {
  for (const { path } of READS.slice(0, 3))
    expect((await ask(host + path, 'GET', `Bearer ${keys.tenant}`)).response.status).toBe(200)
  const organizations = await ask(`${host}/operator/v1/organizations`, 'GET', `Bearer ${keys.operator}`)
  expect(organizations.response.status).toBe(200)
})

test('no operator key is issued over plain http, to whoever proves the root secret either', async () => {
  const body = JSON.stringify({ operator: 'ada', role: 'admin' })
  const { current } = await testSecrets()
  const issued = async (origin: string) => {
    const url = new URL('/operator/v1/operator-keys', origin)
    const proven = { host: url.host, body: utf8(body) }
    const proof = await proveRootSecret(current, proven, service.clock.nowMs())
    const init = {
      method: 'POST',
      body,
      headers: { authorization: proof, 'content-type': 'application/json' },
    }
    const response = await service.send(url.href, init)
    return [response.status, await response.text()]
  }
  expect(await issued('http://service.example')).toEqual([401, EXPOSED])
  expect((await issued('https://service.example'))[0]).toBe(201)
})

test('what needs no key works over plain http as ever', async () => {
  for (const token of [null, `Bearer ${keys.tenant}`]) {
    const document = await ask('http://service.example/api/v1/openapi.json', 'GET', token)
    expect([document.response.status, transportOf(document.response)]).toEqual([200, null])
    const submitted = await ask('http://service.example/api/forms/none/submissions', 'POST', token)
    expect(submitted.response.status).toBe(404)
  }
})

test('what comes over https says so once, whoever made the answer', () => {
  const secure = new URL('https://a.example/')
  const once = overTransport(new Response('x', { headers: { 'x-a': 'b' } }), secure)
  for (const response of [
    once,
    overTransport(once, secure),
    overTransport(overTransport(once, secure), secure),
  ])
    expect([...response.headers]).toEqual([
      ['content-type', 'text/plain;charset=UTF-8'],
      ['strict-transport-security', 'max-age=31536000'],
      ['x-a', 'b'],
    ])
})

test('every answer over https says that the host is to be called by https alone', async () => {
  const asked: readonly (readonly [string, string, number])[] = [
    ['GET', '/api/v1/contacts', 200],
    ['HEAD', '/api/v1/contacts', 200],
    ['DELETE', '/api/v1/contacts', 405],
    ['GET', '/api/v1/contacts?limi=1', 400],
    ['GET', '/api/v1/contacts/none', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/v1/openapi.json', 200],
    ['POST', '/api/forms/none/submissions', 404],
    ['OPTIONS', '/api/forms/none/submissions', 204],
    ['GET', '/operator/v1/organizations', 401],
  ]
  for (const [method, path, status] of asked) {
    const { response } = await ask(`https://service.example${path}`, method, `Bearer ${keys.tenant}`)
    expect([path, response.status, transportOf(response)]).toEqual([path, status, 'max-age=31536000'])
  }
})
