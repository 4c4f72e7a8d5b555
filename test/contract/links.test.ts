import { beforeAll, describe, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { linkEvents } from '../../domain/resources/link-analytics.ts'
import { links } from '../../domain/resources/links.ts'
import type { StoredRow } from '../../ports/records.ts'
import { link, linkEvent } from '../../adapters/conformance/fixtures.ts'
import { openTestService, type Page, type TestService } from '../support/services/service.ts'

let service: TestService
let key: string

const NOW = '2026-06-15T12:00:00.000Z'

/** An event `daysAgo` days before `NOW`. */
function event(eventId: string, linkId: string, daysAgo: number, changes: StoredRow = {}): StoredRow {
  const occurredAt = new Date(Date.parse(NOW) - daysAgo * 86_400_000).toISOString()
  return { ...linkEvent(eventId, linkId, 0, changes), occurredAt, day: occurredAt.slice(0, 10) }
}

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  service.clock.set(NOW)
  key = await service.addOrganization('mine')
  const tenant = service.storage.tenant('mine')
  const rows = Array.from({ length: 9 }, (_, index) =>
    link(`l-00${index}`, { createdAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString() }),
  )
  await tenant.upsert(links.collection, rows)
  await tenant.upsert(linkEvents.collection, [
    event('e-1', 'l-001', 1, { country: 'US' }),
    event('e-2', 'l-001', 2, { country: 'DE' }),
    event('e-3', 'l-002', 2, { country: 'US' }),
    event('e-4', 'l-002', 2, { event: 'sale', amountCents: 700 }),
    event('e-5', 'l-003', 29, { event: 'lead' }),
    event('e-6', 'l-003', 40),
    event('e-7', 'l-001', -0.4),
  ])
})

async function page(path: string, as = key): Promise<Page> {
  const response = await service.send(path, { key: as })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text], path).toEqual([200, ''])
  return JSON.parse(text) as Page
}

async function fails(path: string, saying: string): Promise<void> {
  const response = await service.send(path, { key })
  const { error } = (await response.json()) as { error: string }
  expect([response.status, error], path).toEqual([400, expect.stringContaining(saying)])
}

describe('sorted links', () => {
  const sorts = ['createdAt', 'clicks', 'lastClickedAt'].flatMap((sortBy) =>
    (['asc', 'desc'] as const).map((sortOrder) => ({ sortBy, sortOrder })),
  )

  test('a cursor is bound to its sort', async () => {
    const cursors = await Promise.all(
      sorts.map(async ({ sortBy, sortOrder }) => {
        const path = `/api/v1/links?sortBy=${sortBy}&sortOrder=${sortOrder}`
        return { path, cursor: String((await page(`${path}&limit=1`)).pagination.nextCursor) }
      }),
    )
    for (const { path, cursor } of cursors) {
      for (const other of cursors) {
        if (other.path === path) await page(`${path}&cursor=${cursor}`)
        else await fails(`${other.path}&cursor=${cursor}`, 'sort')
      }
      await fails(`/api/v1/links?updatedAfter=2000-01-01T00:00:00Z&cursor=${cursor}`, 'sort')
    }
  })

  test.each([
    ['sortBy=leads', 'sortBy must be one of createdAt, clicks, lastClickedAt'],
    ['sortBy=updatedAt', 'sortBy'],
    ['sortBy=__proto__', 'sortBy'],
    ['sortBy=Clicks', 'sortBy'],
    ['sortOrder=up', 'sortOrder must be one of asc, desc'],
    ['sortOrder=DESC', 'sortOrder'],
    ['sortBy=clicks&sortBy=clicks', 'sortBy'],
    ['sortBy=clicks&updatedAfter=2026-01-01T00:00:00Z', 'sortBy cannot be combined'],
    ['sortOrder=asc&updatedBefore=2026-01-01T00:00:00Z', 'sortOrder cannot be combined'],
  ])('refuses %s', (query, saying) => fails(`/api/v1/links?${query}`, saying))

  test('other collections have no sort', async () => {
    await fails('/api/v1/contacts?sortBy=createdAt', '"sortBy"')
    await fails('/api/v1/links/l-001?sortBy=createdAt', '"sortBy"')
  })
})

const START = '2026-05-17T00:00:00.000Z'
const END = '2026-06-16T00:00:00.000Z'

describe('analytics', () => {
  test('cover the last thirty days, today whole, by link or by day', async () => {
    const window = { start: START, end: END }
    const filtersOf = async (path: string) => (await page(path)).filters
    expect(await filtersOf('/api/v1/links/analytics')).toEqual({ groupBy: 'link', ...window })
    expect(await filtersOf('/api/v1/links/l-001/analytics')).toEqual({ groupBy: 'day', ...window })
  })

  test('the window is given in any offset, its start included and its end not', async () => {
    const window = (start: string, end: string) =>
      page(`/api/v1/links/l-001/analytics?start=${encodeURIComponent(start)}&end=${encodeURIComponent(end)}`)
    const inside = await window('2026-06-14T14:00:00+02:00', '2026-06-14T12:00:00.001Z')
    expect(inside.filters).toMatchObject({
      start: '2026-06-14T12:00:00.000Z',
      end: '2026-06-14T12:00:00.001Z',
    })
    expect(inside.data).toHaveLength(1)
    expect((await window('2026-06-14T00:00:00Z', '2026-06-14T12:00:00Z')).data).toEqual([])
    const early = await page('/api/v1/links/analytics?end=0000-01-01T00:00:00.001Z')
    expect(early.filters.start).toBe('0000-01-01T00:00:00.000Z')
  })

  test('page after page, with the window of the first one however late they are read', async () => {
    const path = '/api/v1/links/analytics'
    const whole = await page(path)
    const first = await page(`${path}?limit=1`)
    const cursor = String(first.pagination.nextCursor)
    service.clock.advance(3 * 86_400_000)
    const second = await page(`${path}?limit=1&cursor=${cursor}`)
    expect(second.filters).toEqual(first.filters)
    const third = await page(`${path}?limit=500&cursor=${String(second.pagination.nextCursor)}`)
    expect([...first.data, ...second.data, ...third.data]).toEqual(whole.data)
    expect(third.pagination).toMatchObject({ hasMore: false, limit: 500 })
    await page(`${path}?cursor=${cursor}&groupBy=link&start=${START}&end=${END}`)
    for (const other of ['groupBy=day', 'start=2026-05-17T00:00:00.001Z', 'end=2026-06-17T00:00:00Z'])
      await fails(`${path}?cursor=${cursor}&${other}`, `${String(other.split('=')[0])} must be`)
    service.clock.set(NOW)
  })

  test('a cursor is good for its link, its route and its organization alone', async () => {
    const first = await page('/api/v1/links/l-001/analytics?limit=1')
    const cursor = String(first.pagination.nextCursor)
    for (const path of ['/api/v1/links/l-002/analytics', '/api/v1/links/analytics', '/api/v1/links'])
      await fails(`${path}?cursor=${cursor}`, 'cursor')
    const others = await service.addOrganization('others')
    await service.storage.tenant('others').upsert('links', [link('l-001')])
    const foreign = await service.send(`/api/v1/links/l-001/analytics?cursor=${cursor}`, { key: others })
    expect(foreign.status).toBe(400)
    for (const changed of [cursor.slice(0, -1), `${cursor}A`, 'x', `${cursor}&cursor=${cursor}`])
      await fails(`/api/v1/links/l-001/analytics?cursor=${changed}`, 'cursor')
    const links = String((await page('/api/v1/links?limit=1')).pagination.nextCursor)
    await fails(`/api/v1/links/analytics?cursor=${links}`, 'cursor')
  })

  test('a long value and one of odd characters page as any other', async () => {
    const values = ['\u0000'.repeat(200), '€'.repeat(200), '', '=', 'null']
    const odd = values.map((country, index) => event(`odd-${index}`, 'l-odd', 1, { country }))
    const oddKey = await service.addOrganization('odd')
    await service.storage.tenant('odd').upsert('links', [link('l-odd')])
    await service.storage.tenant('odd').upsert('link-events', odd)
    const seen: unknown[] = []
    for (let cursor = ''; ;) {
      const { data, pagination } = await page(
        `/api/v1/links/l-odd/analytics?groupBy=country&limit=1&cursor=${cursor}`,
        oddKey,
      )
      seen.push(...data.map(({ value }) => value))
      if (pagination.nextCursor === null) break
      cursor = pagination.nextCursor
    }
    expect(seen).toEqual(values.toSorted())
  })

  test.each([
    ['groupBy=hour', 'groupBy must be one of day, link'],
    ['groupBy=constructor', 'groupBy'],
    ['start=2026-06-01', 'start must be an ISO 8601 timestamp'],
    ['end=yesterday', 'end must be'],
    ['start=2026-06-02T00:00:00Z&end=2026-06-02T00:00:00Z', 'end must be later than start'],
    ['start=2030-01-01T00:00:00Z', 'end must be later than start'],
    ['groupBy=day&groupBy=day', 'groupBy'],
    ['sortBy=clicks', '"sortBy"'],
    ['updatedAfter=2026-01-01T00:00:00Z', '"updatedAfter"'],
  ])('refuse %s', (query, saying) => fails(`/api/v1/links/analytics?${query}`, saying))
})

test('nothing failed inside', () => {
  expect(service.errors).toEqual([])
})
