import { createD1Storage, createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { makeEvents, makeMemberships, makeMore } from '../support/data/analytics/many-memberships.ts'
import { openLocalD1 } from '../support/databases/d1-runtime.ts'
import { openTestService } from '../support/services/service.ts'
import { quantile } from './compare.ts'

/** The numbers of members of the measured organizations. */
const sizes = [10_000, 100_000, 1_000_000]
const RUNS = 5
/** How long one question may take, in milliseconds: at 100,000 members it holds up the neighbours in one database. */
const BOUNDS_MS: ReadonlyMap<number, number> = new Map([
  [100_000, 50],
  [1_000_000, 500],
])
/** Memberships that are written before each question, so that no answer can come from an earlier computation. */
const WRITTEN_BETWEEN = 20

const questions: readonly (readonly [name: string, path: (members: number) => string])[] = [
  ['members, first page of 500', () => '/api/v1/members'],
  ['members, a page of 1000 in the middle', (members) => `/api/v1/members?limit=1000&offset=${members / 2}`],
  ['members, last page of 1000', (members) => `/api/v1/members?limit=1000&offset=${members - 1000}`],
  ['cohorts, everything', () => '/api/v1/cohorts'],
  ['cohorts by plan, everything', () => '/api/v1/cohorts?dimension=plan'],
  ['cohorts by site, one year', () => '/api/v1/cohorts?dimension=site&start=2024-01-01&end=2024-12-31'],
  ['cancellations, everything', () => '/api/v1/cancellations'],
  ['cancellations, a quarter', () => '/api/v1/cancellations?start=2025-01-01&end=2025-03-31'],
  ['cancellations, 30 days across two months', () => '/api/v1/cancellations?start=2025-01-15&end=2025-02-13'],
  ['retention offers, everything', () => '/api/v1/retention-offers'],
  ['retention offers, a quarter', () => '/api/v1/retention-offers?start=2025-01-01&end=2025-03-31'],
  ['cancellation survey, everything', () => '/api/v1/cancellation-survey'],
  ['cancellation survey, a quarter', () => '/api/v1/cancellation-survey?start=2025-01-01&end=2025-03-31'],
]

/**
 * Prints the cost of the analytics on local D1 as an organization grows and while rows are written: the median time of
 * a whole request in this process, and the rows that D1 would bill.
 */
export async function benchAnalytics(): Promise<void> {
  const databases = await openLocalD1(1)
  const database = await databases.next()
  const executor = createExecutor({ database, clock: { nowMs: () => Date.now() } })
  const meter = createMeter()
  const service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  for (const members of sizes) {
    const organizationId = `org-${members}`
    const capable = { analytics: true, retentionOfferAnalytics: true }
    const key = await service.addOrganization(organizationId, capable)
    const startedAt = performance.now()
    await makeMemberships(executor, organizationId, members)
    const madeMs = performance.now() - startedAt
    await makeEvents(executor, organizationId, members)
    await database.exec('ANALYZE')
    console.log(`\n${members} members (made at ${Math.round((members * 1000) / madeMs)} a second)`)
    let written = members
    for (const [name, path] of questions) {
      const times: number[] = []
      let rowsRead = 0
      for (let run = 0; run < RUNS; run += 1) {
        await makeMore(executor, organizationId, written, WRITTEN_BETWEEN)
        written += WRITTEN_BETWEEN
        const before = meter.rowsRead
        const startedAt = performance.now()
        const response = await service.sendUnchecked(path(members), { key })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${path(members)} answered ${response.status}`)
        times.push(performance.now() - startedAt)
        rowsRead += meter.rowsRead - before
      }
      const median = quantile(times, 0.5)
      const isOver = median > (BOUNDS_MS.get(members) ?? Infinity)
      const time = `${median.toFixed(1)} ms`
      console.log(
        `  ${name.padEnd(42)}${time.padStart(12)}${String(Math.round(rowsRead / RUNS)).padStart(12)} rows read${isOver ? '  over the bound' : ''}`,
      )
    }
  }
  await databases.dispose()
}
