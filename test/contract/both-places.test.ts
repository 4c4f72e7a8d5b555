import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../support/contract/endpoints.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import { reviews } from '../../domain/resources/reviews.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { addSampleOrganization, samplePath } from '../support/data/sample-organization.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// The same rows in the shared database and in a family's own database give the same answers, so no client can tell
// which.

const ROWS = 7
const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }

interface Placed {
  readonly service: TestService
  readonly key: string
}
let shared: Placed
let own: Placed

async function placed(choice: PlaceChoice): Promise<Placed> {
  const service = await openTestService((clock) => createScratchStorage({ clock, choice }))
  const key = await addSampleOrganization(service, 'acme', 'm-', ROWS, able)
  // The key of the parent reads the reviews of its child, too.
  await service.addOrganization('child', { parentId: 'acme' })
  const rows = Array.from({ length: ROWS }, (_, index) => sampleRow(reviews, index, 'child-'))
  await service.storage.tenant('child').upsert('reviews', rows)
  return { service, key }
}

beforeAll(async () => {
  shared = await placed({ kind: 'shared' })
  own = await placed({ kind: 'own', region: null, jurisdiction: null })
})

interface Shown {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

async function answer({ service, key }: Placed, path: string): Promise<Shown> {
  const response = await service.send(path, { key })
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
  return { status: response.status, headers, body: await response.text() }
}

/** The answers to a path, followed through every cursor that an answer contains. */
async function walked(placed: Placed, path: string): Promise<readonly Shown[]> {
  const answers: Shown[] = []
  let next: string | null = ''
  while (next !== null && answers.length < 100) {
    const shown = await answer(placed, `${path}${next}`)
    answers.push(shown)
    const { pagination } = JSON.parse(shown.body) as { pagination?: { nextCursor?: string | null } }
    const cursor = pagination?.nextCursor ?? null
    next = cursor === null ? null : `&cursor=${cursor}`
  }
  return answers
}

const read: readonly Endpoint[] = endpoints.filter(
  ({ access, method }) => access !== 'public' && method === 'GET',
)

describe.each(read.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  const there = samplePath(endpoint, (field) => `m-${field}-1`)
  const missing = samplePath(endpoint, (field) => `m-${field}-none`)
  const queries =
    endpoint.kind === 'collection'
      ? ['?limit=3', '?limit=500', '?limit=3&updatedAfter=2000-01-01T00:00:00Z', '?limit=2&cursor=none']
      : ['?limit=500', '?includeCodes=true']

  test('answers the same bytes in both places, page by page', async () => {
    for (const path of queries.flatMap((query) => [`${there}${query}`, `${missing}${query}`])) {
      const inShared = await walked(shared, path)
      expect([path, await walked(own, path)]).toEqual([path, inShared])
    }
    expect([...shared.service.errors, ...own.service.errors]).toEqual([])
  })
})

test('most of these answers hold rows, those of a child among them', async () => {
  const lists = read.filter(({ kind }) => kind === 'collection')
  const counts = await Promise.all(
    lists.map(async (endpoint) => {
      const path = samplePath(endpoint, (field) => `m-${field}-1`)
      const { data } = JSON.parse((await answer(own, `${path}?limit=500`)).body) as { data?: unknown[] }
      return [endpoint.id, data?.length ?? 0] as const
    }),
  )
  expect(counts.filter(([, count]) => count > 0).length).toBeGreaterThan(counts.length * 0.7)
  const shown = await answer(own, '/api/v1/reviews?limit=500')
  const { data } = JSON.parse(shown.body) as { data: readonly { readonly organizationId: string }[] }
  expect(new Set(data.map(({ organizationId }) => organizationId))).toEqual(new Set(['acme', 'child']))
})

test('both places are what they are taken for', async () => {
  const table = { sql: 'select organization_id from contacts limit 1', parameters: [] }
  const rowsOf = async ({ service }: Placed) => {
    const { database } = service.storage as ReturnType<typeof createScratchStorage>
    return (await database.batch([table]))[0]?.rows.length
  }
  expect([await rowsOf(shared), await rowsOf(own)]).toEqual([1, 0])
})
