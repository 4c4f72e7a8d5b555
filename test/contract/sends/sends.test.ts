import { beforeEach, describe, expect, test } from 'vitest'
import { sendEmail, sendMessage } from '../../support/contract/endpoints.ts'
import { operationsAt } from '../../support/contract/contract-document.ts'
import { requestValidatorOf, validatorOf } from '../../support/contract/contract-validator.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService } from '../../support/services/service.ts'
import {
  email,
  message,
  openSendingService,
  type SendingService,
} from '../../support/services/sending-service.ts'

let service: SendingService['service']
let storage: SendingService['storage']
let post: SendingService['post']
let delivered: SendingService['delivered']
let logged: SendingService['logged']
let key: string
let otherKey: string
let bareKey: string
let platformKey: string

beforeEach(async () => {
  const sending = await openSendingService()
  ;({ service, storage, post, delivered, logged } = sending)
  ;({ key, otherKey, bareKey, platformKey } = sending.keys)
})

const sends = [
  { endpoint: sendMessage, good: message },
  { endpoint: sendEmail, good: email },
] as const

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
      body: `\uFEFF${JSON.stringify({ ...good, organizationId: 'other', sender: 1, constructor: null })}`,
    })
    expect(response.status).toBe(200)
  })

  test('a body of lists in lists, thousands deep, is malformed', async () => {
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const body = `${JSON.stringify(good).slice(0, -1)},"attachments":${nested}}`
    expect((await raw({ key, body })).status).toBe(400)
  })

  test('a misspelt key is refused by its name, wherever it is; other unknown keys are ignored', async () => {
    const item =
      endpoint === sendEmail ? { filename: 'a.txt', content: 'aGk=' } : { url: 'https://a.example/b' }
    const [known = ''] = Object.keys(item)
    const refused: readonly (readonly [object, string])[] = [
      [{ atachments: [item] }, 'atachments: is not a known key. Did you mean attachments?'],
      [{ Attachment: [item] }, 'Attachment: is not a known key. Did you mean attachments?'],
      [{ too: 'x' }, 'too: is not a known key. Did you mean to?'],
      [{ TO: 'x' }, 'TO: is not a known key. Did you mean to?'],
      [
        { attachments: [item, { ...item, [`${known}s`]: 1 }] },
        `attachments.1.${known}s: is not a known key. Did you mean ${known}?`,
      ],
      ...(endpoint === sendEmail
        ? ([
            [{ reply_to: 'a@example.com' }, 'reply_to: is not a known key. Did you mean replyTo?'],
            [{ form: 'acme@mail.example.com' }, 'form: is not a known key. Did you mean from?'],
          ] as const)
        : ([
            [{ useShortCode: true }, 'useShortCode: is not a known key. Did you mean useShortcode?'],
          ] as const)),
    ]
    for (const [changes, problem] of refused) {
      for (const withKey of [key, platformKey]) {
        const { status, body } = await post(endpoint, { ...good, ...changes }, withKey)
        expect([status, body], problem).toEqual([
          400,
          { error: 'Invalid request format', details: [problem] },
        ])
      }
    }
    expect(delivered()).toBe(0)
    for (const name of ['attachmentLists', 'cc', 'bcc', 'toooo', 'sender', 'x'.repeat(99)]) {
      const { status } = await post(endpoint, { ...good, [name]: 1, attachments: [{ ...item, label: 1 }] })
      expect(status, name).toBe(200)
    }
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
