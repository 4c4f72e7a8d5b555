import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OutboxRef } from '../../ports/outbox.ts'
import { openQstash, QSTASH_TOKEN, signAsQstash } from '../../test/support/providers/providers.ts'
import { createQstashQueue } from './index.ts'
import { receiveFromQstash } from './receive.ts'

const callbackUrl = 'https://service.example/qstash'
const keys = { current: 'sig_current', next: 'sig_next' }
const nowMs = Date.parse('2026-06-15T12:00:00Z')
const nowS = nowMs / 1000
const deadline = { after: () => AbortSignal.timeout(1_000) }
const body = JSON.stringify({ organizationId: 'acme', outboxId: 'obx_1' })

/** What one test logged. */
let errors: [event: string, cause: unknown][] = []

/** The library has no clock but the system's. */
beforeEach(() => {
  errors = []
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

function sign(
  claims: Readonly<Record<string, unknown>> = {},
  { key = keys.current, of = body, header = { alg: 'HS256' } } = {},
): string {
  return signAsQstash({ key, body: of, url: callbackUrl, nowS, claims, header })
}

async function receive(signature: string | null, text = body, settings: object = {}, method = 'POST') {
  const delivered: OutboxRef[] = []
  const error = (event: string, _fields: object, cause?: unknown) => void errors.push([event, cause])
  const request = new Request('https://elsewhere.example/qstash', {
    method,
    headers: {
      'upstash-region': 'EU-CENTRAL-1',
      ...(signature === null ? {} : { 'upstash-signature': signature }),
    },
    ...(method === 'POST' ? { body: text } : {}),
  })
  const deliver = async (ref: OutboxRef) => void delivered.push(ref)
  const response = await receiveFromQstash(request, {
    keys,
    url: callbackUrl,
    deadline,
    deliver,
    log: { error },
    ...settings,
  })
  return { status: response.status, delivered }
}

/**
 * The environment variables in which the library looks for keys that it was not given. The last ones are those of its
 * development mode.
 */
const ENVIRONMENT_KEYS = [
  'sig_env',
  'sig_env_next',
  'sig_eu',
  'sig_eu_next',
  'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r',
  'sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs',
]

function stubEnvironment(mode: string): void {
  vi.stubEnv('QSTASH_DEV', mode)
  vi.stubEnv('QSTASH_REGION', 'EU_CENTRAL_1')
  vi.stubEnv('QSTASH_CURRENT_SIGNING_KEY', 'sig_env')
  vi.stubEnv('QSTASH_NEXT_SIGNING_KEY', 'sig_env_next')
  vi.stubEnv('EU_CENTRAL_1_QSTASH_CURRENT_SIGNING_KEY', 'sig_eu')
  vi.stubEnv('EU_CENTRAL_1_QSTASH_NEXT_SIGNING_KEY', 'sig_eu_next')
}

describe('a delivery', () => {
  test.each([
    ['the current key', sign()],
    ['the next key', sign({}, { key: keys.next })],
    ['a clock that is a little ahead', sign({ nbf: nowS + 20 })],
    ['a clock that is a little behind', sign({ exp: nowS - 20 })],
  ])('signed with %s is taken', async (_, signature) => {
    expect(await receive(signature)).toEqual({
      status: 200,
      delivered: [{ organizationId: 'acme', outboxId: 'obx_1' }],
    })
  })

  const unsigned = `${sign({}, { header: { alg: 'none' } })
    .split('.')
    .slice(0, 2)
    .join('.')}.`
  test.each([
    ['nothing', null],
    ['an empty text', ''],
    ['nonsense', 'a.b.c'],
    ['one part', 'nonsense'],
    ['a header that is no JSON', ['e30x', ...sign().split('.').slice(1)].join('.')],
    ['claims that are a list', [sign().split('.')[0], 'W10', sign().split('.')[2]].join('.')],
    ['no signature', `${sign().split('.').slice(0, 2).join('.')}.`],
    ['a signature that is no base64', `${sign().split('.').slice(0, 2).join('.')}.ä!`],
    ['another key', sign({}, { key: 'sig_other' })],
    ['an empty key', sign({}, { key: '' })],
    ['another body', sign({}, { of: '{}' })],
    ['no hash of the body', sign({ body: undefined })],
    ['a hash of the body that is no text', sign({ body: 1 })],
    ['another URL', sign({ sub: 'https://elsewhere.example/qstash' })],
    ['no URL', sign({ sub: undefined })],
    ['another issuer', sign({ iss: 'Somebody' })],
    ['a time long past', sign({ exp: nowS - 31 })],
    ['no end of its time', sign({ exp: undefined })],
    ['a time to come', sign({ nbf: nowS + 31 })],
    ['no start of its time', sign({ nbf: undefined })],
    ['no algorithm', unsigned],
    ['another algorithm', sign({}, { header: { alg: 'HS512' } })],
    ['another algorithm than it names', sign({}, { header: { alg: 'HS384' } })],
    ['a part too many', `${sign()}.x`],
  ])('signed with %s is refused', async (_, signature) => {
    expect(await receive(signature)).toEqual({ status: 401, delivered: [] })
  })

  test('is not called forged when the check itself fails', async () => {
    const ours = new TypeError('ours')
    const digest = vi.spyOn(crypto.subtle, 'digest').mockRejectedValue(ours)
    try {
      expect((await receive(sign({}, { key: 'sig_other' }))).status).toBe(401)
      expect(errors).toEqual([])
      expect(await receive(sign())).toEqual({ status: 500, delivered: [] })
      expect(errors).toEqual([['qstash_signature_unchecked', ours]])
    } finally {
      digest.mockRestore()
    }
  })

  test('is refused while the URL is not set', async () => {
    expect((await receive(sign({ sub: '' }), body, { url: '' })).status).toBe(401)
  })

  test.each(['', 'true'])('is judged by the given keys alone while QSTASH_DEV is "%s"', async (mode) => {
    stubEnvironment(mode)
    expect((await receive(sign())).status).toBe(200)
    const incomplete = [
      { current: '', next: keys.next },
      { current: keys.current, next: '' },
      { current: '', next: '' },
    ]
    for (const key of [...ENVIRONMENT_KEYS, '']) {
      const signature = sign({}, { key })
      expect([key, (await receive(signature)).status]).toEqual([key, 401])
      for (const given of incomplete)
        expect([given, key, (await receive(signature, body, { keys: given })).status]).toEqual([
          given,
          key,
          401,
        ])
    }
  })

  test('that failed comes back; one that names no entry does not; others are refused', async () => {
    const failing = { deliver: () => Promise.reject(new Error('storage')) }
    expect((await receive(sign(), body, failing)).status).toBe(500)
    expect(await receive(sign({}, { of: '[]' }), '[]')).toEqual({ status: 200, delivered: [] })
    expect((await receive(sign(), body, {}, 'GET')).status).toBe(405)
    const large = 'x'.repeat(5_000)
    expect((await receive(sign({}, { of: large }), large)).status).toBe(413)
  })
})

describe('the queue', () => {
  let qstash: Awaited<ReturnType<typeof openQstash>>
  beforeAll(async () => {
    qstash = await openQstash()
  })
  afterAll(() => qstash.close())
  // A request that was given up before it reached the stand-in has not used its planned misbehaviour, which would meet
  // the next request.
  afterEach(() => {
    qstash.misbehave.length = 0
  })

  const queue = (token = QSTASH_TOKEN, timeoutMs = 5_000) =>
    createQstashQueue({
      token,
      baseUrl: qstash.url,
      callbackUrl,
      fetch,
      deadline: { after: () => AbortSignal.timeout(timeoutMs) },
    })
  const refs = (count: number): OutboxRef[] =>
    Array.from({ length: count }, (_, index) => ({ organizationId: 'acme', outboxId: `obx_${index}` }))

  test('publishes one message for each entry, a hundred at a time', async () => {
    const before = { requests: qstash.requests.length, published: qstash.published.length }
    await queue().send(refs(250))
    expect(qstash.requests).toHaveLength(before.requests + 3)
    expect(qstash.published).toHaveLength(before.published + 250)
    expect(qstash.published.at(-1)).toEqual({
      destination: callbackUrl,
      headers: {
        'Content-Type': 'application/json',
        'Upstash-Retries': '3',
        'Upstash-Deduplication-Id': 'obx_249',
      },
      body: JSON.stringify({ organizationId: 'acme', outboxId: 'obx_249' }),
    })
  })

  test('rejects when the hand-over failed or is uncertain', async () => {
    await expect(queue('wrong').send(refs(1))).rejects.toThrow('status 401')
    for (const [misbehaviour, reason] of [
      [{ status: 500 }, 'status 500'],
      [{ status: 307 }, 'status 307'],
      ['reset', 'fetch failed'],
    ] as const) {
      qstash.misbehave.push(misbehaviour)
      await expect(queue().send(refs(1))).rejects.toThrow(reason)
    }
    qstash.misbehave.push('silence')
    await expect(queue(QSTASH_TOKEN, 30).send(refs(1))).rejects.toThrow('timeout')
  })
})
