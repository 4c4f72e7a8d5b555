import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SqliteStorage } from '../../adapters/sqlite/index.ts'
import { issueKey, readKey } from '../../domain/access/keys.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import type { SendRecord } from '../../ports/messaging.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { testRootSecret } from '../support/runner/fakes.ts'
import { openLiveWorkerWithProviders } from '../support/services/live-service.ts'
import { resendError, twilioError, type ResendEmail } from '../support/providers/providers.ts'
import type { Misbehaviour } from '../support/providers/stand-in.ts'

const RECIPIENTS = 500
/** More records than these tests create. */
const RECORDS_MAX = 5_000

let live: Awaited<ReturnType<typeof openLiveWorkerWithProviders>>
let resend: typeof live.resend
let twilio: typeof live.twilio
let origin: string
let storage: SqliteStorage
let key: string
let platformKey: string

beforeAll(async () => {
  live = await openLiveWorkerWithProviders()
  ;({ resend, twilio, origin, storage } = live)
  const settings = { name: 'Acme', slug: 'acme', smsNumber: '+12125550100' }
  await storage.administration.saveOrganization(organization('acme', settings))
  key = await newKey('acme')
  platformKey = await newKey(null)
})
afterAll(() => live.close())
afterEach(() => {
  resend.treat = () => null
  twilio.treat = () => null
})

async function newKey(organizationId: string | null, ratePerMinute: number | null = null): Promise<string> {
  const secrets = await openSecrets(testRootSecret(), null)
  const issued = await issueKey({ organizationId, ratePerMinute }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(issued.stored)
  return issued.key
}

type Result = {
  readonly to: string
  readonly success: boolean
  readonly id?: string
  readonly error?: string
}

interface Answer {
  readonly status: number
  readonly success: boolean
  readonly results: readonly Result[]
}

async function post(path: string, body: object, init: RequestInit & { key?: string } = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${init.key ?? key}`, 'content-type': 'application/json' }
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...init,
  })
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
}

/**
 * Returns a function that reads the sends recorded since this call, for an organization or for the operator (null),
 * newest first.
 */
async function recordsFromNow(owner: string | null = 'acme'): Promise<() => Promise<readonly SendRecord[]>> {
  const all = () => storage.sends.open(owner).list(null, RECORDS_MAX)
  const before = new Set((await all()).map(({ sendId }) => sendId))
  return async () => (await all()).filter(({ sendId }) => !before.has(sendId))
}

const email = { subject: 'Hi', html: '<p>Hi</p>' }
const mailOf = (body: string) => JSON.parse(body) as ResendEmail
const numberOf = (index: number) => `+1212555${String(1000 + index)}`

describe('500 recipients, three of whom fail in different ways', () => {
  test('by email', async () => {
    const to = Array.from({ length: RECIPIENTS }, (_, index) => `a${index}@example.com`)
    const failing = new Map<string | undefined, Misbehaviour>([
      ['a3@example.com', resendError(422, 'validation_error')],
      ['a250@example.com', 'reset'],
      ['a499@example.com', resendError(429, 'daily_quota_exceeded')],
    ])
    resend.treat = ({ body }) => failing.get(mailOf(body).to[0]) ?? null
    const before = { sent: resend.sent.size, requests: resend.requests.length }
    const recorded = await recordsFromNow()
    const { status, success, results } = await post('/api/v1/email', { ...email, to })
    expect([status, success, results.map((result) => result.to)]).toEqual([207, false, to])
    const failures = results.filter((result) => !result.success)
    expect(failures.map((failure) => [failure.to, failure.error])).toEqual([
      ['a3@example.com', 'The email provider refused the message.'],
      ['a250@example.com', 'The email provider did not answer. The message may or may not have been sent.'],
      ['a499@example.com', 'The email provider asked for patience. Not sent.'],
    ])
    const sent = [...resend.sent.entries()].slice(before.sent)
    expect(sent.map(([, mail]) => mail.to[0]).sort()).toEqual(
      to.filter((address) => !failures.some((failure) => failure.to === address)).sort(),
    )
    const ids = new Map(sent.map(([id, mail]) => [mail.to[0], id]))
    expect(
      results.filter((result) => result.success).every((result) => ids.get(result.to) === result.id),
    ).toBe(true)
    // The lost message was tried three times with one key, every other once.
    expect(resend.requests.length - before.requests).toBe(RECIPIENTS + 2)
    expect(resend.widest()).toBeLessThanOrEqual(6)
    const records = await recorded()
    expect(records).toHaveLength(RECIPIENTS)
    expect(new Map(records.map((record) => [record.to, record.providerId ?? record.error]))).toEqual(
      new Map(results.map((result) => [result.to, result.id ?? result.error])),
    )
  })

  test('by SMS', async () => {
    const to = Array.from({ length: RECIPIENTS }, (_, index) => numberOf(index))
    const failing = new Map<string | null, Misbehaviour>([
      [numberOf(7), twilioError(400, 21610)],
      [numberOf(8), 'reset_after'],
      [numberOf(499), twilioError(401, 20003)],
    ])
    twilio.treat = ({ body }) => failing.get(new URLSearchParams(body).get('To')) ?? null
    const before = { sent: twilio.sent.length, requests: twilio.requests.length }
    const recorded = await recordsFromNow()
    const { status, results } = await post('/api/v1/message', { to, body: 'Hi' })
    expect([status, results.map((result) => result.to)]).toEqual([207, to])
    expect(results.filter((result) => !result.success)).toEqual([
      { to: numberOf(7), success: false, error: 'The recipient has opted out.' },
      {
        to: numberOf(8),
        success: false,
        error: 'The SMS provider did not answer. The message may or may not have been sent.',
      },
      { to: numberOf(499), success: false, error: 'The SMS provider refused the account. Not sent.' },
    ])
    // 497 recipients, and the one whose message was accepted before the connection broke. Nobody got it twice.
    const sentTo = twilio.sent.slice(before.sent).map((form) => form.get('To'))
    expect([sentTo.length, new Set(sentTo).size]).toEqual([498, 498])
    expect(twilio.requests.length - before.requests).toBe(RECIPIENTS)
    expect(twilio.widest()).toBeLessThanOrEqual(6)
    const records = await recorded()
    expect(records.map(({ channel }) => channel)).toEqual(to.map(() => 'sms'))
    expect(records.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(497)
  })
})

test('a provider takes what it is given: text in any script, media, attachments', async () => {
  const attachments = [
    { filename: 'größe 😀.txt', content: 'aGk=' },
    { filename: 'b', path: 'https://a.example/b?x=1&y=2' },
  ]
  const recorded = await recordsFromNow()
  const full = { to: 'ada@example.com', subject: '“Größe” 😀 & <b>', html: '<p>“ü” & 😀</p>', attachments }
  const { status } = await post('/api/v1/email', { ...full, from: '"Ä, B" <acme@mail.example.com>' })
  expect([status, [...resend.sent.values()].at(-1)]).toEqual([
    200,
    {
      ...full,
      to: ['ada@example.com'],
      from: '"Ä, B" <acme@mail.example.com>',
      tags: [{ name: 'send_1', value: expect.stringMatching(/^[\w-]+$/) as string }],
    },
  ])
  const media = {
    to: '212-555-0123',
    body: 'a=1&b=2 +%\n😀',
    attachments: [{ url: 'https://a.example/1?x=1&y' }],
  }
  expect((await post('/api/v1/message', { ...media, useShortcode: true })).status).toBe(200)
  expect([...(twilio.sent.at(-1) ?? [])]).toEqual([
    ['To', '+12125550123'],
    ['Body', media.body],
    ['From', '12345'],
    ['MediaUrl', 'https://a.example/1?x=1&y'],
  ])
  expect((await recorded()).map(({ channel, from }) => [channel, from])).toEqual([
    ['mms', '12345'],
    ['email', '"Ä, B" <acme@mail.example.com>'],
  ])
})

test('a platform key sends in the name of the operator, and is recorded there', async () => {
  const [recorded, ofTenant] = [await recordsFromNow(null), await recordsFromNow()]
  const { status } = await post('/api/v1/email', { ...email, to: 'ada@example.com' }, { key: platformKey })
  expect(status).toBe(200)
  expect([...resend.sent.values()].at(-1)?.from).toBe('Example Platform <contact@mail.example.com>')
  expect((await post('/api/v1/message', { to: '2125550123', body: 'Hi' }, { key: platformKey })).status).toBe(
    200,
  )
  expect(twilio.sent.at(-1)?.get('From')).toBe('12345')
  expect((await recorded()).map(({ channel, from }) => [channel, from])).toEqual([
    ['sms', '12345'],
    ['email', 'Example Platform <contact@mail.example.com>'],
  ])
  expect(await ofTenant()).toEqual([])
})

test('two tenants and the operator send at once, and nothing of one is seen of another', async () => {
  const settings = { name: 'Other', slug: 'other', smsNumber: '+12125550199' }
  await storage.administration.saveOrganization(organization('other', settings))
  const otherKey = await newKey('other')
  const before = twilio.sent.length
  const recorded = await Promise.all(['acme', 'other', null].map((owner) => recordsFromNow(owner)))
  const to = Array.from({ length: 40 }, (_, index) => numberOf(index))
  const rounds = [key, otherKey, platformKey, key, otherKey, platformKey]
  const answers = await Promise.all(
    rounds.map((withKey, index) => post('/api/v1/message', { to, body: `Round ${index}` }, { key: withKey })),
  )
  expect(answers.map(({ status, results }) => [status, results.map((result) => result.to)])).toEqual(
    rounds.map(() => [200, to]),
  )
  const senders = ['+12125550100', '+12125550199', '12345']
  const sent = twilio.sent
    .slice(before)
    .map((form) => `${form.get('From')} ${form.get('Body')} ${form.get('To')}`)
  const expected = rounds.flatMap((_, index) =>
    to.map((number) => `${senders[index % 3]} Round ${index} ${number}`),
  )
  expect(sent.sort()).toEqual(expected.sort())
  for (const [index, records] of (await Promise.all(recorded.map((read) => read()))).entries()) {
    expect(records.map(({ from }) => from)).toEqual(Array.from({ length: 80 }, () => senders[index]))
  }
})

test('a rate limit is waited for, and what was lost after it was taken is sent once', async () => {
  const before = resend.sent.size
  resend.misbehave.push(
    { ...resendError(429, 'rate_limit_exceeded'), headers: { 'retry-after': '1' } },
    'reset_after',
    resendError(500, 'application_error'),
  )
  const to = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com', 'e@example.com']
  const { status, results } = await post('/api/v1/email', { ...email, to })
  expect([status, results.every(({ success }) => success)]).toEqual([200, true])
  const sent = [...resend.sent.entries()].slice(before)
  expect(sent.map(([, mail]) => mail.to[0]).sort()).toEqual(to)
  expect(results.map(({ id }) => id).sort()).toEqual(sent.map(([id]) => id).sort())
})

test('what was sent to a caller who has hung up is recorded all the same', async () => {
  twilio.treat = () => ({ delayMs: 300 })
  const before = twilio.requests.length
  const recorded = await recordsFromNow()
  const hangUp = new AbortController()
  const to = Array.from({ length: 30 }, (_, index) => numberOf(index))
  const request = post('/api/v1/message', { to, body: 'Hung up' }, { key, signal: hangUp.signal })
  const refused = expect(request).rejects.toThrow('aborted')
  await expect.poll(() => twilio.requests.length - before, { timeout: 60_000 }).toBeGreaterThan(6)
  hangUp.abort()
  await refused
  const accepted = async () => (await recorded()).filter(({ outcome }) => outcome === 'accepted')
  await expect.poll(async () => (await accepted()).length, { timeout: 60_000 }).toBe(30)
  expect(twilio.requests.length - before).toBe(30)
})

test('the worker remembers from one request to the next what a key has used of its rate, and notes the use', async () => {
  const limited = await newKey('acme', 3)
  const read = () =>
    fetch(`${origin}/api/v1/contacts?limit=1`, { headers: { authorization: `Bearer ${limited}` } })
  const answers = await Promise.all(Array.from({ length: 8 }, read))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
  expect(refused?.headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60')
  const keyId = readKey(limited)?.keyId ?? ''
  const used = async () => (await storage.administration.findKey(keyId))?.lastUsedAt ?? null
  await expect.poll(used, { timeout: 60_000 }).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/)
})
