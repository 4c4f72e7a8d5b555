import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Meter } from '../../ports/platform.ts'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { fakeEmail, fakeSms } from '../support/providers/jobs.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

let databases: LocalD1
let service: TestService
let meter: Meter
let key: string
let platformKey: string

beforeAll(async () => {
  databases = await openSharedD1(1)
  const database = await databases.next()
  meter = createMeter()
  const providers = {
    email: fakeEmail().sender,
    sms: fakeSms().sender,
    mail: { domain: 'mail.example.com', brand: 'Brand' },
  }
  service = await openTestService(
    (clock) => createD1Storage({ database, clock, meter }),
    undefined,
    providers,
  )
  key = await service.addOrganization('acme', { slug: 'acme', smsNumber: '+12125550100' })
  platformKey = await service.addPlatformKey()
}, 60_000)

afterAll(() => databases.dispose())

interface Cost {
  readonly status: number
  readonly calls: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

async function cost(
  path: string,
  body: object,
  withKey = key,
  headers: Readonly<Record<string, string>> = {},
): Promise<Cost> {
  const before = { ...meter }
  const response = await service.send(path, { key: withKey, headers, json: body })
  return {
    status: response.status,
    calls: meter.calls - before.calls,
    rowsRead: meter.rowsRead - before.rowsRead,
    rowsWritten: meter.rowsWritten - before.rowsWritten,
  }
}

const email = { subject: 'Hi', html: 'Hi' }
const addresses = Array.from({ length: 500 }, (_, index) => `a${index}@example.com`)

// The fake providers take no time, so no write of the log falls due while sends go on. The tests of `sendToAll` cover
// longer sends: one more write every two seconds.
test.each([1, 10, 500])(
  'an email to %i costs three storage calls: the key, the record beforehand, and the outcomes',
  async (count) => {
    const { status, calls, rowsWritten } = await cost('/api/v1/email', {
      ...email,
      to: addresses.slice(0, count),
    })
    expect([status, calls]).toEqual([200, 3])
    // Each send writes three rows: the send itself, its place in the list, and its outcome.
    expect(rowsWritten).toBeLessThanOrEqual(3 * count)
  },
)

test.each([
  [1, 3],
  [10, 3],
  [500, 12],
])(
  'with an idempotency key, an email to %i costs %i calls, and a repetition two',
  async (count, expected) => {
    const body = { ...email, to: addresses.slice(0, count) }
    const headers = { 'idempotency-key': `key-${count}` }
    const first = await cost('/api/v1/email', body, key, headers)
    expect([first.status, first.calls]).toEqual([200, expected])
    // Besides: the key and its place in the list of those to be forgotten, and how far the request has come.
    expect(first.rowsWritten).toBeLessThanOrEqual(3 * count + expected)
    const again = await cost('/api/v1/email', body, key, headers)
    expect(again).toMatchObject({ status: 200, calls: 2, rowsWritten: 0 })
    expect(again.rowsRead).toBeLessThanOrEqual(count + 20)
  },
)

test('so does a text message, and either with a platform key', async () => {
  const message = { to: '2125550123', body: 'Hi' }
  expect(await cost('/api/v1/message', message)).toMatchObject({ status: 200, calls: 3 })
  expect(await cost('/api/v1/message', message, platformKey)).toMatchObject({ status: 200, calls: 3 })
  expect(await cost('/api/v1/email', { ...email, to: 'a@example.com' }, platformKey)).toMatchObject({
    status: 200,
    calls: 3,
  })
})

test('a refusal costs one call, a mistyped key none', async () => {
  expect(await cost('/api/v1/email', {})).toMatchObject({ status: 400, calls: 1, rowsWritten: 0 })
  expect(await cost('/api/v1/email', {}, `${key}x`)).toMatchObject({ status: 401, calls: 0 })
})
