import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import { openQstash, QSTASH_TOKEN } from '../../test/support/providers.ts'
import { createQstashQueue } from './queue.ts'
import { receiveFromQstash } from './receive.ts'

const callbackUrl = 'https://service.example/qstash'
const keys = { current: 'sig_current', next: 'sig_next' }
const nowMs = Date.parse('2026-06-15T12:00:00Z')
const nowS = nowMs / 1000
const deadline = { after: () => AbortSignal.timeout(1_000) }
const body = JSON.stringify({ organizationId: 'acme', outboxId: 'obx_1' })

/** Signs as QStash does (its documentation, "Verify Signatures"). */
function sign(
  claims: Readonly<Record<string, unknown>> = {},
  { key = keys.current, of = body, header = { alg: 'HS256' } } = {},
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hash = createHash('sha256').update(of).digest('base64url')
  const whole = {
    iss: 'Upstash',
    sub: callbackUrl,
    exp: nowS + 300,
    nbf: nowS,
    iat: nowS,
    jti: 'jwt_1',
    body: `${hash}=`,
  }
  const signed = `${part(header)}.${part({ ...whole, ...claims })}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

async function receive(signature: string | null, text = body, settings: object = {}, method = 'POST') {
  const delivered: OutboxRef[] = []
  const request = new Request('https://elsewhere.example/qstash', {
    method,
    headers: signature === null ? {} : { 'upstash-signature': signature },
    ...(method === 'POST' ? { body: text } : {}),
  })
  const deliver = async (ref: OutboxRef) => void delivered.push(ref)
  const response = await receiveFromQstash(request, {
    keys,
    url: callbackUrl,
    nowMs,
    deadline,
    deliver,
    ...settings,
  })
  return { status: response.status, delivered }
}

describe('a delivery', () => {
  test.each([
    ['the current key', sign()],
    ['the next key', sign({}, { key: keys.next })],
    ['a clock that is a little behind', sign({ nbf: nowS + 20 })],
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
    ['nonsense', 'a.b.c'],
    ['another key', sign({}, { key: 'sig_other' })],
    ['an empty key', sign({}, { key: '' })],
    ['another body', sign({}, { of: '{}' })],
    ['no hash of the body', sign({ body: undefined })],
    ['another URL', sign({ sub: 'https://elsewhere.example/qstash' })],
    ['no URL', sign({ sub: undefined })],
    ['another issuer', sign({ iss: 'Somebody' })],
    ['a time long past', sign({ exp: nowS - 31 })],
    ['no end of its time', sign({ exp: undefined })],
    ['a time to come', sign({ nbf: nowS + 60 })],
    ['no algorithm', unsigned],
    ['another algorithm', sign({}, { header: { alg: 'HS512' } })],
    ['a part too many', `${sign()}.x`],
  ])('signed with %s is refused', async (_, signature) => {
    expect(await receive(signature)).toEqual({ status: 401, delivered: [] })
  })

  test('is refused while the URL or a key is not set', async () => {
    const empty = sign({ sub: '' }, { key: '' })
    expect((await receive(empty, body, { url: '' })).status).toBe(401)
    expect((await receive(empty, body, { keys: { current: '', next: '' } })).status).toBe(401)
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
    await queue().send(refs(250))
    expect(qstash.requests).toHaveLength(3)
    expect(qstash.published).toHaveLength(250)
    expect(qstash.published[249]).toEqual({
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
    for (const misbehaviour of [{ status: 500 }, { status: 307 }, 'reset'] as const) {
      qstash.misbehave.push(misbehaviour)
      await expect(queue().send(refs(1))).rejects.toThrow()
    }
    qstash.misbehave.push('silence')
    await expect(queue(QSTASH_TOKEN, 30).send(refs(1))).rejects.toThrow()
  })
})
