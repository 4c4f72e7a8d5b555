import { beforeEach, describe, expect, test } from 'vitest'
import { readKey, crc32 } from '../../../domain/access/keys.ts'
import { toBase62, utf8 } from '../../../domain/text/encoding.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { addSampleOrganization, samplePath } from '../../support/data/sample-organization.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

const keyed: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')
const CONTACTS = '/api/v1/contacts'

let service: TestService
let storage: ScratchStorage

beforeEach(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
})

interface Seen {
  readonly status: number
  readonly rate: readonly (string | null)[]
  readonly calls: number
}

async function seen(path: string, key: string, method = 'GET'): Promise<Seen> {
  const before = storage.meter.calls
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const { status, headers } = await service.send(path, { method, key, ...body })
  const rate = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name))
  return { status, rate, calls: storage.meter.calls - before }
}

function forged(good: string): string {
  const unchecked = `${good.slice(0, -34)}${'0'.repeat(28)}`
  return `${unchecked}${toBase62(crc32(utf8(unchecked)), 6)}`
}

describe.each(keyed.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  test('answers 429 beyond the rate of its key, in one storage call, and says what is left before', async () => {
    const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
    await addSampleOrganization(service, 'acme', 'm-', 1, able)
    const path = samplePath(endpoint, (field) => `m-${field}-0`)
    for (const organizationId of endpoint.access === 'tenant' ? ['acme'] : ['acme', null]) {
      const key = await service.addKey({ organizationId, ratePerMinute: 2 })
      const policy = '"minute";q=2;w=60'
      const first = await seen(path, key, endpoint.method)
      expect(first).toMatchObject({ rate: [policy, '"minute";r=1;t=60', null] })
      service.clock.advance(500)
      const second = await seen(path, key, endpoint.method)
      expect(second).toMatchObject({ status: first.status, rate: [policy, '"minute";r=0;t=60', null] })
      expect(first.status).toBe(endpoint.method === 'POST' ? 400 : 200)
      service.clock.advance(10_000)
      const third = await seen(path, key, endpoint.method)
      expect(third).toEqual({ status: 429, rate: [policy, '"minute";r=0;t=50', '50'], calls: 1 })
      service.clock.advance(50_000)
      expect((await seen(path, key, endpoint.method)).status).toBe(first.status)
    }
  })
})

test('a key without a rate gets none of the headers, however many requests it sends', async () => {
  const key = await service.addOrganization('acme')
  // An isolate that has not seen the key proven asks the directory once more.
  await seen(CONTACTS, key)
  for (let index = 0; index < 50; index += 1)
    expect(await seen(CONTACTS, key)).toEqual({ status: 200, rate: [null, null, null], calls: 1 })
})

test('every request of a proven key counts, whatever becomes of it', async () => {
  await service.addOrganization('acme')
  const key = await service.addKey({ organizationId: 'acme', ratePerMinute: 6, scope: 'read' })
  const statuses = []
  for (const [path, method] of [
    [`${CONTACTS}?nonsense=1`, 'GET'],
    [`${CONTACTS}/none`, 'GET'],
    [CONTACTS, 'HEAD'],
    [CONTACTS, 'DELETE'],
    ['/api/v1/message', 'POST'],
    [`${CONTACTS}?phone=212-555-0100`, 'GET'],
    [CONTACTS, 'GET'],
    ['/api/v1/message', 'POST'],
    [CONTACTS, 'DELETE'],
  ] as const) {
    const { status, rate } = await seen(path, key, method)
    statuses.push([status, rate[1]])
  }
  expect(statuses).toEqual([
    [400, '"minute";r=5;t=60'],
    [404, '"minute";r=4;t=60'],
    [200, '"minute";r=3;t=60'],
    [405, '"minute";r=2;t=60'],
    [401, '"minute";r=1;t=60'],
    [200, '"minute";r=0;t=60'],
    [429, '"minute";r=0;t=60'],
    [429, '"minute";r=0;t=60'],
    [429, '"minute";r=0;t=60'],
  ])
})

test('a forged key of the same id, and a revoked one, take nothing of the budget and learn nothing of it', async () => {
  await service.addOrganization('acme')
  for (const organizationId of ['acme', null]) {
    const key = await service.addKey({ organizationId, ratePerMinute: 3 })
    const send = (with_: string) => seen('/api/v1/email', with_, 'POST')
    // Once the key is proven, the isolate knows its id.
    expect((await send(key)).rate[1]).toBe('"minute";r=2;t=60')
    for (let index = 0; index < 5; index += 1)
      expect(await send(forged(key))).toEqual({ status: 401, rate: [null, null, null], calls: 1 })
    expect((await send(key)).rate[1]).toBe('"minute";r=1;t=60')
    expect((await send(key)).rate[1]).toBe('"minute";r=0;t=60')
    expect(await send(forged(key))).toEqual({ status: 401, rate: [null, null, null], calls: 1 })
    expect((await send(key)).status).toBe(429)
    await service.storage.administration.revokeKey(readKey(key)?.keyId ?? '', '2026-06-15T12:00:00.000Z')
    expect(await send(key)).toEqual({ status: 401, rate: [null, null, null], calls: 1 })
  }
})

test('of a burst at the same moment as many are answered as the rate allows', async () => {
  await service.addOrganization('acme')
  const key = await service.addKey({ organizationId: 'acme', ratePerMinute: 20 })
  const answers = await Promise.all(Array.from({ length: 50 }, () => seen(CONTACTS, key)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30)
})

test('two instances of the service count apart', async () => {
  await service.addOrganization('acme')
  const key = await service.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  const other = await openTestService(() => storage)
  const statuses = async (at: TestService) => [
    (await at.send(CONTACTS, { key })).status,
    (await at.send(CONTACTS, { key })).status,
  ]
  expect([await statuses(service), await statuses(other)]).toEqual([
    [200, 429],
    [200, 429],
  ])
})

test('nothing is written for a rate, and the log names the key that was refused', async () => {
  await service.addOrganization('acme')
  const key = await service.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  const image = () => Buffer.from(storage.database.image()).toString('base64')
  const before = image()
  for (let index = 0; index < 3; index += 1) await seen(CONTACTS, key)
  await service.settled()
  expect(image()).toBe(before)
  const lines = service.logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(lines.map(({ status, keyId }) => [status, keyId])).toEqual(
    [200, 429, 429].map((status) => [status, readKey(key)?.keyId]),
  )
})
