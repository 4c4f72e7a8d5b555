import { beforeAll, describe, expect, test } from 'vitest'
import { posKinds } from '../../domain/pos/index.ts'
import type { StoredRow } from '../../ports/records.ts'
import { customer } from '../../adapters/conformance/pos.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type Page, type TestService } from '../support/services/service.ts'

const PAGE_MAX_BYTES = 4 * 1024 * 1024
const START_MS = Date.parse('2026-01-01T00:00:00Z')

let service: TestService
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  key = await service.addOrganization('acme')
})

/** Reads every page of a path, and checks what must be true of each. */
async function walk(path: string, idField: string, as = key) {
  const pages: { readonly bytes: number; readonly ids: readonly unknown[] }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const separator = path.includes('?') ? '&' : '?'
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    const response = await service.sendUnchecked(`${path}${separator}limit=500${more}`, { key: as })
    const text = await response.text()
    expect(response.status, text.slice(0, 200)).toBe(200)
    const { data, pagination } = JSON.parse(text) as Page
    expect(pagination.limit).toBe(500)
    expect(pagination.hasMore).toBe(pagination.nextCursor !== null)
    pages.push({ bytes: Buffer.byteLength(text), ids: data.map((row) => row[idField]) })
    cursor = pagination.nextCursor
  }
  return pages
}

function id(index: number): string {
  return `row-${String(index).padStart(4, '0')}`
}

function contact(index: number, firstName: string): StoredRow {
  const at = new Date(START_MS + index * 1000).toISOString()
  return {
    contactId: id(index),
    firstName,
    lastName: null,
    email: null,
    phone: null,
    licensePlate: null,
    tags: [],
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    source: null,
    siteId: null,
    createdAt: at,
    emailKey: null,
  }
}

function submission(index: number, note: string): StoredRow {
  const at = new Date(START_MS + index * 1000).toISOString()
  return {
    submissionId: id(index),
    formId: 'form',
    contactId: null,
    answers: { note },
    attribution: {},
    source: 'headless',
    submittedAt: at,
  }
}

describe('a page of large rows ends early, and the walk misses none', () => {
  test('40 submissions of control characters, which are six times as large in JSON', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => submission(index, '\u0001'.repeat(60_000)))
    await service.storage.tenant('acme').upsert('form-submissions', rows)
    for (const path of [
      '/api/v1/forms/submissions',
      '/api/v1/forms/submissions?updatedAfter=2020-01-01T00:00:00Z',
    ]) {
      const pages = await walk(path, 'submissionId')
      expect(pages.flatMap(({ ids }) => ids).toSorted()).toEqual(rows.map((row) => row.submissionId))
      expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(PAGE_MAX_BYTES)
      // Each page is as full as possible: one more row would have exceeded the bound.
      expect(pages.slice(0, -1).every(({ bytes }) => bytes > PAGE_MAX_BYTES - 400_000 - 40_000)).toBe(true)
    }
  })

  test('rows of 1 MB beside ordinary ones, and one that is larger than a page, which is served alone', async () => {
    const large = (index: number) => index % 7 === 0
    const rows = Array.from({ length: 60 }, (_, index) =>
      contact(index, large(index) ? 'é'.repeat(500_000) : 'Ada'),
    )
    const giant = contact(60, '\u0002'.repeat(1_000_000))
    for (const row of [...rows, giant]) await service.storage.tenant('acme').upsert('contacts', [row])
    const pages = await walk('/api/v1/contacts', 'contactId')
    expect(pages.flatMap(({ ids }) => ids)).toEqual([...rows, giant].map((row) => row.contactId).reverse())
    const alone = pages.filter(({ bytes }) => bytes > PAGE_MAX_BYTES)
    expect(alone.map(({ ids }) => ids)).toEqual([[giant.contactId]])
    const detail = await service.sendUnchecked(`/api/v1/contacts/${String(giant.contactId)}`, { key })
    expect(((await detail.json()) as { readonly firstName: string }).firstName).toHaveLength(1_000_000)
  })

  test('an ordinary page is not cut', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => submission(1_000 + index, 'x'.repeat(1_000)))
    const ordinaryKey = await service.addOrganization('ordinary')
    await service.storage.tenant('ordinary').upsert('form-submissions', rows)
    const [first] = await walk(
      '/api/v1/forms/submissions?submittedAfter=2026-01-01T00:10:00Z',
      'submissionId',
      ordinaryKey,
    )
    expect(first?.ids).toHaveLength(500)
  })
})

describe.each(posKinds)('a page of large rows of the point-of-sale source %s', (kind) => {
  test('ends early, and the walk misses none', async () => {
    const organizationId = `shop-${kind.replace('_', '-')}`
    const posSource = { kind, tenant: 'north' }
    const shopKey = await service.addOrganization(organizationId, { posSource })
    // Three pages as JSON, but half a page as the source stores them. Some rows have no time, and come last.
    const rows = Array.from({ length: 16 }, (_, index) =>
      customer(id(index), {
        firstName: '\u0001'.repeat(125_000),
        createdAt: index < 6 ? null : new Date(START_MS + index * 1000).toISOString(),
      }),
    )
    const giant = customer(id(16), { firstName: '\u0002'.repeat(1_000_000) })
    await service.pos.writer(posSource).upsert('pos-customers', [...rows, giant])
    const pages = await walk('/api/v1/pos/customers', 'customerId', shopKey)
    expect(pages.flatMap(({ ids }) => ids).toSorted()).toEqual([...rows, giant].map((row) => row.customerId))
    const alone = pages.filter(({ bytes }) => bytes > PAGE_MAX_BYTES)
    expect(alone.map(({ ids }) => ids)).toEqual([[giant.customerId]])
  })
})
