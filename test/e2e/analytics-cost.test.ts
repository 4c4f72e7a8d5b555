import { afterAll, beforeAll, expect, test } from 'vitest'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { organization } from '../conformance/fixtures.ts'
import { capable } from '../support/analytics-service.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openSharedD1 } from '../support/shared-d1.ts'
import { fakeClock } from '../support/fakes.ts'
import { makeEvents, makeMemberships } from '../support/many-memberships.ts'
import { createScratchStorage } from '../support/scratch-storage.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

// test/ci/scale.sh sets this to 100,000.
const LARGE = Number(process.env.ANALYTICS_MEMBERS ?? 20_000)
const SMALL = LARGE / 10

/** The most rows that a read skips at the start of its page and at the start of its range: those of one block each. */
const BLOCK_ROWS = 1000
/** The most rows that finding the page reads besides: counts of months, and of the blocks of a month, each twice. */
const COUNT_ROWS = 250

let databases: LocalD1
let service: TestService
const meter = createMeter()
const keys = new Map<number, string>()

beforeAll(async () => {
  // The rows are created in node:sqlite, which is several times as fast; D1 serves them, because it counts what it
  // reads.
  const seeded = createScratchStorage({ clock: fakeClock() })
  for (const size of [SMALL, LARGE]) {
    await seeded.administration.saveOrganization(organization(`org-${size}`))
    await makeMemberships(seeded.database, `org-${size}`, size)
    await makeEvents(seeded.database, `org-${size}`, size)
  }
  databases = await openSharedD1(1, seeded.database.image())
  const database = await databases.next()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  for (const size of [SMALL, LARGE]) {
    keys.set(size, await service.addOrganization(`org-${size}`, capable))
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
    // This holds for every offset.
    expect(rowsRead).toBeLessThanOrEqual(1000 + 2 * BLOCK_ROWS + COUNT_ROWS)
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

const quarter = 'start=2025-01-01&end=2025-03-31'
const days = 'start=2025-01-15&end=2025-02-13'
const instants = 'start=2025-01-15T10:30:00Z&end=2025-02-13T21:45:00Z'

test.each([
  '/api/v1/members?limit=1&offset=OFFSET',
  `/api/v1/members?limit=1&offset=OFFSET&status=churned`,
  '/api/v1/members?limit=1&offset=99&signupStart=2024-03-10&signupEnd=2025-02-13',
  '/api/v1/cohorts',
  '/api/v1/cohorts?dimension=plan',
  '/api/v1/cohorts?dimension=site&start=2024-01-01&end=2024-06-30',
  ...['cancellations', 'retention-offers', 'cancellation-survey'].flatMap((figures) =>
    ['', `?${quarter}`, `?${days}`, `?${instants}`].map((range) => `/api/v1/${figures}${range}`),
  ),
])('%s costs an organization with ten times the members no more than three times as much', async (path) => {
  const at = (size: number) => path.replace('OFFSET', String(Math.floor(size / 3)))
  const [small, large] = [await ask(at(SMALL), SMALL), await ask(at(LARGE))]
  // A small organization has no members in some months, days and blocks, and so reads fewer rows for them.
  expect(large.rowsRead).toBeLessThanOrEqual(small.rowsRead * 3 + 250)
  expect(large.rowsRead).toBeLessThan(LARGE / 3)
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
