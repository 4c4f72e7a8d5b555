import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EmailMessage } from '../../ports/messaging.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import { openResend, RESEND_KEY, resendError } from '../../test/support/providers/providers.ts'
import { untilLate, type Misbehaviour } from '../../test/support/providers/stand-in.ts'
import { createResendSender } from './index.ts'

let resend: Awaited<ReturnType<typeof openResend>>
beforeAll(async () => {
  resend = await openResend()
})
afterAll(() => resend.close())

const message: EmailMessage = {
  from: { name: 'Acme, Inc.', address: 'acme@mail.example.com' },
  to: 'ada@example.com',
  subject: 'Größe 😀',
  html: '<p>Hi</p>',
  text: 'Hi',
  replyTo: 'visitor@example.com',
  attachments: [{ filename: 'a.txt', content: 'aGk=' }],
  isAutomatic: true,
}

function sender(apiKey = RESEND_KEY, limit = AbortSignal.timeout(5_000)) {
  return createResendSender({
    apiKey,
    baseUrl: resend.url,
    fetch,
    deadline: { after: () => limit },
    clock: fakeClock(),
  })
}

let keys = 0
const freshKey = () => `key-${(keys += 1)}`

test('sends what it is given, and nothing of what is absent', async () => {
  const recorded = { organizationId: 'acme', sendId: 'obx_1' }
  const result = await sender().send(message, freshKey(), recorded)
  if (result.kind !== 'accepted') throw new Error(JSON.stringify(result))
  expect(resend.requests.at(-1)?.headers).toMatchObject({
    authorization: `Bearer ${RESEND_KEY}`,
    'content-type': 'application/json',
    'idempotency-key': `key-${keys}`,
    'user-agent': 'tenant-data-api/1.0',
  })
  expect(resend.sent.get(result.providerId ?? '')).toEqual({
    from: '"Acme, Inc." <acme@mail.example.com>',
    to: ['ada@example.com'],
    subject: 'Größe 😀',
    html: '<p>Hi</p>',
    text: 'Hi',
    reply_to: 'visitor@example.com',
    attachments: [{ filename: 'a.txt', content: 'aGk=' }],
    headers: { 'Auto-Submitted': 'auto-generated' },
    tags: [{ name: 'send_1', value: 'WyJhY21lIiwib2J4XzEiXQ' }],
  })
  const bare = { ...message, text: null, replyTo: null, attachments: [], isAutomatic: false }
  const plain = await sender().send(bare, freshKey(), null)
  expect(plain.kind).toBe('accepted')
  expect(Object.keys([...resend.sent.values()].at(-1) ?? {})).toEqual(['from', 'to', 'subject', 'html'])
})

test('the same key is one email, also when the first answer was lost', async () => {
  const key = freshKey()
  const before = resend.sent.size
  resend.misbehave.push('reset_after')
  expect(await sender().send(message, key, null)).toMatchObject({ kind: 'unavailable', throttled: false })
  const second = await sender().send(message, key, null)
  expect(await sender().send(message, key, null)).toEqual(second)
  expect([second.kind, resend.sent.size - before]).toEqual(['accepted', 1])
  // The same idempotency key with another text: the provider has sent the first text already, so the recipient has been
  // notified.
  expect(await sender().send({ ...message, subject: 'New' }, key, null)).toEqual({
    kind: 'accepted',
    providerId: null,
  })
  expect(resend.sent.size - before).toBe(1)
})

/** The status says that the message was accepted; the provider's id of it is lost. */
const unnamed = { kind: 'accepted', providerId: null }

const cases: readonly (readonly [string, Misbehaviour, object])[] = [
  ['a validation error', resendError(422, 'missing_required_field'), { kind: 'refused' }],
  ['a bad request', resendError(400, 'validation_error'), { kind: 'refused' }],
  ['a security error', resendError(451, 'security_error'), { kind: 'refused' }],
  ['a restricted key', resendError(401, 'restricted_api_key'), { kind: 'unavailable', throttled: true }],
  ['an unverified domain', resendError(403, 'validation_error'), { kind: 'unavailable', throttled: true }],
  [
    'a concurrent attempt',
    resendError(409, 'concurrent_idempotent_requests'),
    { kind: 'unavailable', throttled: false },
  ],
  [
    'a rate limit',
    { ...resendError(429, 'rate_limit_exceeded'), headers: { 'retry-after': '7' } },
    { throttled: true, retryAfterMs: 7_000 },
  ],
  [
    'a rate limit that names no time',
    resendError(429, 'rate_limit_exceeded'),
    { throttled: true, retryAfterMs: 1_000 },
  ],
  ['a quota', resendError(429, 'daily_quota_exceeded'), { throttled: true, retryAfterMs: null }],
  ['an internal error', resendError(500, 'application_error'), { kind: 'unavailable', throttled: false }],
  ['a redirect', { status: 307, headers: { location: 'https://example.com/' } }, { kind: 'unavailable' }],
  ['a reset connection', 'reset', { kind: 'unavailable', throttled: false, retryAfterMs: null }],
  ['an answer that is no JSON', 'garbage', { ...unnamed, cause: expect.any(SyntaxError) as Error }],
  ['half an answer', 'truncated', { ...unnamed, cause: expect.any(Error) as Error }],
  ['a slow answer', { delayMs: 50 }, { kind: 'accepted', providerId: expect.any(String) as string }],
]

test.each(cases)('%s', async (_, misbehaviour, expected) => {
  resend.misbehave.push(misbehaviour)
  const result = await sender().send(message, freshKey(), null)
  expect(result).toMatchObject(expected)
  // The provider's own words are never part of the result.
  expect(JSON.stringify(result)).not.toContain('@')
})

test('a wrong key of the account, and a provider that does not answer in time', async () => {
  expect(await sender('re_wrong').send(message, freshKey(), null)).toMatchObject({
    kind: 'unavailable',
    throttled: true,
  })
  resend.misbehave.push('silence')
  expect(await sender(RESEND_KEY, untilLate(resend)).send(message, freshKey(), null)).toMatchObject({
    kind: 'unavailable',
    throttled: false,
  })
})
