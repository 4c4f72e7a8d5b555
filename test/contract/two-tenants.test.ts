import { beforeAll, describe, expect, test } from 'vitest'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import type { Organization } from '../../ports/organizations.ts'
import { addSampleOrganization, samplePath } from '../support/data/sample-organization.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// Calls every operation that takes a tenant key with the ids, parents and cursors of another tenant. Another tenant's
// row must be answered like a missing one, in status, headers, body and cost. The operations come from the catalog, so
// a new one is included.

const ROWS = 7
const able: Partial<Organization> = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }

let service: TestService
let storage: ScratchStorage
const keys = { mine: '', theirs: '' }

beforeAll(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
  // Shortly after the sample rows' times, so that the counted events lie within the last thirty days.
  service.clock.set('2026-01-02T00:00:00.000Z')
  keys.mine = await addSampleOrganization(service, 'mine', 'm-', ROWS, able)
  keys.theirs = await addSampleOrganization(service, 'theirs', 't-', ROWS, able)
})

const tenantEndpoints: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')
const withParameters = tenantEndpoints.filter(({ path }) => path.includes('{'))
const paged = tenantEndpoints.filter(({ kind }) => kind === 'collection' || kind === 'groups')

/** A path with the caller's ids, except for one parameter, whose id has another prefix. */
function pathOf(endpoint: Endpoint, other?: { readonly name: string; readonly prefix: string }): string {
  return samplePath(endpoint, (field, name) => `${name === other?.name ? other.prefix : 'm-'}${field}-0`)
}

/** The headers except those that differ between requests: the request's id, and the path of the successor. */
function headersOf(response: Response): Shown['headers'] {
  return [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'link')
}

interface Shown {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** The number of storage calls. */
  readonly calls: number
}

async function shown({ method }: Endpoint, path: string, key = keys.mine): Promise<Shown> {
  const before = storage.meter.calls
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await service.send(path, { method, key, ...body })
  return {
    status: response.status,
    headers: headersOf(response),
    body: await response.text(),
    calls: storage.meter.calls - before,
  }
}

const parameters = withParameters.flatMap((endpoint) =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ id: endpoint.id, name, endpoint })),
)

describe.each(parameters)('$id, $name', ({ endpoint, name }) => {
  test("another tenant's id answers as a missing one, and mine does not", async () => {
    expect((await shown(endpoint, pathOf(endpoint))).status).toBe(200)
    const missing = await shown(endpoint, pathOf(endpoint, { name, prefix: 'none-' }))
    expect(missing.status).toBe(404)
    expect(await shown(endpoint, pathOf(endpoint, { name, prefix: 't-' }))).toEqual(missing)
  })

  test.each(['HEAD', 'DELETE'])('by %s too', async (method) => {
    const answer = async (prefix: string) => {
      const path = pathOf(endpoint, { name, prefix })
      const response = await service.send(path, { method, key: keys.mine })
      return [response.status, headersOf(response)]
    }
    expect(await answer('t-')).toEqual(await answer('none-'))
  })
})

describe.each(paged)('$id', (endpoint) => {
  test("another tenant's cursor answers as one that nobody gave", async () => {
    // This grouping has several groups for each parent.
    const path = `${pathOf(endpoint)}?${endpoint.kind === 'groups' ? 'groupBy=country&' : ''}`
    const theirPath = path.replaceAll('m-', 't-')
    const { body } = await shown(endpoint, `${theirPath}limit=1`, keys.theirs)
    const { nextCursor } = (JSON.parse(body) as { pagination: { nextCursor: string | null } }).pagination
    expect(nextCursor).not.toBeNull()
    const madeUp = 'A'.repeat(String(nextCursor).length)
    const refused = await shown(endpoint, `${path}cursor=${madeUp}`)
    expect(refused.status).toBe(400)
    expect(await shown(endpoint, `${path}cursor=${String(nextCursor)}`)).toEqual(refused)
    // The other tenant's cursor works with the other tenant's own key.
    expect((await shown(endpoint, `${theirPath}cursor=${String(nextCursor)}`, keys.theirs)).status).toBe(200)
  })

  const idFilters = endpoint.kind !== 'collection' ? [] : Object.keys(endpoint.filters).filter((name) => name.endsWith('Id')) // prettier-ignore
  if (idFilters.length > 0) {
    test.each(idFilters)(
      "a filter on another tenant's %s finds what one on a missing id finds",
      async (name) => {
        const filtered = async (prefix: string) => {
          const found = await shown(endpoint, `${pathOf(endpoint)}?${name}=${prefix}${name}-0`)
          return { ...found, body: found.body.replaceAll(prefix, '') }
        }
        const missing = await filtered('none-')
        expect((JSON.parse(missing.body) as { data: unknown[] }).data).toEqual([])
        expect(await filtered('t-')).toEqual(missing)
      },
    )
  }
})

test('the matrix covers the details, the nested routes and the pages', () => {
  expect(parameters.length).toBeGreaterThan(20)
  expect(paged.length).toBeGreaterThan(25)
  expect(service.errors).toEqual([])
})
