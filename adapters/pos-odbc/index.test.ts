import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { fakeClock, fakeRandom } from '../../test/support/runner/fakes.ts'
import { createOdbcPosSources, type GatewayOptions } from './index.ts'

const SECRET = 's'.repeat(32)
const one = { kind: 'one', collection: 'pos-customers', select: ['customerId', 'active'], id: 'c1' } as const
const page = {
  kind: 'page',
  collection: 'pos-customers',
  select: ['customerId'],
  where: [],
  order: { field: 'createdAt', idField: 'customerId', direction: 'descending' },
  after: null,
  limit: 1,
} as const

const customer = {
  customerId: 'c1',
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  licensePlates: [],
  active: true,
  homeSiteCode: null,
  lastVisitAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
}

interface SentRequest {
  readonly url: string
  readonly init: RequestInit
}

/** The source over a gateway whose answers are these, in turn: a response, or an error of the connection. */
function open(answers: readonly (Response | Error)[], changes: Partial<GatewayOptions> = {}) {
  const sent: SentRequest[] = []
  const left = [...answers]
  const sources = createOdbcPosSources({
    url: 'https://gateway.example/',
    secret: SECRET,
    fetch(url, init) {
      sent.push({ url, init })
      const next = left.shift() ?? new Error('No answer is left')
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
    },
    clock: fakeClock(),
    random: fakeRandom(),
    deadline: { after: () => new AbortController().signal },
    ...changes,
  })
  return { sent, source: sources.open({ kind: 'odbc_second', tenant: 'lakeside' }) }
}

const nonces = (sent: readonly SentRequest[]) =>
  sent.map(({ init }) => new Headers(init.headers).get('x-gateway-nonce'))

it('asks for what the query says and gives the fields that it selects', async () => {
  const { source, sent } = open([Response.json({ row: customer })])
  expect(await source.one(one)).toEqual({ kind: 'row', row: { customerId: 'c1', active: true } })
  expect(sent[0]?.url).toBe('https://gateway.example/v1/read')
  expect(JSON.parse(sent[0]?.init.body as string)).toEqual({
    source: { kind: 'odbc_second', tenant: 'lakeside' },
    statement: 'pos-customers.one',
    parameters: { id: 'c1' },
  })
})

it('passes on filters, position and limit', async () => {
  const { source, sent } = open([Response.json({ rows: [], next: null })])
  await source.page({
    ...page,
    where: [
      { field: 'emailKey', operator: 'equals', value: 'ada@example.com' },
      { field: 'active', operator: 'equals', value: false },
    ],
    after: { value: null, id: 'c9' },
    limit: 7,
  })
  expect(JSON.parse(sent[0]?.init.body as string)).toMatchObject({
    statement: 'pos-customers.page',
    parameters: {
      filters: { email: 'ada@example.com', active: false },
      after: { value: null, id: 'c9' },
      limit: 7,
    },
  })
})

it('needs the start of a customer’s transactions', () => {
  expect(open([]).source.capabilities).toEqual({ customerTransactionsNeedStart: true })
})

it('tries a broken connection once more, with a signature that nobody has seen', async () => {
  const { source, sent } = open([new TypeError('reset'), Response.json({ row: null })])
  expect(await source.one(one)).toEqual({ kind: 'row', row: null })
  expect(new Set(nonces(sent)).size).toBe(2)
})

it('tries again when the connection breaks within the answer', async () => {
  const broken = new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"row":'))
        controller.error(new Error('reset'))
      },
    }),
  )
  const { source } = open([broken, Response.json({ row: null })])
  expect(await source.one(one)).toEqual({ kind: 'row', row: null })
})

it('gives up after the second time', async () => {
  const { source, sent } = open([
    new TypeError('refused'),
    new TypeError('refused'),
    Response.json({ row: null }),
  ])
  const cause = expect.any(TypeError) as TypeError
  const reason = 'The POS gateway cannot be reached.'
  expect(await source.one(one)).toEqual({ kind: 'unavailable', reason, cause })
  expect(sent).toHaveLength(2)
})

it('does not try again once its time is over', async () => {
  const controller = new AbortController()
  const { source, sent } = open([], {
    deadline: { after: () => controller.signal },
    fetch(url, init) {
      sent.push({ url, init })
      controller.abort()
      return Promise.reject(new Error('aborted'))
    },
  })
  expect(await source.one(one)).toEqual({
    kind: 'unavailable',
    reason: 'The POS gateway did not answer in time.',
    cause: new Error('aborted'),
  })
  expect(sent).toHaveLength(1)
})

it.each<[number, unknown, string]>([
  [404, { error: { code: 'unknown_source', message: 'x' } }, 'no source of this kind and name'],
  [401, { error: { code: 'signature_wrong', message: 'x' } }, 'the two secrets differ'],
  [401, { error: { code: 'timestamp_outside_window', message: 'x' } }, 'a clock is wrong'],
  [502, { error: { code: 'source_unavailable', message: 'x' } }, 'cannot read the source now'],
  [503, { error: { code: 'busy', message: 'x' } }, 'busy'],
  [504, { error: { code: 'deadline_exceeded', message: 'x' } }, 'in time'],
  [400, { error: { code: 'some_new_code', message: 'ada@example.com' } }, 'some_new_code'],
  [500, 'nonsense', 'status 500'],
  [302, null, 'status 302'],
  [530, { error: { code: 'Ada <ada@example.com>', message: 'x' } }, 'status 530'],
])('says what status %d with %j means, once, and nothing that it quotes', async (status, body, reason) => {
  const { source, sent } = open([Response.json(body, { status })])
  const answer = await source.page(page)
  expect(answer).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(reason) as string })
  expect(JSON.stringify(answer)).not.toContain('ada@')
  expect(sent).toHaveLength(1)
})

it.each<[string, unknown]>([
  ['no JSON', '<html>'],
  ['another shape', { row: customer }],
  ['a field too many', { rows: [{ ...customer, ssn: 'x' }], next: null }],
  ['a field too few', { rows: [{ ...customer, active: undefined }], next: null }],
  ['a row that is none', { rows: [null], next: null }],
  ['a position of another form', { rows: [customer], next: { value: '2026-01-01', id: 'c1' } }],
  ['more rows than asked for', { rows: [customer, customer], next: null }],
  ['a position that is none', { rows: [customer], next: { value: 1, id: 'c1' } }],
  ['nothing', null],
])('takes %s for no answer', async (_name, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { source } = open([new Response(text)])
  expect(await source.page(page)).toMatchObject({ kind: 'unavailable' })
})

it('signs what it sends', async () => {
  const { source, sent } = open([Response.json({ row: null })])
  await source.one(one)
  const { url, init } = sent[0] ?? { url: '', init: {} }
  const headers = new Headers(init.headers)
  const hash = async (text: string) =>
    Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex')
  const text = [
    'v1',
    'POST',
    new URL(url).pathname,
    headers.get('x-gateway-timestamp'),
    headers.get('x-gateway-nonce'),
    await hash(init.body as string),
  ].join('\n')
  expect(headers.get('x-gateway-signature')).toBe(
    `v1=${createHmac('sha256', SECRET).update(text).digest('hex')}`,
  )
  expect(headers.get('x-gateway-timestamp')).toBe(String(Date.parse('2026-06-15T12:00:00.000Z')))
  expect(init.redirect).toBe('manual')
})
