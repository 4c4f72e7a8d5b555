import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { toBase64Url, utf8 } from '../../domain/text/encoding.ts'
import type { ReturnedEmail, SendRef } from '../../ports/messaging.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import { tagsOf } from './index.ts'
import { receiveFromResend, sendOfTags } from './receive.ts'

const secret = `whsec_${btoa('0123456789abcdefghijklmn')}`
const clock = fakeClock()
const recorded = { organizationId: 'acme', sendId: 'obx_1' }

function event(type: unknown = 'email.bounced', data: object = {}): string {
  const usual = { email_id: 're_1', to: ['ada@example.com'], tags: asObject(recorded) }
  return JSON.stringify({ type, created_at: '2026-06-15T12:00:00Z', data: { ...usual, ...data } })
}

const asObject = (ref: SendRef) => Object.fromEntries(tagsOf(ref).map(({ name, value }) => [name, value]))

interface Call {
  readonly body?: string | Uint8Array<ArrayBuffer> | null
  readonly headers?: Readonly<Record<string, string | null>>
  readonly method?: string
  readonly returned?: (email: ReturnedEmail) => Promise<boolean>
}

function signed(body: string, atMs = clock.nowMs(), by = secret): Readonly<Record<string, string>> {
  const at = new Date(atMs)
  const signature = new Webhook(by).sign('msg_1', at, body)
  const timestamp = String(Math.floor(atMs / 1_000))
  return { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': signature }
}

async function receive({ body = event(), headers = {}, method = 'POST', returned }: Call = {}) {
  const taken: ReturnedEmail[] = []
  const usual = typeof body === 'string' ? signed(body) : signed('')
  const all = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== null)
  const request = new Request('https://service.example/providers/resend/events', {
    method,
    headers: all as [string, string][],
    ...(method === 'POST' ? { body } : {}),
  })
  const take = async (email: ReturnedEmail) => taken.push(email) > 0
  const deadline = { after: () => AbortSignal.timeout(1_000) }
  const response = await receiveFromResend(request, { secret, clock, deadline, returned: returned ?? take })
  return { status: response.status, taken }
}

describe('an event', () => {
  const good = signed(event())
  const signature = good['svix-signature'] ?? ''
  const error = "The recipient's server returned it."

  test.each<[string, Call]>([
    ['as it is', {}],
    [
      'after signatures of other secrets and versions',
      { headers: { 'svix-signature': `v1,AAAA v2,x ${signature}` } },
    ],
    ['before others', { headers: { 'svix-signature': `${signature} v1,AAAA` } }],
    ['five minutes ago', { headers: signed(event(), clock.nowMs() - 300_000) }],
    ['in five minutes', { headers: signed(event(), clock.nowMs() + 300_000) }],
  ])('signed %s is taken', async (_, call) => {
    const email = { recorded, providerId: 're_1', error }
    expect(await receive(call)).toEqual({ status: 204, taken: [email] })
  })

  test.each<[string, Call]>([
    ['without an id', { headers: { 'svix-id': null } }],
    ['under another id', { headers: { 'svix-id': 'msg_2' } }],
    ['without a time', { headers: { 'svix-timestamp': null } }],
    ['at another time', { headers: { 'svix-timestamp': String(Number(good['svix-timestamp']) + 1) } }],
    ['at no number', { headers: { 'svix-timestamp': 'NaN' } }],
    ['at a number in another spelling', { headers: { 'svix-timestamp': `${good['svix-timestamp']}.0` } }],
    ['without a signature', { headers: { 'svix-signature': null } }],
    ['with an empty signature', { headers: { 'svix-signature': '' } }],
    ['with an empty signature of its version', { headers: { 'svix-signature': 'v1,' } }],
    ['with another version', { headers: { 'svix-signature': signature.replace('v1,', 'v1a,') } }],
    ['with a part of the signature', { headers: { 'svix-signature': signature.slice(0, -1) } }],
    ['with too much of it', { headers: { 'svix-signature': `${signature}=` } }],
    [
      'with another secret',
      { headers: signed(event(), clock.nowMs(), `whsec_${btoa('another secret of it')}`) },
    ],
    ['a moment more than five minutes ago', { headers: signed(event(), clock.nowMs() - 301_000) }],
    ['more than five minutes in the future', { headers: signed(event(), clock.nowMs() + 301_000) }],
    ['for another body', { headers: signed(event('email.complained')) }],
    ['for a body that differs by a space', { body: `${event()} `, headers: good }],
    ['for no body', { body: null, headers: good }],
    ['for bytes that are no text', { body: new Uint8Array([0xff, 0xfe]), headers: good }],
    [
      'by the headers of the standard alone',
      { headers: { 'svix-signature': null, 'webhook-signature': signature } },
    ],
  ])('signed %s is refused', async (_, call) => {
    expect(await receive(call)).toEqual({ status: 401, taken: [] })
  })

  test('of another method, and larger than 64 KiB, is refused', async () => {
    expect(await receive({ method: 'GET' })).toEqual({ status: 405, taken: [] })
    const bare = event('email.bounced', { more: '' })
    const most = event('email.bounced', { more: 'x'.repeat(65_536 - bare.length) })
    expect([(await receive({ body: most })).status, (await receive({ body: `${most} ` })).status]).toEqual([
      204, 413,
    ])
  })

  test.each([
    ['[]', 'null', 'no JSON', '""', '{"type":"email.bounced","data":[]}'],
    [event('email.delivered'), event('constructor'), event(null), event(['email.bounced'])],
    [event('email.bounced', { email_id: 5 }), event('email.bounced', { email_id: '' })],
  ])('that is signed and of no use is taken, so that it does not come again', async (...bodies) => {
    for (const body of bodies)
      expect([body, await receive({ body })]).toEqual([body, { status: 204, taken: [] }])
  })

  test.each([
    ['no tags', undefined],
    ['null', null],
    ['a text', 'send_1'],
    ['other tags', { category: 'x' }],
    ['a value that is no text', { send_1: { toString: 1 } }],
    ['a list of nonsense', [null, 5, [], { name: { toString: 1 } }, { name: 'send_1' }]],
    ['a value that is not encoded', { send_1: 'acme' }],
    ['a value that is no pair', { send_1: toBase64Url(utf8('["acme"]')) }],
    ['a pair of other things', { send_1: toBase64Url(utf8('["acme",5]')) }],
    ['empty ids', { send_1: toBase64Url(utf8('["",""]')) }],
    ['ids that are no text', { send_1: toBase64Url(utf8('["acme","\\ud800"]')) }],
    ['ids that are too long', { send_1: toBase64Url(utf8(JSON.stringify(['a', 'x'.repeat(501)]))) }],
    ['no first tag', { send_2: toBase64Url(utf8('["acme","obx_1"]')) }],
  ])('with %s names no send, and is taken', async (_, tags) => {
    const { status, taken } = await receive({ body: event('email.complained', { tags }) })
    expect([status, taken]).toEqual([
      204,
      [{ recorded: null, providerId: 're_1', error: 'The recipient called it spam.' }],
    ])
  })

  test('that cannot be taken yet is asked for again', async () => {
    expect((await receive({ returned: async () => false })).status).toBe(503)
  })
})

test('tags hold any ids, in the characters that the provider allows, and are read in both shapes', () => {
  const ids = [
    'a',
    'acme',
    'sub_1-2',
    'ä b',
    '"\\[]',
    '😀'.repeat(50),
    'x'.repeat(200),
    '語'.repeat(200),
    'a/b?c=d&e',
  ]
  for (const organizationId of [null, ...ids])
    for (const sendId of ids.map((id) => `obx_${id}_1`)) {
      const tags = tagsOf({ organizationId, sendId })
      for (const { name, value } of tags)
        expect(`${name} ${value}`).toMatch(/^send_\d+ [A-Za-z0-9_-]{1,256}$/)
      expect(tags.length).toBeLessThanOrEqual(75)
      expect(sendOfTags(tags)).toEqual({ organizationId, sendId })
      expect(sendOfTags({ other: 'x', ...asObject({ organizationId, sendId }) })).toEqual({
        organizationId,
        sendId,
      })
    }
})
