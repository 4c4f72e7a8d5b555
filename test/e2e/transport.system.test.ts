import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../host-worker/local/project.ts'
import { openLiveWorker, type LiveWorker } from '../support/services/live-service.ts'

// On the real runtime, which tells the Worker the scheme by the request's URL. test/contract/keys/transport.test.ts tries
// every operation.

let live: LiveWorker

beforeAll(async () => {
  live = await openLiveWorker()
})
afterAll(async () => {
  await live.close()
})

const BROWSER = { accept: 'text/html' }

test.each<[path: string, status: number, headers?: Record<string, string>]>([
  ['/', 200, BROWSER],
  ['/docs', 200, BROWSER],
  ['/guides/sync', 200, BROWSER],
  ['/guides/sync.md', 200],
  ['/console', 200, BROWSER],
  ['/console/nothing', 200, BROWSER],
  ['/health', 200],
  ['/llms.txt', 200],
  ['/robots.txt', 200],
  ['/favicon.ico', 301],
  ['/form-client.js', 200],
  ['/nothing', 404, BROWSER],
  ['/nothing', 404],
  ['/api/v1/openapi.json', 200],
  ['/api/v1/contacts', 401],
  ['/operator/v1/openapi.json', 200],
  ['/operator/v1/organizations', 401],
  ['/forms/none/definition', 404],
])(
  'over https, and there alone, %s with status %i keeps browsers to https',
  async (path, status, headers) => {
    const secure = await live.ask(`https://service.example${path}`, headers)
    expect([secure.status, secure.headers.get('strict-transport-security')]).toEqual([
      status,
      'max-age=31536000',
    ])
    const plain = await live.ask(`http://service.example${path}`, headers)
    expect([plain.status, plain.headers.get('strict-transport-security')]).toEqual([status, null])
    const etag = secure.headers.get('etag')
    if (etag === null) return
    const unchanged = await live.ask(`https://service.example${path}`, { ...headers, 'if-none-match': etag })
    expect([unchanged.status, unchanged.headers.get('strict-transport-security')]).toEqual([
      304,
      'max-age=31536000',
    ])
  },
)

test('a key over plain http is refused, and taken on this machine', async () => {
  const authorization = 'Bearer ck_live_acme_000000000000'
  const refused = await live.ask('http://service.example/api/v1/contacts', { authorization })
  expect(await refused.json()).toEqual({
    error:
      'No key is accepted over plain http, where others can read it. Use https, and replace the key that was sent.',
  })
  const local = await live.ask('http://localhost:8787/api/v1/contacts', { authorization })
  expect(await local.json()).toEqual({
    error: 'Unauthorized. Send the header Authorization: Bearer ck_live_…',
  })
})

test('static files, which the platform serves without the Worker, say the same', () => {
  const headers = readFileSync(join(projectRoot, 'host-worker', 'pages', 'public', '_headers'), 'utf8')
  expect(headers).toMatch(/^\/assets\/\*\n(?: {2}.*\n)*? {2}Strict-Transport-Security: max-age=31536000\n/)
})
