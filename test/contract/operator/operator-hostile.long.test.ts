import { beforeAll, describe, expect, test } from 'vitest'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService, type TestStorage } from '../../support/services/service.ts'
import { thorough } from '../../support/runner/thorough.ts'

// Whatever an operator sends, the answer is one that the document describes, and none is an internal error.

let service: TestService
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  key = await service.addOperatorKey('admin')
  await service.addOrganization('acme')
})

const json = { 'content-type': 'application/json' }
const long = 'a'.repeat(5_000)
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

/** Bodies that every operation refuses. */
const bodies: readonly (readonly [string, RequestInit])[] = [
  ['nothing', {}],
  ['no JSON', { body: 'name=Acme', headers: json }],
  ['half of an object', { body: '{"name":"A', headers: json }],
  ['an array', { body: '[]', headers: json }],
  ['null', { body: 'null', headers: json }],
  ['a number', { body: '1e999', headers: json }],
  ['deep nesting', { body: deep, headers: json }],
  [
    'many keys',
    {
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n, n]))),
      headers: json,
    },
  ],
  ['more than it may be', { body: JSON.stringify({ name: 'a'.repeat(2_000_000) }), headers: json }],
  ['bytes that are no text', { body: new Uint8Array([0xff, 0xfe, 0x00]), headers: json }],
  ['another type', { body: '<name/>', headers: { 'content-type': 'application/xml' } }],
  ['a form', { body: new URLSearchParams({ name: 'Acme' }) }],
  ['a compressed body', { body: 'x', headers: { ...json, 'content-encoding': 'gzip' } }],
]

/** Values for every key that some operation accepts. No operation accepts any of these values. */
const values: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\u0000',
  '\ud800',
  long,
  [],
  [[]],
  {},
  { a: { b: 1 } },
]
const known = [
  'name',
  'slug',
  'parentId',
  'posSource',
  'operator',
  'role',
  'expiresAt',
  'label',
  'scope',
  'overlap',
  'forms',
]

/** Each key has every third of the values, and each value some of the keys. */
const EVERY = thorough(1, 3)

const queries = [
  'cursor=x',
  'cursor=AAAA',
  `cursor=${long}`,
  'cursor=%00',
  'cursor=%F0%9F',
  'cursor=a&cursor=b',
  'limit=0',
  'limit=-1',
  'limit=1e9',
  'limit=a&limit=b',
  'organizationId=%00',
  `organizationId=${long}`,
  'organizationId=a&organizationId=b',
  '__proto__=1',
  'constructor=1',
  '%',
]

const ids = [
  'acme',
  'nobody',
  '%00',
  '%',
  '..',
  '__proto__',
  'constructor',
  encodeURIComponent("';drop table audit"),
  long,
  '🎈',
]

const pathOf = ({ path }: Endpoint, id: string) => path.replaceAll(/\{\w+\}/g, id)

async function statusOf(path: string, init: RequestInit): Promise<number> {
  return (await service.send(path, { ...init, key })).status
}

const named = (of: readonly Endpoint[]) => of.map((endpoint) => ({ id: endpoint.id, endpoint }))
const posting = operatorEndpoints.filter(({ method }) => method === 'POST')
const keyed = operatorEndpoints.filter(({ access }) => access !== 'public')

describe.each(named(operatorEndpoints))('$id', ({ endpoint }) => {
  const { method } = endpoint

  test('bears any path and any query', async () => {
    const init = method === 'GET' ? { method } : { method, body: '{}', headers: json }
    const urls = [
      ...ids.map((id) => pathOf(endpoint, id)),
      ...queries.map((query) => `${pathOf(endpoint, 'nobody')}?${query}`),
    ]
    for (const url of urls) expect([url.slice(0, 80), await statusOf(url, init)]).not.toContain(500)
  })
})

describe.each(named(posting))('$id', ({ endpoint }) => {
  const { method } = endpoint

  test('bears any body', async () => {
    const path = pathOf(endpoint, 'nobody')
    for (const [what, init] of bodies) {
      const status = await statusOf(path, { method, ...init })
      expect([what, status]).not.toContain(500)
      if (endpoint.kind === 'operation' && endpoint.body !== null) expect([what, status]).toEqual([what, 400])
    }
    for (const [index, name] of known.entries())
      for (const value of values.filter((_, nth) => (nth + index) % EVERY === 0)) {
        const body = JSON.stringify({ [name]: value })
        expect([body.slice(0, 80), await statusOf(path, { method, body, headers: json })]).not.toContain(500)
      }
  })
})

describe.each(named(keyed))('$id', ({ endpoint }) => {
  const { method } = endpoint

  test('answers 500 when storage is lost: one sentence', async () => {
    const lost = await openTestService((clock) => without(createScratchStorage({ clock })))
    const response = await lost.send(pathOf(endpoint, 'some-id'), {
      method,
      key: await lost.addOperatorKey('admin'),
      ...(method === 'GET' ? {} : { body: '{}', headers: json }),
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([
      500,
      expect.stringContaining(String(response.headers.get('x-request-id'))),
    ])
    expect(text).not.toMatch(/D1_ERROR|_live_/)
    expect(lost.errors).toHaveLength(1)
  })
})

test('nothing of all that was a failure of the service', () => {
  expect(service.errors).toEqual([])
})

/** Storage that becomes unreachable once its keys are stored. */
function without(storage: TestStorage): TestStorage {
  const fail = () =>
    Promise.reject(new Error('D1_ERROR: Network connection lost while reading ok_live_secret.'))
  return { ...storage, operatorKeys: { ...storage.operatorKeys, prove: fail } }
}
