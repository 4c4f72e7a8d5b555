import { expect, beforeAll, describe, test } from 'vitest'
import { createMemoryStorage } from '../../adapters/memory/index.ts'
import { endpoints } from '../../domain/contract/catalog.ts'
import type { CollectionEndpoint, DetailEndpoint, Endpoint } from '../../domain/contract/endpoint.ts'
import { resources } from '../../domain/resources/index.ts'
import { sampleRow } from '../support/sample-rows.ts'
import { validatorOf } from '../support/contract-validator.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

const ROWS = 7
type Read = CollectionEndpoint | DetailEndpoint

const reads = endpoints.filter(
  (endpoint): endpoint is Extract<(typeof endpoints)[number], Read> => endpoint.kind !== 'operation',
)
const collections = reads.filter((endpoint) => endpoint.kind === 'collection')
const details = reads.filter((endpoint) => endpoint.kind === 'detail')

let service: TestService
let key: string
let otherKey: string
let platformKey: string

beforeAll(async () => {
  service = await openTestService((clock) => createMemoryStorage({ clock }))
  key = await service.addOrganization('mine')
  otherKey = await service.addOrganization('theirs')
  platformKey = await service.addPlatformKey()
  for (const [organizationId, prefix] of [
    ['mine', 'm-'],
    ['theirs', 't-'],
  ] as const) {
    for (const resource of resources) {
      const rows = Array.from({ length: ROWS }, (_, index) => sampleRow(resource, index, prefix))
      await service.storage.tenant(organizationId).upsert(resource.collection, rows)
      service.clock.advance(1000)
    }
  }
})

interface Envelope {
  readonly organizationId: string
  readonly filters: Record<string, unknown>
  readonly data: Record<string, unknown>[]
  readonly pagination: {
    readonly limit: number
    readonly hasMore: boolean
    readonly nextCursor: string | null
  }
}

/** A path of the endpoint with the ids of sample row `index`. */
function pathOf(endpoint: Endpoint, prefix = 'm-', index = 0): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `${prefix}${name}-${String(index)}`)
}

async function page(path: string): Promise<Envelope> {
  const response = await service.send(path, { key })
  expect(response.status, `${path}: ${await response.clone().text()}`).toBe(200)
  return (await response.json()) as Envelope
}

async function fails(path: string, status: number, saying: string): Promise<void> {
  const response = await service.send(path, { key })
  const body = (await response.json()) as { error: string }
  expect([response.status, Object.keys(body)], path).toEqual([status, ['error']])
  expect(body.error).toContain(saying)
}

describe.each(reads)('$id', (endpoint) => {
  test.each(['none', 'lower case', 'empty', 'mistyped', 'platform', 'unknown'])(
    'refuses a key that is %s',
    async (kind) => {
      const headers: Record<string, Record<string, string>> = {
        none: {},
        'lower case': { authorization: `bearer ${key}` },
        empty: { authorization: 'Bearer ' },
        mistyped: { authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
        platform: { authorization: `Bearer ${platformKey}` },
        unknown: { authorization: 'Bearer ck_live_mine_nonsense' },
      }
      for (const method of ['GET', 'POST']) {
        const response = await service.send(pathOf(endpoint), { method, headers: headers[kind] ?? {} })
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
        expect(await response.text()).toBe('{"error":"Unauthorized"}')
      }
    },
  )

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

  test('answers as its published schema says, privately', async () => {
    const response = await service.send(pathOf(endpoint), { key })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    const problems = validatorOf(endpoint, 200)(await response.json())
    expect(problems).toEqual([])
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
  test('echoes every filter as null when none is passed', async () => {
    const { filters, organizationId } = await page(pathOf(endpoint))
    expect(organizationId).toBe('mine')
    expect(filters).toEqual(Object.fromEntries(Object.keys(endpoint.filters).map((name) => [name, null])))
  })

  test('shows only rows of its organization, newest first, ties by id', async () => {
    const { data } = await page(pathOf(endpoint))
    expect(data.length).toBeGreaterThan(0)
    expect(JSON.stringify(data)).not.toContain('t-')
    const places = data.map(
      (row) => [String(row[endpoint.order.field]), String(row[endpoint.order.idField])] as const,
    )
    expect(places).toEqual(
      places.toSorted(([t1, i1], [t2, i2]) => (t1 === t2 ? (i1 < i2 ? 1 : -1) : t1 < t2 ? 1 : -1)),
    )
  })

  test.each(Object.entries(endpoint.filters))(
    'filter %s: good, empty, repeated and bad values',
    async (name, filter) => {
      const query = (value: string) => `${pathOf(endpoint)}?${name}=${encodeURIComponent(value)}`
      const good = await page(query(filter.example))
      expect(good.filters[name]).not.toBeNull()
      expect(await page(query(''))).toEqual(await page(pathOf(endpoint)))
      await fails(`${query(filter.example)}&${name}=`, 400, name)
      await fails(query('\u0000'.repeat(300)), 400, name)
    },
  )

  test.each([
    ['', 100],
    ['0', 100],
    ['-1', 100],
    ['abc', 100],
    ['1.5', 100],
    ['2', 2],
    ['500', endpoint.maxLimit],
    ['501', endpoint.maxLimit],
  ])('limit %j is used as %i', async (limit, used) => {
    expect((await page(`${pathOf(endpoint)}?limit=${limit}`)).pagination.limit).toBe(
      Math.min(used, endpoint.maxLimit),
    )
  })

  test('a repeated limit falls back', async () => {
    expect((await page(`${pathOf(endpoint)}?limit=1&limit=2`)).pagination.limit).toBe(100)
  })

  test('pages through completely, none twice, whatever the page size', async () => {
    const whole = (await page(pathOf(endpoint))).data
    for (const limit of [1, 2, 3]) {
      const rows: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const next: Envelope = await page(`${pathOf(endpoint)}?limit=${String(limit)}&cursor=${cursor}`)
        expect(next.pagination.hasMore).toBe(next.pagination.nextCursor !== null)
        rows.push(...next.data)
        cursor = next.pagination.nextCursor
      }
      expect(rows).toEqual(whole)
    }
  })

  test('its cursor is good nowhere else', async () => {
    const { nextCursor } = (await page(`${pathOf(endpoint)}?limit=1`)).pagination
    const cursor = nextCursor ?? 'missing'
    for (const other of collections) {
      if (other.id !== endpoint.id) await fails(`${pathOf(other)}?cursor=${cursor}`, 400, 'cursor')
    }
    if (endpoint.parent !== null) await fails(`${pathOf(endpoint, 'm-', 1)}?cursor=${cursor}`, 400, 'cursor')
    const foreign = await service.send(`${pathOf(endpoint, 't-')}?cursor=${cursor}`, { key: otherKey })
    expect(foreign.status).toBe(400)
    await fails(`${pathOf(endpoint)}?cursor=${cursor.slice(0, -1)}`, 400, 'cursor')
    await fails(`${pathOf(endpoint)}?cursor=${cursor}&cursor=${cursor}`, 400, 'cursor')
  })

  if (endpoint.syncOrder !== null) {
    test('a sync reads changes oldest first and its cursor asks for the sync again', async () => {
      const path = `${pathOf(endpoint)}?updatedAfter=2000-01-01T00:00:00Z&limit=2`
      const first = await page(path)
      const { nextCursor } = first.pagination
      await fails(`${pathOf(endpoint)}?cursor=${String(nextCursor)}`, 400, 'updatedAfter')
      const second = await page(`${path}&cursor=${String(nextCursor)}`)
      const stamps = [...first.data, ...second.data].map((row) => String(row.updatedAt))
      expect(stamps).toEqual(stamps.toSorted())
      const natural = (await page(`${pathOf(endpoint)}?limit=1`)).pagination.nextCursor
      await fails(`${path}&cursor=${String(natural)}`, 400, 'updatedAfter')
    })
  }

  if (endpoint.parent !== null) {
    test('a missing parent and one of another organization answer alike', async () => {
      await sameAnswer(pathOf(endpoint, 'none-'), pathOf(endpoint, 't-'))
    })
  }
})

describe.each(details)('$id', (endpoint) => {
  test('a missing id and one of another organization answer alike', async () => {
    await sameAnswer(pathOf(endpoint, 'none-'), pathOf(endpoint, 't-'))
    for (const odd of ['%00', '%ZZ', '%ED%A0%80', '..%2F..', 'x'.repeat(1000), "'%20OR%201=1--"]) {
      await sameAnswer(pathOf(endpoint, 'none-'), endpoint.path.replace(/\{\w+\}/, odd))
    }
  })
})

async function sameAnswer(missing: string, foreign: string): Promise<void> {
  const shown = async (path: string) => {
    const response = await service.send(path, { key })
    const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
    return { status: response.status, headers, body: await response.text() }
  }
  const answer = await shown(missing)
  expect(answer.status).toBe(404)
  expect(await shown(foreign)).toEqual(answer)
}

test('nothing failed inside', () => {
  expect(service.errors).toEqual([])
})
