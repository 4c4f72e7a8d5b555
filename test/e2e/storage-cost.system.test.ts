import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meter } from '../../ports/platform.ts'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import { formSubmissions } from '../../domain/resources/form-submissions.ts'
import { forms } from '../../domain/resources/forms.ts'
import { sites } from '../../domain/resources/sites.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

const CONTACTS = 6_000
let databases: LocalD1
let service: TestService
let key: string
let meter: Meter

beforeAll(async () => {
  databases = await openSharedD1(1)
  const database = await databases.next()
  meter = createMeter()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  key = await service.addOrganization('acme')
  await service.addOrganization('other')
  for (const organizationId of ['acme', 'other']) {
    const tenant = service.storage.tenant(organizationId)
    const rows = Array.from({ length: CONTACTS }, (_, index) => sampleRow(contacts, index))
    await tenant.upsert('contacts', rows)
  }
  const tenant = service.storage.tenant('acme')
  for (const resource of [sites, forms, formSubmissions]) {
    await tenant.upsert(
      resource.collection,
      Array.from({ length: 150 }, (_, index) => sampleRow(resource, index)),
    )
  }
}, 60_000)

afterAll(() => databases.dispose())

interface Cost {
  readonly status: number
  readonly calls: number
  readonly rowsRead: number
  readonly body: { readonly data: unknown[]; readonly pagination: { readonly nextCursor: string | null } }
}

async function cost(path: string, withKey = key): Promise<Cost> {
  const before = { ...meter }
  const response = await service.send(path, { key: withKey })
  const body = (await response.json()) as Cost['body']
  return {
    status: response.status,
    calls: meter.calls - before.calls,
    rowsRead: meter.rowsRead - before.rowsRead,
    body,
  }
}

describe('a read is one storage call', () => {
  test.each([
    ['/api/v1/sites', 100],
    ['/api/v1/contacts', 100],
    ['/api/v1/contacts?limit=500', 500],
    ['/api/v1/contacts?updatedAfter=2000-01-01T00:00:00Z', 100],
    ['/api/v1/contacts?createdBefore=2025-12-20T00:00:00Z', 100],
    ['/api/v1/forms', 100],
    ['/api/v1/contacts?phone=%2B12125551007', 1],
  ])('%s reads at most its rows and five more', async (path, rows) => {
    const { status, calls, rowsRead, body } = await cost(path)
    expect([status, calls, body.data.length]).toEqual([200, 1, rows])
    expect(rowsRead).toBeLessThanOrEqual(rows + 5)
  })

  test.each(['/api/v1/forms/submissions', '/api/v1/forms/formId-1/submissions?limit=50'])(
    '%s reads each row and its form',
    async (path) => {
      const { status, calls, rowsRead, body } = await cost(path)
      expect([status, calls]).toEqual([200, 1])
      expect(rowsRead).toBeLessThanOrEqual(2 * body.data.length + 6)
    },
  )

  test('a detail', async () => {
    const { status, calls, rowsRead } = await cost('/api/v1/contacts/contactId-77')
    expect([status, calls]).toEqual([200, 1])
    expect(rowsRead).toBeLessThanOrEqual(5)
  })

  test('a refusal', async () => {
    expect(await cost('/api/v1/contacts?nonsense=1')).toMatchObject({ status: 400, calls: 1 })
    expect(await cost('/api/v1/contacts/none')).toMatchObject({ status: 404, calls: 1 })
  })

  test('a mistyped key costs nothing', async () => {
    expect(await cost('/api/v1/contacts', `${key.slice(0, -1)}-`)).toMatchObject({
      status: 401,
      calls: 0,
      rowsRead: 0,
    })
  })
})

test("a national phone number costs a second call, for the organization's country", async () => {
  const { status, calls, body } = await cost('/api/v1/contacts?phone=(212)%20555-1007')
  expect([status, calls, body.data.length]).toEqual([200, 2, 1])
})

test('page 1 and page 50 read the same number of rows, give or take one', async () => {
  const rowsRead: number[] = []
  let cursor = ''
  for (let page = 1; page <= 50; page += 1) {
    const { status, rowsRead: read, body } = await cost(`/api/v1/contacts?limit=100&cursor=${cursor}`)
    expect(status).toBe(200)
    rowsRead.push(read)
    cursor = body.pagination.nextCursor ?? ''
  }
  expect(Math.abs((rowsRead[0] ?? 0) - (rowsRead[49] ?? 99))).toBeLessThanOrEqual(1)
})

test('a key revoked a moment ago gets nothing, with a cursor in its hand too', async () => {
  service.clock.advance(1)
  const doomed = await service.addOrganization('acme')
  const { body } = await cost('/api/v1/contacts?limit=1', doomed)
  const keys = await service.storage.administration.listKeys('acme', null, 100)
  const newest = keys.at(-1)
  await service.storage.administration.revokeKey(newest?.keyId ?? '', '2026-06-15T12:00:00.000Z')
  const revoked = await cost(`/api/v1/contacts?cursor=${String(body.pagination.nextCursor)}`, doomed)
  expect(revoked).toMatchObject({
    status: 401,
    calls: 1,
    body: { error: 'Unauthorized. Send the header Authorization: Bearer ck_live_…' },
  })
})
