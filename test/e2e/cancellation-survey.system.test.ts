import { afterAll, beforeAll, expect, test } from 'vitest'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { issueKey } from '../../domain/access/keys.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { CLICKHOUSE_PASSWORD, CLICKHOUSE_USER, openClickHouse } from '../support/providers/clickhouse.ts'
import { testRootSecret } from '../support/runner/fakes.ts'
import { openLiveWorker, type LiveWorker } from '../support/services/live-service.ts'
import type { Misbehaviour } from '../support/providers/stand-in.ts'

let clickHouse: Awaited<ReturnType<typeof openClickHouse>>
let worker: LiveWorker
let key: string

/** The real worker on the real runtime, configured for a ClickHouse that it reaches over HTTP. */
beforeAll(async () => {
  clickHouse = await openClickHouse()
  worker = await openLiveWorker({ CLICKHOUSE_URL: clickHouse.url, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD })
  const storage = createD1Storage({ database: worker.bindings.DB, clock: systemClock })
  await storage.administration.saveOrganization(organization('acme'))
  const opened = await openSecrets(testRootSecret(), null)
  const issued = await issueKey({ organizationId: 'acme' }, opened, systemRandom, systemClock)
  await storage.administration.addKey(issued.stored)
  key = issued.key
  // With ClickHouse configured, imported survey events are not read.
  const imported = { eventId: 'd1', membershipId: null, reasonCode: 'imported', comment: null }
  await storage
    .tenant('acme')
    .upsert('exit-survey-events', [{ ...imported, occurredAt: '2026-01-01T00:00:00.000Z' }])
  const event = { reasonCode: 'moved', occurredAt: '2026-01-01T00:00:00.000Z' }
  clickHouse.deliver('acme', [{ ...event, eventId: 'e-1' }])
  clickHouse.deliver('other', [{ ...event, eventId: 'e-1', reasonCode: 'of another' }])
})
afterAll(async () => {
  await worker.close()
  await clickHouse.close()
})

async function ask() {
  const before = clickHouse.requests.length
  const response = await fetch(`${worker.origin}/api/v1/cancellation-survey`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body = (await response.json()) as { readonly available: boolean; readonly reasons: readonly object[] }
  return { status: response.status, body, tries: clickHouse.requests.length - before }
}

test('the worker counts in ClickHouse what it is configured for', async () => {
  const { status, body, tries } = await ask()
  expect([status, body.available, tries]).toEqual([200, true, 1])
  expect(body.reasons).toEqual([{ reason: 'Moved', rawCodes: ['moved'], count: 1, pct: 100 }])
})

const failures: readonly (readonly [name: string, how: Misbehaviour])[] = [
  ['fails', { status: 500 }],
  ['cuts the connection', 'reset'],
  ['answers with a page', 'garbage'],
  ['sends elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
]

test.each(failures)('a server that %s twice is asked a third time', async (_, how) => {
  clickHouse.misbehave.push(how, how)
  const { status, body, tries } = await ask()
  expect([status, body.available, tries]).toEqual([200, true, 3])
})

test.each(failures)('a server that %s three times: 200, and nothing is known', async (_, how) => {
  clickHouse.misbehave.push(how, how, how)
  const { status, body, tries } = await ask()
  expect([status, body, tries]).toEqual([
    200,
    {
      organizationId: 'acme',
      dateRange: { start: null, end: null },
      source: 'exit_survey',
      available: false,
      totals: { selections: 0 },
      reasons: [],
      other: null,
    },
    3,
  ])
})

test('an answer that stops in the middle is given up in time, and asked for again', async () => {
  // The runtime waits for the rest of the answer, so only the deadline of the try ends the wait.
  clickHouse.misbehave.push('truncated')
  const { status, body, tries } = await ask()
  expect([status, body.available, tries]).toEqual([200, true, 2])
})
