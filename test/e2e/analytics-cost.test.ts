import { afterAll, beforeAll, expect, test } from 'vitest'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { organization } from '../conformance/fixtures.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openLocalD1 } from '../support/d1.ts'
import { fakeClock } from '../support/fakes.ts'
import { makeMemberships } from '../support/many-memberships.ts'
import { createScratchStorage } from '../support/scratch-storage.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

// `npm test` takes as many as make every bound below plain; test/ci/scale.sh takes 100,000.
const LARGE = Number(process.env.ANALYTICS_MEMBERS ?? 40_000)
const SMALL = 10_000

let databases: LocalD1
let service: TestService
const meter = createMeter()
const keys = new Map<number, string>()

beforeAll(async () => {
  // The rows are made on node:sqlite, which takes a fraction of the time; D1 serves them, because it counts what it reads.
  const seeded = createScratchStorage({ clock: fakeClock() })
  for (const size of [SMALL, LARGE]) {
    await seeded.administration.saveOrganization(organization(`org-${size}`, { analytics: true }))
    await makeMemberships(seeded.database, `org-${size}`, size)
  }
  databases = await openLocalD1(1, seeded.database.image())
  const database = await databases.next()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  for (const size of [SMALL, LARGE]) {
    keys.set(size, await service.addOrganization(`org-${size}`, { analytics: true }))
  }
})
afterAll(() => databases.dispose())

async function ask(
  path: string,
  size = LARGE,
): Promise<{ readonly body: unknown; readonly rowsRead: number }> {
  const before = meter.rowsRead
  const response = await service.sendUnchecked(path, { key: keys.get(size) ?? '' })
  expect(response.status).toBe(200)
  return { body: await response.json(), rowsRead: meter.rowsRead - before }
}

interface Page {
  readonly pagination: {
    readonly offset: number
    readonly hasMore: boolean
    readonly nextOffset: number | null
  }
  readonly members: readonly { readonly membershipId: string; readonly signupDate: string | null }[]
}

test(`the export pages through ${LARGE} members: each once, in order, reading no more than it must`, async () => {
  const seen = new Set<string>()
  let last: readonly [string, string] = ['9999-12-31', '']
  for (let offset: number | null = 0; offset !== null;) {
    const { body, rowsRead } = await ask(`/api/v1/members?limit=1000&offset=${String(offset)}`)
    const { members, pagination } = body as Page
    expect(pagination).toMatchObject({ offset, hasMore: pagination.nextOffset !== null })
    // An entry of the index for each member passed over, and a row for each one shown.
    expect(rowsRead).toBeLessThanOrEqual(offset + 1000 + 10)
    for (const { membershipId, signupDate } of members) {
      const place = [signupDate ?? '', membershipId] as const
      expect(place[0] < last[0] || (place[0] === last[0] && place[1] > last[1])).toBe(true)
      last = place
      seen.add(membershipId)
    }
    offset = pagination.nextOffset
  }
  expect(seen.size).toBe(LARGE)
})

test.each([
  '/api/v1/cohorts',
  '/api/v1/cohorts?dimension=plan',
  '/api/v1/cohorts?dimension=site&start=2024-01-01&end=2024-06-30',
])('%s costs a large organization what it costs a small one', async (path) => {
  const [small, large] = [await ask(path, SMALL), await ask(path)]
  expect(large.rowsRead).toBeLessThanOrEqual(small.rowsRead + 10)
  expect(large.rowsRead).toBeLessThan(600)
})

test('cancellations cost what there are months, reasons and lengths of stay, not what there are members', async () => {
  // Two in five members are counted.
  const quarter = await ask('/api/v1/cancellations?start=2025-01-01&end=2025-03-31')
  expect(quarter.rowsRead).toBeLessThan(5_000)
  const month = await ask('/api/v1/cancellations?start=2025-02-01&end=2025-02-28')
  expect(month.rowsRead).toBeLessThan(2_000)
})

test('all pages of a status, and what the counts say, are the same members', async () => {
  const { body } = await ask('/api/v1/cohorts')
  const { cohorts } = body as { cohorts: { cohortSize: number; churned: number }[] }
  const churned = cohorts.reduce((sum, cohort) => sum + cohort.churned, 0)
  expect(cohorts.reduce((sum, { cohortSize }) => sum + cohortSize, 0)).toBe(LARGE)
  const last = await ask(`/api/v1/members?status=churned&limit=1000&offset=${churned - 1}`)
  expect((last.body as Page).members).toHaveLength(1)
  const totals = (await ask('/api/v1/cancellations')).body as { totals: { cancellations: number } }
  expect(totals.totals.cancellations).toBe(churned)
})
