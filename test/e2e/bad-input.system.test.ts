import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedLiveService, type SharedService } from '../support/services/live-service.ts'

/** Whatever a client sends, the real runtime gives the documented status and body, and never a 500. */
let live: SharedService

beforeAll(async () => {
  live = await sharedLiveService()
}, 60_000)

const PATH = '/api/forms/plain/submissions'
const good = { _gotcha: '', email: 'ada@example.com' }

async function submit(
  body: BodyInit,
  headers: Record<string, string>,
  path = PATH,
): Promise<[number, string]> {
  const response = await fetch(new URL(path, live.origin), { method: 'POST', body, headers })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const receipt = (await response.json()) as { ok: boolean; code?: string }
  expect(receipt.ok).toBe(response.status === 200)
  return [response.status, receipt.code ?? 'saved']
}

const json = { 'content-type': 'application/json' }

describe('JSON bodies', () => {
  // What each body means is decided without the runtime, which parses it and has a stack of its own.
  test.each<[string, number, string]>([
    ['', 400, 'invalid_body'],
    ['{"_gotcha":""', 400, 'invalid_body'],
    ['{"_gotcha":"","email":"\\u0000"}', 422, 'validation_error'],
    ['{"_gotcha":"","email":"ada@example.com","name":"\\ud800"}', 422, 'validation_error'],
    ['{"_gotcha":"","email":"ada@example.com","__proto__":{"x":1}}', 422, 'validation_error'],
    ['{"_gotcha":"x","email":"nonsense"}', 200, 'saved'],
    [`{"_gotcha":" ","email":"ada@example.com","name":"${'x'.repeat(10_000)}"}`, 200, 'saved'],
    ['['.repeat(30_000), 400, 'invalid_body'],
    [`{"_gotcha":"","email":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 422, 'validation_error'],
  ])('case %#', async (body, status, code) => {
    expect(await submit(body, json)).toEqual([status, code])
  })

  test('bytes that are not UTF-8', async () => {
    expect(await submit(Uint8Array.of(0x7b, 0xff, 0x7d), json)).toEqual([400, 'invalid_body'])
  })
})

describe('other content types', () => {
  test.each<[string, string, number, string]>([
    ['text/plain', '{}', 415, 'unsupported_media_type'],
    ['multipart/form-data', 'x', 400, 'invalid_body'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="email"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n',
      415,
      'unsupported_media_type',
    ],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="_gotcha"\r\n\r\n\r\n--b\r\nContent-Disposition: form-data; name="email"; filename=""\r\n\r\nada@example.com\r\n--b--\r\n',
      200,
      'saved',
    ],
    ['application/x-www-form-urlencoded', '_gotcha=&email=ada%40example.com', 200, 'saved'],
    ['application/x-www-form-urlencoded', '&&&==&%', 422, 'validation_error'],
    ['application/x-www-form-urlencoded', '_gotcha=&email=%FF', 400, 'invalid_body'],
  ])('%s: case %#', async (type, body, status, code) => {
    expect(await submit(body, { 'content-type': type })).toEqual([status, code])
  })

  test('a compressed body', async () => {
    expect(await submit('{}', { ...json, 'content-encoding': 'gzip' })).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('a file for a form that does not exist is still a file', async () => {
    const body = new FormData()
    body.append('file', new Blob(['x']), 'a.txt')
    const response = await fetch(new URL('/api/forms/none/submissions', live.origin), {
      method: 'POST',
      body,
    })
    expect(response.status).toBe(415)
  })
})

describe('form identifiers', () => {
  test.each(['none', '%00', '%ZZ', '..%2Fplain', 'plain%2F', '%E0%A4%A', '', 'a/b'])(
    '%s answers 404',
    async (formId) => {
      expect(await submit(JSON.stringify(good), json, `/api/forms/${formId}/submissions`)).toEqual([
        404,
        'form_not_found',
      ])
    },
  )

  test('a form that must be hosted answers 409', async () => {
    expect(await submit(JSON.stringify(good), json, '/api/forms/hosted/submissions')).toEqual([
      409,
      'hosted_form_required',
    ])
  })
})

/** A body of 65,600 bytes in chunks. The service must count them, because it cannot trust a declared length. */
const chunks = `${`40\r\n${'x'.repeat(64)}\r\n`.repeat(1_025)}0\r\n\r\n`

test.each([
  ['a declared length beyond the limit', 'Content-Length: 65537', 'x'.repeat(65_537)],
  ['chunks', 'Transfer-Encoding: chunked', chunks],
  ['chunks with a lying length', 'Content-Length: 5\r\nTransfer-Encoding: chunked', chunks],
])('too many bytes in %s are refused', async (_, header, body) => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`
  expect(await raw(head + body)).toMatch(/^HTTP\/1\.1 413 /)
})

test('a declared length beyond the limit is refused before anything of the body came', async () => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 65537\r\n\r\n`
  const answer = await raw(head, (text) => text.includes('"code":"body_too_large"'))
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toMatch(/^access-control-allow-origin: \*\r$/im)
  expect(answer).toMatch(/^content-type: application\/json; charset=utf-8\r$/im)
  expect(answer).toContain('"ok":false')
})

/** Sends bytes as they are. Returns the answer, or what has arrived of it once `isEnough` accepts that. */
async function raw(text: string, isEnough: (answer: string) => boolean = () => true): Promise<string> {
  const socket = connect(Number(new URL(live.origin).port), '127.0.0.1')
  let answer = ''
  const ended = new Promise<void>((resolve, reject) => {
    socket.setEncoding('latin1').on('data', (data: string) => {
      answer += data
      if (isEnough(answer)) resolve()
    })
    socket.on('error', reject).on('end', resolve)
  })
  socket.write(text)
  await ended
  socket.destroy()
  return answer
}

describe('other methods on the submission endpoint', () => {
  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD'])(
    '%s answers 405, readable by any origin',
    async (method) => {
      const response = await fetch(new URL(PATH, live.origin), { method })
      expect([
        response.status,
        response.headers.get('allow'),
        response.headers.get('access-control-allow-origin'),
      ]).toEqual([405, 'POST, OPTIONS', '*'])
    },
  )

  test('OPTIONS answers the preflight', async () => {
    const response = await fetch(new URL(PATH, live.origin), { method: 'OPTIONS' })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, Accept')
  })
})

describe('query strings of the tenant API', () => {
  test.each<[string, number]>([
    ['/api/v1/contacts?cursor=x', 400],
    ['/api/v1/contacts?cursor=%FF%FE', 400],
    [`/api/v1/contacts?cursor=${'A'.repeat(7000)}`, 400],
    ['/api/v1/contacts?email=%00', 400],
    ['/api/v1/contacts?phone=%00', 400],
    ['/api/v1/contacts?phone=+12125551007', 200],
    ['/api/v1/contacts?createdAfter=2026-01-01', 400],
    ['/api/v1/contacts?createdAfter=2026-01-01T00:00:00+02:00', 200],
    ['/api/v1/contacts?siteId=%ED%A0%80', 200],
    ["/api/v1/contacts?siteId='%20OR%201=1--", 200],
    ['/api/v1/contacts?%00=1', 400],
    ['/api/v1/contacts?&&&', 200],
    ['/api/v1/contacts?=', 400],
    ['/api/v1/contacts/%00', 404],
    ['/api/v1/contacts/%ZZ', 404],
    ['/api/v1/forms/submissions/x', 404],
    ['/api/v1/nothing', 404],
    // The start page is served at the root alone.
    ['/nothing', 404],
  ])('%s answers %i', async (path, status) => {
    const response = await fetch(new URL(path, live.origin), {
      headers: { authorization: `Bearer ${live.key}` },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/json; charset=utf-8',
    ])
    if (status !== 200) expect(Object.keys((await response.json()) as object)).toEqual(['error'])
  })

  test('a header that is not a key answers 401', async () => {
    for (const authorization of [
      'Bearer',
      'bearer x',
      'Bearer ',
      `Bearer ${'x'.repeat(7000)}`,
      'Bearer \u00e4',
    ]) {
      const response = await fetch(new URL('/api/v1/contacts', live.origin), { headers: { authorization } })
      expect(response.status).toBe(401)
    }
  })
})
