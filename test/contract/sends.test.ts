import { beforeEach, describe, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch-storage.ts'
import { sendEmail, sendMessage } from '../../domain/messaging/endpoints.ts'
import type { SendRecord } from '../../ports/send-log.ts'
import { operationsAt } from '../support/contract-document.ts'
import { requestValidatorOf, validatorOf } from '../support/contract-validator.ts'
import { fakeEmail, fakeSms } from '../support/jobs.ts'
import type { TestService, TestStorage } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

const mail = { domain: 'mail.example.com', brand: 'Brand' }
const message = { to: '+12125550123', body: 'Hi' }
const email = { to: 'ada@example.com', subject: 'Hi', html: '<p>Hi</p>' }
const sends = [
  { endpoint: sendMessage, good: message },
  { endpoint: sendEmail, good: email },
] as const
type SendEndpoint = (typeof sends)[number]['endpoint']

let storage: TestStorage
let service: TestService
let mails: ReturnType<typeof fakeEmail>
let texts: ReturnType<typeof fakeSms>
let key: string
let otherKey: string
let bareKey: string
let platformKey: string

beforeEach(async () => {
  mails = fakeEmail()
  texts = fakeSms()
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })), undefined, {
    email: mails.sender,
    sms: texts.sender,
    mail,
  })
  key = await service.addOrganization('acme', {
    name: 'Acme, Inc.',
    slug: 'acme',
    smsNumber: '+12125550100',
  })
  otherKey = await service.addOrganization('other', {
    name: 'Andere',
    slug: 'other',
    smsNumber: '+4930123456',
    phoneCountry: 'DE',
  })
  bareKey = await service.addOrganization('bare')
  platformKey = await service.addPlatformKey()
})

interface Answer {
  readonly status: number
  readonly body: { readonly success?: boolean; readonly results?: readonly object[]; readonly error?: string }
}

/** Posts JSON and checks the answer against the contract document. */
async function post(endpoint: SendEndpoint, body: unknown, withKey = key): Promise<Answer> {
  const response = await service.send(endpoint.path, {
    method: 'POST',
    key: withKey,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Answer['body']
  expect(validatorOf(endpoint, response.status)(answer)).toEqual([])
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  return { status: response.status, body: answer }
}

const delivered = () => mails.delivered.length + texts.delivered.length
const logged = (owner: string | null): Promise<readonly SendRecord[]> =>
  storage.sends.open(owner).list(null, 1000)

describe.each(sends)('$endpoint.id', ({ endpoint, good }) => {
  const raw = (init: RequestInit & { key?: string }) =>
    service.send(endpoint.path, { method: 'POST', headers: { 'content-type': 'application/json' }, ...init })

  test('its examples are as its schemas say', () => {
    const documented = operationsAt(endpoint.path).find(({ method }) => method === 'POST')
    const isValid = requestValidatorOf(endpoint)
    expect(isValid(documented?.requestBody?.content['application/json']?.example)).toEqual([])
    for (const status of ['200', '207', '400']) {
      const example = documented?.responses[status]?.content?.['application/json']?.example
      expect(validatorOf(endpoint, Number(status))(example), status).toEqual([])
    }
    expect(endpoint.deprecated).toBe(true)
  })

  test.each(['none', 'lower case', 'empty', 'mistyped', 'unknown', 'revoked'])(
    'a key that is %s is refused before anything else is looked at',
    async (kind) => {
      const revoked = await service.addOrganization('acme')
      for (const { keyId } of await storage.administration.listKeys('acme', null, 100)) {
        if (revoked.includes(keyId)) await storage.administration.revokeKey(keyId, '2026-06-15T12:00:00.000Z')
      }
      const headers: Readonly<Record<string, Record<string, string>>> = {
        none: {},
        'lower case': { authorization: `bearer ${key}` },
        empty: { authorization: 'Bearer ' },
        mistyped: { authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
        unknown: { authorization: 'Bearer pk_live_nonsense' },
        revoked: { authorization: `Bearer ${revoked}` },
      }
      for (const method of ['POST', 'GET', 'PUT']) {
        const body = method === 'GET' ? null : '{'
        const response = await service.send(endpoint.path, { method, headers: headers[kind] ?? {}, body })
        expect([response.status, await response.text()]).toEqual([401, '{"error":"Unauthorized"}'])
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
      }
    },
  )

  test('another method is 405, for either kind of key', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const withKey of [key, platformKey]) {
        const response = await service.send(endpoint.path, { method, key: withKey })
        expect([response.status, response.headers.get('allow')], method).toEqual([405, 'POST'])
      }
    }
  })

  test.each<[string, BodyInit | null, Record<string, string>]>([
    ['no body', null, { 'content-type': 'application/json' }],
    ['no JSON', '{', { 'content-type': 'application/json' }],
    ['an array', '[]', { 'content-type': 'application/json' }],
    ['null', 'null', { 'content-type': 'application/json' }],
    ['text', '"x"', { 'content-type': 'application/json' }],
    ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0x7d]), { 'content-type': 'application/json' }],
    ['another type', JSON.stringify(good), { 'content-type': 'text/plain' }],
    ['no type', new TextEncoder().encode(JSON.stringify(good)), {}],
    ['another charset', JSON.stringify(good), { 'content-type': 'application/json; charset=utf-16' }],
    [
      'a compressed body',
      JSON.stringify(good),
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ],
    ['deep nesting', '['.repeat(100_000), { 'content-type': 'application/json' }],
  ])('%s is 400 and says what is wrong', async (_, body, headers) => {
    for (const withKey of [key, platformKey, bareKey]) {
      const response = await raw({ body, headers, key: withKey })
      const answer = (await response.json()) as { details: string[] }
      expect([response.status, validatorOf(endpoint, 400)(answer)]).toEqual([400, []])
      expect(answer.details).toHaveLength(1)
      expect(answer.details[0]).toMatch(/^request: /)
    }
    expect(delivered()).toBe(0)
  })

  test('a body that is too large is 400, whether or not it says so', async () => {
    const large = JSON.stringify({ ...good, padding: 'x'.repeat(4_000_000) })
    const stream = new Blob([large]).stream()
    const declared = await raw({ body: large, key })
    const streamed = await raw({ body: stream, key, duplex: 'half' } as RequestInit)
    for (const response of [declared, streamed]) {
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringMatching(
          /^\{"error":"Invalid request format","details":\["request: must be at most \d+ bytes"\]\}$/,
        ),
      ])
    }
  })

  test('a type with parameters, a byte order mark and unknown keys are accepted', async () => {
    const response = await raw({
      key,
      headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
      body: `\uFEFF${JSON.stringify({ ...good, organizationId: 'other', from_: 1, constructor: null })}`,
    })
    expect(response.status).toBe(200)
  })

  test('a request body that the document refuses is refused', async () => {
    const isValid = requestValidatorOf(endpoint)
    const bodies = [
      {},
      { ...good, to: [] },
      { ...good, to: 5 },
      { ...good, attachments: {} },
      { ...good, to: '' },
    ]
    for (const body of bodies) {
      expect(isValid(body)).not.toEqual([])
      expect((await post(endpoint, body)).status).toBe(400)
    }
    expect(delivered()).toBe(0)
  })

  test('an organization that has nothing to send from is told so, after its body was found good', async () => {
    expect((await post(endpoint, good, bareKey)).status).toBe(422)
    const { status, body } = await post(endpoint, good, bareKey)
    expect([status, body.error]).toEqual([422, expect.stringContaining('not configured for the tenant')])
    expect((await post(endpoint, { ...good, to: [] }, bareKey)).status).toBe(400)
    expect(delivered()).toBe(0)
  })

  test('without a provider nothing is sent, and it is the fault of the service', async () => {
    const bare = await openTestService((clock) => createScratchStorage({ clock }))
    const itsKey = await bare.addOrganization('acme', { slug: 'acme', smsNumber: '+12125550100' })
    const unconfigured = await bare.addOrganization('bare')
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(good),
    }
    const response = await bare.send(endpoint.path, { ...init, key: itsKey })
    const answer = (await response.json()) as { error: string }
    expect([response.status, Object.keys(answer)]).toEqual([500, ['error']])
    expect(answer.error).toMatch(/provider is configured.*Nothing was sent.*req_/)
    expect(bare.errors).toEqual(['no_provider'])
    expect((await bare.send(endpoint.path, { ...init, key: unconfigured })).status).toBe(422)
    expect((await bare.send(endpoint.path, { ...init, key: itsKey, body: '{}' })).status).toBe(400)
  })

  test('everybody failed is 207 too', async () => {
    const { status, body } = await post(endpoint, { ...good, to: ['nobody', ''] })
    expect([status, body.success, body.results]).toEqual([
      207,
      false,
      ['nobody', ''].map((to) => ({ to, success: false, error: expect.any(String) as string })),
    ])
    expect(delivered()).toBe(0)
  })

  test('sends of two organizations and of the operator never mix', async () => {
    for (const withKey of [key, otherKey, platformKey]) {
      expect((await post(endpoint, good, withKey)).status).toBe(200)
    }
    const [mine, theirs, own] = await Promise.all(['acme', 'other', null].map(logged))
    const senders = [mine, theirs, own].map((records) => records?.map(({ from }) => from))
    expect(senders).toEqual(
      endpoint === sendEmail
        ? [
            ['"Acme, Inc." <acme@mail.example.com>'],
            ['Andere <other@mail.example.com>'],
            ['Brand <contact@mail.example.com>'],
          ]
        : [['+12125550100'], ['+4930123456'], ['12345']],
    )
    expect(await logged('bare')).toEqual([])
  })
})

describe('text messages', () => {
  const last = () => texts.delivered.at(-1)?.[1]

  test('are sent from whom the key stands for', async () => {
    await post(sendMessage, message)
    expect(last()).toEqual({
      from: { kind: 'number', number: '+12125550100' },
      to: '+12125550123',
      body: 'Hi',
      mediaUrls: [],
    })
    await post(sendMessage, { ...message, useShortcode: true })
    expect(last()?.from).toEqual({ kind: 'shortcode' })
    expect((await post(sendMessage, { ...message, useShortcode: true }, bareKey)).status).toBe(200)
    await post(sendMessage, { ...message, useShortcode: false }, platformKey)
    expect(last()?.from).toEqual({ kind: 'shortcode' })
  })

  test('reach numbers as they are read in the country of the tenant, in the order of the request', async () => {
    const to = ['212-555-0123', '2125550124', '+12125550123', '555', '+4930123456']
    const { status, body } = await post(sendMessage, { ...message, to })
    const failure = {
      to: '555',
      success: false,
      error: expect.stringContaining('not a valid phone number') as string,
    }
    expect([status, body.results]).toEqual([
      207,
      [
        { to: '+12125550123', success: true },
        { to: '+12125550124', success: true },
        { to: '+12125550123', success: true },
        failure,
        { to: '+4930123456', success: true },
      ],
    ])
    expect(texts.delivered).toHaveLength(3)
    expect((await post(sendMessage, { ...message, to: '3012345678' }, otherKey)).body.results).toEqual([
      { to: '+493012345678', success: true },
    ])
    expect((await post(sendMessage, { ...message, to: '2125550124' }, platformKey)).body.results).toEqual([
      { to: '+12125550124', success: true },
    ])
  })

  test('of which the provider says no name are recorded without one', async () => {
    texts.answers.push({ kind: 'accepted', providerId: null })
    expect((await post(sendMessage, message)).body.results).toEqual([{ to: '+12125550123', success: true }])
    expect((await logged('acme')).map(({ providerId, outcome }) => [providerId, outcome])).toEqual([
      [null, 'accepted'],
    ])
  })

  test('with media are recorded as MMS, with the id of the provider', async () => {
    await post(sendMessage, { ...message, attachments: [{ url: 'https://a.example/1.png' }] })
    expect(last()?.mediaUrls).toEqual(['https://a.example/1.png'])
    expect(await logged('acme')).toEqual([
      {
        sendId: expect.stringMatching(/^snd_\w{22}_000$/) as string,
        channel: 'mms',
        from: '+12125550100',
        to: '+12125550123',
        providerId: 'SM1',
        outcome: 'accepted',
        error: null,
        at: '2026-06-15T12:00:00.000Z',
      },
    ])
  })
})

describe('emails', () => {
  const last = () => mails.delivered.at(-1)?.[1]

  test('are sent as they are asked for, with the id of the provider', async () => {
    const attachments = [
      { filename: 'a.txt', content: 'aGk=' },
      { filename: 'b.png', path: 'https://a.example/b.png' },
    ]
    const full = {
      ...email,
      from: 'Shop <acme@MAIL.example.com>',
      replyTo: 'office@example.com',
      attachments,
    }
    const { body } = await post(sendEmail, full)
    const [sentKey] = mails.delivered.at(-1) ?? []
    expect(body).toEqual({
      success: true,
      results: [{ to: 'ada@example.com', success: true, id: `re_${sentKey}` }],
    })
    expect(last()).toEqual({
      from: { name: 'Shop', address: 'acme@mail.example.com' },
      to: 'ada@example.com',
      subject: 'Hi',
      html: '<p>Hi</p>',
      text: null,
      replyTo: 'office@example.com',
      attachments,
    })
    expect((await logged('acme')).map(({ providerId, channel }) => [providerId, channel])).toEqual([
      [`re_${sentKey}`, 'email'],
    ])
  })

  test.each([
    'acme@mail.example.com@evil.example',
    'Acme <acme@evil.example>',
    'acme@sub.mail.example.com',
    'acme@mail.example.com.',
    'other@mail.example.com',
    'contact@mail.example.com',
    'Acme, Inc. <acme@mail.example.com>',
    'acme@mail.example.com, x@evil.example',
  ])('from %s is 400 with a tenant key, naming what is allowed', async (from) => {
    const { status, body } = await post(sendEmail, { ...email, from })
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('"from: must be acme@mail.example.com, alone or as Name'),
    ])
    expect(delivered()).toBe(0)
  })

  test('a platform key sends from the whole domain, and from no other', async () => {
    expect(
      (await post(sendEmail, { ...email, from: 'News <news@mail.example.com>' }, platformKey)).status,
    ).toBe(200)
    expect(last()?.from).toEqual({ name: 'News', address: 'news@mail.example.com' })
    const refused = await post(sendEmail, { ...email, from: 'news@example.com' }, platformKey)
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: 'Invalid request format',
        details: ['from: must be an address on mail.example.com, alone or as Name <address>'],
      },
    ])
  })

  test('without a mail domain nobody sends, whatever sender is asked for', async () => {
    const service = await openTestService((clock) => createScratchStorage({ clock }), undefined, {
      email: mails.sender,
    })
    const response = await service.send(sendEmail.path, {
      method: 'POST',
      key: await service.addPlatformKey(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...email, from: 'x@evil.example' }),
    })
    expect([response.status, delivered()]).toEqual([500, 0])
  })

  test('without a slug a well-formed sender is 422, a malformed one 400', async () => {
    expect((await post(sendEmail, { ...email, from: 'x@mail.example.com' }, bareKey)).status).toBe(422)
    expect((await post(sendEmail, { ...email, from: 'x' }, bareKey)).status).toBe(400)
  })

  test('half characters are replaced, not refused', async () => {
    const { status } = await post(sendEmail, { ...email, subject: 'Hi \ud83d', html: '\udc00' })
    expect([status, last()?.subject, last()?.html]).toEqual([200, 'Hi \ufffd', '\ufffd'])
  })
})
