import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDubLinks } from '../../adapters/links-dub/index.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import type { Organization } from '../../ports/organizations.ts'
import { systemClock, systemDeadline, systemFetch } from '../../host-worker/system.ts'
import { validatorOf } from '../support/contract/contract-validator.ts'
import { DUB_KEY, dubLink, openDub } from '../support/providers/dub.ts'
import { openTestService, type Page, type TestService } from '../support/services/service.ts'
import type { StandIn } from '../support/providers/stand-in.ts'

let dub: StandIn
let service: TestService
let key: string

beforeAll(async () => {
  const links = Array.from({ length: 5 }, (_, index) =>
    dubLink(`link_${index}`, 'mine', { createdAt: `2026-06-0${index + 1}T00:00:00.000Z`, clicks: index % 2 }),
  )
  const at = '2026-06-10T00:00:00.000Z'
  const events = [
    { linkId: 'link_1', at, event: 'clicks', country: 'US' },
    { linkId: 'link_2', at, event: 'sales', saleAmount: 5 },
    { linkId: 'link_t', at, event: 'clicks', country: 'US' },
  ] as const
  dub = await openDub([...links, dubLink('link_t', 'theirs')], events)
  const options = {
    apiKey: DUB_KEY,
    baseUrl: dub.url,
    fetch: systemFetch,
    deadline: systemDeadline,
    clock: systemClock,
  }
  const sources = {
    links: ({ organizationId }: Organization) => openDubLinks(options, organizationId),
    pos: () => null,
  }
  service = await openTestService((clock) => createScratchStorage({ clock }), undefined, { sources })
  key = await service.addOrganization('mine')
})
afterAll(() => dub.close())

async function get(path: string, withKey = key) {
  const response = await service.send(path, { key: withKey })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

type Shown = Page<{ readonly linkId: string | null; readonly value?: string | null }>

async function page(path: string): Promise<Shown> {
  const { status, text } = await get(path)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text) as Shown
}

const ofLinks = endpoints.filter((endpoint) => endpoint.kind !== 'operation' && endpoint.rowsFrom === 'links')

test.each(ofLinks)('$id answers of the service as its published schema says', async (endpoint) => {
  expect(ofLinks).toHaveLength(4)
  const { status, text } = await get(endpoint.path.replace('{linkId}', 'link_1'))
  expect(status).toBe(200)
  expect(validatorOf(endpoint, 200)(JSON.parse(text))).toEqual([])
  expect(text).not.toContain('planted')
})

test.each(ofLinks)(
  '$id answers 502 while the service cannot be used, and only key holders ask it',
  async (endpoint) => {
    const path = endpoint.path.replace('{linkId}', 'link_1')
    dub.misbehave.push('garbage')
    const { status, text } = await get(path)
    expect(status).toBe(502)
    expect(validatorOf(endpoint, 502)(JSON.parse(text))).toEqual([])
    expect(service.errors.at(-1)).toBe('source_unavailable')
    const before = dub.requests.length
    expect((await get(path, `${key}x`)).status).toBe(401)
    expect(dub.requests.length).toBe(before)
  },
)

test('sorted pages go on where they ended, and a cursor keeps to its sort', async () => {
  for (const sort of ['', '&sortBy=clicks&sortOrder=asc', '&sortBy=lastClickedAt']) {
    const ids: unknown[] = []
    for (let cursor = ''; ;) {
      const { data, pagination } = await page(`/api/v1/links?limit=2${sort}&cursor=${cursor}`)
      ids.push(...data.map(({ linkId }) => linkId))
      if (pagination.nextCursor === null) break
      cursor = pagination.nextCursor
    }
    expect(ids.sort()).toEqual(['link_0', 'link_1', 'link_2', 'link_3', 'link_4'])
  }
  const { nextCursor } = (await page('/api/v1/links?limit=2&sortBy=clicks')).pagination
  expect((await get(`/api/v1/links?cursor=${String(nextCursor)}`)).status).toBe(400)
})

test.each([
  ['/api/v1/links?updatedAfter=2026-01-01T00:00:00Z', 'updatedAfter'],
  ['/api/v1/links?createdBefore=2026-01-01T00:00:00Z', 'createdBefore'],
  ['/api/v1/links?archived=true', 'archived'],
  ['/api/v1/links?tag=a,b', 'tag'],
  ['/api/v1/links/analytics?end=2026-06-10T12:00:00Z', 'end'],
  ['/api/v1/links/link_1/analytics?start=2020-01-01T00:00:00Z', 'start'],
])('%s names what the service cannot be asked for', async (path, parameter) => {
  const { status, text } = await get(path)
  expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([
    400,
    expect.stringContaining(`Parameter ${parameter} must`),
  ])
})

test("another tenant's link is as missing as one that is not there, and so are its analytics", async () => {
  for (const rest of ['', '/analytics', '/analytics?groupBy=country']) {
    const [missing, foreign] = [
      await get(`/api/v1/links/none${rest}`),
      await get(`/api/v1/links/link_t${rest}`),
    ]
    const shown = ({ status, headers, text }: typeof missing) => ({
      status,
      text,
      headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    })
    expect(missing.status).toBe(404)
    expect(shown(foreign)).toEqual(shown(missing))
  }
  expect((await page('/api/v1/links/analytics')).data.map(({ value }) => value)).toEqual(['link_1', 'link_2'])
})
