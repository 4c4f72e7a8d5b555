import { expect, beforeAll, describe, test } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import type { CollectionEndpoint, DetailEndpoint, Endpoint } from '../../domain/record/endpoint.ts'
import { resourceOf } from '../../domain/resources/index.ts'
import type { StoredRow } from '../../ports/records.ts'
import { addSampleOrganization, samplePath } from '../support/data/sample-organization.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { validatorOf } from '../support/contract/contract-validator.ts'
import { openTestService, type Page, type TestService } from '../support/services/service.ts'

const ROWS = 7
type Read = CollectionEndpoint | DetailEndpoint

const reads = endpoints.filter(
  (endpoint): endpoint is Extract<(typeof endpoints)[number], Read> => endpoint.kind !== 'operation',
)
const collections = reads.filter((endpoint) => endpoint.kind === 'collection')
const details = reads.filter((endpoint) => endpoint.kind === 'detail')

let service: TestService
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  key = await addSampleOrganization(service, 'mine', 'm-', ROWS)
  await addSampleOrganization(service, 'theirs', 't-', ROWS)
})

/** A path of the endpoint with the ids of sample row `index`. */
function pathOf(endpoint: Endpoint, prefix = 'm-', index = 0): string {
  return samplePath(endpoint, (field) => `${prefix}${field}-${String(index)}`)
}

async function page(path: string): Promise<Page> {
  const response = await service.send(path, { key })
  const text = await response.text()
  expect(response.status, `${path}: ${text}`).toBe(200)
  return JSON.parse(text) as Page
}

async function fails(path: string, status: number, saying: string): Promise<void> {
  const response = await service.send(path, { key })
  const body = (await response.json()) as { error: string }
  expect([response.status, Object.keys(body)], path).toEqual([status, ['error']])
  expect(body.error).toContain(saying)
}

describe.each(reads)('$id', (endpoint) => {
  test('asks for a key before it says which methods it has', async () => {
    for (const method of ['GET', 'POST'])
      expect((await service.send(pathOf(endpoint), { method })).status).toBe(401)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const response = await service.send(pathOf(endpoint), { method, key })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('answers HEAD as GET without a body', async () => {
    const [head, get] = [
      await service.send(pathOf(endpoint), { method: 'HEAD', key }),
      await service.send(pathOf(endpoint), { key }),
    ]
    expect([head.status, await head.text()]).toEqual([get.status, ''])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  test.each([
    'organizationId=theirs',
    'organization=x',
    'offset=1',
    '__proto__=1',
    'constructor=1',
    'Limit=5',
  ])('refuses the unknown parameter %s', async (query) => {
    await fails(`${pathOf(endpoint)}?${query}`, 400, JSON.stringify(query.split('=')[0]))
  })
})

describe.each(collections)('$id', (endpoint) => {
  test.each(Object.entries(endpoint.filters))(
    'filter %s: empty, repeated and impossible values',
    async (name, filter) => {
      const query = (value: string) => `${pathOf(endpoint)}?${name}=${encodeURIComponent(value)}`
      expect(await page(query(''))).toEqual(await page(pathOf(endpoint)))
      await fails(`${query(filter.example)}&${name}=`, 400, name)
      await fails(query('\u0000'.repeat(300)), 400, name)
    },
  )

  test('a repeated limit falls back', async () => {
    expect((await page(`${pathOf(endpoint)}?limit=1&limit=2`)).pagination.limit).toBe(100)
  })

  test('its cursor is good nowhere else', async () => {
    const { nextCursor } = (await page(`${pathOf(endpoint)}?limit=1`)).pagination
    const cursor = nextCursor ?? 'missing'
    for (const other of collections) {
      if (other.id !== endpoint.id) await fails(`${pathOf(other)}?cursor=${cursor}`, 400, 'cursor')
    }
    if (endpoint.parent !== null) await fails(`${pathOf(endpoint, 'm-', 1)}?cursor=${cursor}`, 400, 'cursor')
    await fails(`${pathOf(endpoint)}?cursor=${cursor.slice(0, -1)}`, 400, 'cursor')
    await fails(`${pathOf(endpoint)}?cursor=${cursor}&cursor=${cursor}`, 400, 'cursor')
  })
})

describe.each(details)('$id', (endpoint) => {
  test('an odd id answers as a missing one', async () => {
    for (const odd of ['%00', '%ZZ', '%ED%A0%80', '..%2F..', 'x'.repeat(1000), "'%20OR%201=1--"]) {
      const path = endpoint.path.replace(`{${endpoint.param}}`, odd)
      await sameAnswer(pathOf(endpoint, 'none-'), pathOf({ ...endpoint, path }))
    }
  })
})

async function sameAnswer(missing: string, foreign: string): Promise<void> {
  const shown = async (path: string) => {
    const response = await service.send(path, { key })
    // The `link` header repeats the id of the request, so it is left out of the comparison.
    const headers = [...response.headers].filter(([name]) => !['x-request-id', 'link'].includes(name))
    return { status: response.status, headers, body: await response.text() }
  }
  const answer = await shown(missing)
  expect(answer.status).toBe(404)
  expect(await shown(foreign)).toEqual(answer)
}

const codeReads = reads.filter(({ offersCodes }) => offersCodes)
const CODES = /"(?:code|fulfillmentCodes)":/

describe.each(codeReads)('$id', (endpoint) => {
  const path = pathOf(endpoint)
  const shown = async (query: string) => {
    const response = await service.send(`${path}${query}`, { key })
    return { status: response.status, body: await response.text() }
  }

  test('shows codes only when they are asked for, as its published schema says', async () => {
    const without = await shown('')
    expect(without.status).toBe(200)
    expect(without.body).not.toMatch(CODES)
    for (const same of ['?includeCodes=false', '?includeCodes=']) expect(await shown(same)).toEqual(without)
    const given = await shown('?includeCodes=true')
    expect(given.body).toMatch(CODES)
    expect(validatorOf(endpoint, 200)(JSON.parse(given.body))).toEqual([])
    expect(given.body).not.toContain('"includeCodes"')
  })

  test.each(['TRUE', '1', 'yes', ' true', 'true&includeCodes=true'])('refuses %j', async (value) => {
    await fails(`${path}?includeCodes=${value}`, 400, 'includeCodes')
  })
})

test('codes may be asked for from one page to the next', async () => {
  const first = await page('/api/v1/vouchers?limit=1')
  const second = await page(
    `/api/v1/vouchers?limit=1&includeCodes=true&cursor=${String(first.pagination.nextCursor)}`,
  )
  expect([Object.hasOwn(first.data[0] ?? {}, 'code'), second.data[0]?.code]).toEqual([false, 'code 0'])
})

test('bounds on the score are inclusive, alone and together, and leave out responses without one', async () => {
  const scores = async (query: string) => {
    const { data, filters } = await page(`/api/v1/surveys/responses?${query}`)
    return [data.map(({ score }) => score).sort(), filters.minScore, filters.maxScore]
  }
  expect(await scores('')).toEqual([[0, 1, 1, 3, 4, null, null], null, null])
  expect(await scores('minScore=1')).toEqual([[1, 1, 3, 4], 1, null])
  expect(await scores('maxScore=1')).toEqual([[0, 1, 1], null, 1])
  expect(await scores('minScore=1&maxScore=3')).toEqual([[1, 1, 3], 1, 3])
  for (const odd of ['1.5', '1e2', '0x1', ' 1', '9007199254740993', 'NaN']) {
    await fails(`/api/v1/surveys/responses?minScore=${encodeURIComponent(odd)}`, 400, 'whole number')
  }
})

test('a parent reads the reviews of its child, which carry their owner, and not the other way round', async () => {
  const childKey = await service.addOrganization('child', { parentId: 'mine' })
  const reviews = resourceOf('reviews')
  const row: StoredRow = { ...sampleRow(reviews, 0), siteId: 'only-here' }
  await service.storage.tenant('child').upsert('reviews', [row])
  const { data, organizationId } = await page('/api/v1/reviews?siteId=only-here')
  expect([organizationId, data.length, data[0]?.organizationId]).toEqual(['mine', 1, 'child'])
  expect(data[0]).toMatchObject({ reviewId: row.reviewId, siteName: null, rating: 1 })
  expect((await page('/api/v1/reviews')).data).toHaveLength(ROWS - 2 + 1)
  const answer = await service.send('/api/v1/reviews', { key: childKey })
  expect(((await answer.json()) as Page).data).toHaveLength(1)
  for (const odd of ['0', '6', '4.5', 'five'])
    await fails(`/api/v1/reviews?rating=${odd}`, 400, 'from 1 to 5')
})

test('nothing failed inside', () => {
  expect(service.errors).toEqual([])
})
