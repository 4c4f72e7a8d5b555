import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SmsMessage } from '../../ports/messaging.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import {
  latestSid,
  openTwilio,
  TWILIO_SID,
  TWILIO_TOKEN,
  twilioError,
} from '../../test/support/providers/providers.ts'
import { untilLate, type Misbehaviour } from '../../test/support/providers/stand-in.ts'
import { createTwilioSender, type SharedOrigin } from './index.ts'

let twilio: Awaited<ReturnType<typeof openTwilio>>
beforeAll(async () => {
  twilio = await openTwilio()
})
afterAll(() => twilio.close())

const message: SmsMessage = {
  from: { kind: 'number', number: '+12125550100' },
  to: '+12125550123',
  body: 'Hi & welcome + 50% off 😀\n=x',
  mediaUrls: [],
}

function sender(
  shared: SharedOrigin = { shortcode: '12345' },
  authToken = TWILIO_TOKEN,
  limit = AbortSignal.timeout(5_000),
) {
  return createTwilioSender({
    accountSid: TWILIO_SID,
    authToken,
    shared,
    baseUrl: twilio.url,
    fetch,
    deadline: { after: () => limit },
    clock: fakeClock(),
  })
}

const last = () => [...(twilio.sent.at(-1) ?? [])]

test('sends from the number, the short code or the messaging service, with media as given', async () => {
  expect(await sender().send(message, 'k')).toEqual({ kind: 'accepted', providerId: latestSid(twilio) })
  expect(last()).toEqual([
    ['To', '+12125550123'],
    ['Body', message.body],
    ['From', '+12125550100'],
  ])
  const mediaUrls = ['https://a.example/1.png?x=1&y=2', 'https://a.example/2.png']
  await sender().send({ ...message, from: { kind: 'shortcode' }, mediaUrls }, 'k')
  expect(last().slice(2)).toEqual([['From', '12345'], ...mediaUrls.map((url) => ['MediaUrl', url])])
  const service = sender({ messagingServiceSid: 'MG1' })
  await service.send({ ...message, from: { kind: 'shortcode' } }, 'k')
  expect(last().slice(2)).toEqual([['MessagingServiceSid', 'MG1']])
  expect([sender().shortcode, service.shortcode, service.capabilities.idempotencyMs]).toEqual([
    '12345',
    'MG1',
    0,
  ])
})

/** The status says that the message was accepted; the provider's id of it is lost. */
const unnamed = { kind: 'accepted', providerId: null }

const cases: readonly (readonly [string, Misbehaviour, object])[] = [
  ['an opt-out', twilioError(400, 21610), { kind: 'refused', reason: 'The recipient has opted out.' }],
  [
    'another refusal',
    twilioError(400, 12345),
    { kind: 'refused', reason: 'The SMS provider refused the message.' },
  ],
  ['a suspended account', twilioError(403, 20005), { kind: 'unavailable', throttled: true }],
  [
    'a rate limit',
    { ...twilioError(429, 20429), headers: { 'retry-after': '3' } },
    { throttled: true, retryAfterMs: 3_000 },
  ],
  ['a rate limit that names no time', twilioError(429, 20429), { throttled: true, retryAfterMs: 1_000 }],
  ['an internal error', twilioError(503, 20500), { kind: 'unavailable', throttled: false }],
  ['a reset connection', 'reset', { kind: 'unavailable', throttled: false }],
  ['a connection that is reset after the work', 'reset_after', { kind: 'unavailable', throttled: false }],
  ['an answer that is no JSON', 'garbage', { ...unnamed, cause: expect.any(SyntaxError) as Error }],
  ['half an answer', 'truncated', { ...unnamed, cause: expect.any(Error) as Error }],
  ['a slow answer', { delayMs: 50 }, { kind: 'accepted', providerId: expect.any(String) as string }],
]

test.each(cases)('%s', async (_, misbehaviour, expected) => {
  twilio.misbehave.push(misbehaviour)
  const result = await sender().send(message, 'k')
  expect(result).toMatchObject(expected)
  expect(JSON.stringify(result)).not.toContain('555')
})

test('a number that is none, a wrong token, and a provider that does not answer in time', async () => {
  expect(await sender().send({ ...message, to: '123' }, 'k')).toMatchObject({ kind: 'refused' })
  expect(await sender(undefined, 'wrong').send(message, 'k')).toMatchObject({
    kind: 'unavailable',
    throttled: true,
  })
  twilio.misbehave.push('silence')
  expect(await sender(undefined, TWILIO_TOKEN, untilLate(twilio)).send(message, 'k')).toMatchObject({
    kind: 'unavailable',
  })
})
