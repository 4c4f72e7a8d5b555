import { afterAll, beforeAll, expect, test } from 'vitest'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { capable } from '../support/data/analytics/analytics-service.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { fakeClock } from '../support/runner/fakes.ts'
import { makeEvents, makeMemberships } from '../support/data/analytics/many-memberships.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// test/ci/sizes/scale.sh sets this to 25,000, or to what it is told.
const LARGE = Number(process.env.ANALYTICS_MEMBERS ?? 2_000)

/** Of the members that `makeMemberships` makes: how many churned, and how many decided on an offer, with their events. */
const CHURNED = LARGE * 0.4
const DECIDED = LARGE / 20
const BILLED = DECIDED * 12
/** The different lengths of stay, in days. */
const STAYS = 700
/** The most rows that a question reads besides: the key, the organization, and months of cohorts. */
const FEW = 250

let databases: LocalD1
let service: TestService
const meter = createMeter()
let key: string

beforeAll(async () => {
  // The rows are created in node:sqlite, which is several times as fast; D1 serves them, because it counts what it
  // reads.
  const seeded = createScratchStorage({ clock: fakeClock() })
  for (const organizationId of ['org', 'neighbour']) {
    await seeded.administration.saveOrganization(organization(organizationId))
    await makeMemberships(seeded.database, organizationId, LARGE)
    await makeEvents(seeded.database, organizationId, LARGE)
  }
  databases = await openSharedD1(1, seeded.database.image())
  const database = await databases.next()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  key = await service.addOrganization('org', capable)
})
afterAll(() => databases.dispose())

async function ask(path: string): Promise<{ readonly body: unknown; readonly rowsRead: number }> {
  const before = meter.rowsRead
  const response = await service.sendUnchecked(path, { key })
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
    // The members before the page are skipped in the index.
    expect(rowsRead).toBeLessThanOrEqual(offset + 2 * 1000 + FEW)
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
const everything = ''

// D1 counts a row once more when it is sorted into its group. About an eighth of the members churned in the quarter.
test.each([
  [`/api/v1/members?limit=1&offset=${LARGE / 2}&status=active`, LARGE / 2],
  ['/api/v1/members?limit=100&signupStart=2024-03-10&signupEnd=2025-02-13', 200],
  ['/api/v1/cohorts', 0],
  ['/api/v1/cohorts?dimension=plan', 500],
  [`/api/v1/cancellations?${everything}`, 4 * CHURNED + 6 * STAYS],
  [`/api/v1/cancellations?${quarter}`, (4 * CHURNED) / 8 + 6 * STAYS],
  [`/api/v1/retention-offers?${everything}`, 12 * DECIDED + BILLED],
  [`/api/v1/cancellation-survey?${everything}`, 2 * CHURNED],
  [`/api/v1/cancellation-survey?${quarter}`, (2 * CHURNED) / 8],
])('%s reads what it counts, in indexes alone, and little else', async (path, counted) => {
  const { rowsRead } = await ask(path)
  expect(rowsRead).toBeLessThanOrEqual(counted * 1.1 + FEW)
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
