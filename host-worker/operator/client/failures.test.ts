import { createServer as createTlsServer } from 'node:https'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notTheService } from '../../../test/support/contract/contract-seen.ts'
import {
  operate,
  openTestOperator,
  TEST_URL,
  type Operated,
  type TestOperator,
} from '../../../test/support/services/operator/operator.ts'

let test: TestOperator

beforeAll(async () => {
  test = await openTestOperator()
})

/** Lists organizations at a service that answers in this way. */
function listAt(url: string, reach?: (request: Request) => Promise<Response>): Promise<Operated> {
  const args = ['org', 'list', '--url', url, '--key', test.key]
  return operate(args, reach === undefined ? {} : { reach })
}

/** Expects what every failure must print: one sentence on standard error, and nothing else. */
function expectSentence({ code, stdout, stderr }: Operated, saying: RegExp): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(saying)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
}

const json = { 'content-type': 'application/json' }

describe('what answers is not this service', () => {
  it.each<[string, () => Response, RegExp]>([
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /is not the address of this service: .* text\/html\.$/m,
    ],
    ['nothing', () => new Response(null, { status: 404 }), /is not the address of this service: .* 404/],
    ['other JSON', () => Response.json({ message: 'Not found' }, { status: 404 }), /is not the address/],
    ['JSON that is none', () => new Response('{', { headers: json }), /is not the address/],
    [
      'a redirect',
      () => new Response(null, { status: 308, headers: { location: 'https://b.example/' } }),
      /leads to https:\/\/b\.example\/\./,
    ],
    ['a redirect to nowhere', () => new Response(null, { status: 302 }), /leads elsewhere\./],
    [
      'a gateway without it',
      () => new Response('Bad gateway', { status: 502 }),
      /is not available \(status 502\)/,
    ],
  ])('%s', async (_what, answer, saying) => {
    expectSentence(await listAt(TEST_URL, async () => answer()), saying)
  })
})

describe('the service refuses', () => {
  it('a failure, which is named by its request', async () => {
    const headers = { 'x-request-id': 'req_1' }
    const answer = async () => Response.json({ error: 'Internal error.' }, { status: 500, headers })
    expectSentence(await listAt(TEST_URL, answer), /^Internal error\. \(req_1\)$/m)
  })

  it('a service without its configuration, which says why', async () => {
    const answer = async () => Response.json({ error: 'The service is not configured. X.' }, { status: 503 })
    expectSentence(
      await listAt(TEST_URL, answer),
      /^The service is not configured\. X\. \(\)$|^The service is not configured\. X\.$/m,
    )
  })

  it('a key that expired', async () => {
    const key = await test.service.addOperatorKey('admin', '2026-06-15T12:00:01.000Z')
    const list = () => operate(['org', 'list', '--url', TEST_URL, '--key', key], { reach: test.reach })
    expect((await list()).code).toBe(0)
    test.service.clock.advance(1_000)
    expectSentence(await list(), /unknown, revoked or expired/)
  })
})

describe('the network fails', () => {
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) server.close()
  })

  async function portOf(server: Server): Promise<number> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  it('because nothing listens', async () => {
    const server = createServer()
    const port = await portOf(server)
    await new Promise((resolve) => server.close(resolve))
    expectSentence(
      await listAt(`http://127.0.0.1:${port}`),
      /^Cannot reach the service at http:\/\/127\.0\.0\.1:\d+: nothing listens there \(ECONNREFUSED\)\.$/m,
    )
  })

  it('because the host does not exist', async () => {
    expectSentence(await listAt('https://nowhere.invalid'), /there is no such host/)
  })

  it('because the connection breaks', async () => {
    const port = await portOf(createServer((socket) => socket.destroy()))
    expectSentence(await listAt(`http://127.0.0.1:${port}`), /the connection broke/)
  })

  it('because it leads elsewhere, where the key is not sent', async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = await portOf(
      createHttpServer(({ headers: { authorization } }, response) => {
        seen.push(authorization)
        response.end()
      }),
    )
    for (const status of [301, 302, 303, 307, 308]) {
      const leading = createHttpServer((_request, response) => {
        response
          .writeHead(status, { location: `http://127.0.0.1:${elsewhere}/operator/v1/organizations` })
          .end()
      })
      const url = `http://127.0.0.1:${await portOf(leading)}`
      const endException = notTheService(url, 'a stand-in that only redirects')
      expectSentence(await listAt(url), /leads to http:\/\/127\.0\.0\.1/)
      endException()
    }
    expect(seen).toEqual([])
  })

  it('because it is not HTTP', async () => {
    const port = await portOf(createServer((socket) => socket.end('220 mail\r\n')))
    expectSentence(await listAt(`http://127.0.0.1:${port}`), /it does not speak HTTP there/)
  })

  it('because it does not speak TLS, or has no certificate to be trusted', async () => {
    const plain = await portOf(createServer((socket) => socket.end('HTTP/1.1 400\r\n\r\n')))
    expectSentence(await listAt(`https://127.0.0.1:${plain}`), /it does not speak TLS there/)
    const bare = await portOf(createTlsServer())
    expectSentence(await listAt(`https://127.0.0.1:${bare}`), /it does not speak TLS there/)
    const untrusted = Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const failing = async () => Promise.reject(new TypeError('fetch failed', { cause: untrusted }))
    expectSentence(await listAt(TEST_URL, failing), /its certificate is not trusted/)
  })

  it('because no answer comes in time', async () => {
    const late = async () => Promise.reject(new DOMException('', 'TimeoutError'))
    expectSentence(await listAt(TEST_URL, late), /it did not answer in time/)
  })
})
