import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meter } from '../../ports/platform.ts'
import { createD1Storage, createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { openLegacyVendorWriter } from '../../adapters/pos-legacy-vendor/index.ts'
import type { WritableRows } from '../../adapters/pos-odbc/gateway/write.ts'
import { issueKey } from '../../domain/access/keys.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import type { StoredRow } from '../../ports/records.ts'
import {
  account,
  at,
  billingEvent,
  customer,
  statusEvent,
  transaction,
} from '../../adapters/conformance/pos.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { testRootSecret } from '../support/runner/fakes.ts'
import { openLiveWorker, type LiveWorker } from '../support/services/live-service.ts'
import { posEngines } from '../support/pos/pos-engines.ts'
import { GATEWAY_SECRET, startGateway, type RunningGateway } from '../support/pos/pos-gateway.ts'

/**
 * The real worker on the real runtime, with the real gateway over HTTP and databases of this machine behind both:
 * embedded databases, or real ODBC drivers if ODBC_TESTS=yes.
 */
const engines = posEngines()
const ties: readonly PosSourceTie[] = [
  { kind: 'legacy_vendor', tenant: 'mine' },
  ...engines.map((engine) => engine.tie('north')),
]

const rows: Readonly<Record<WritableRows, readonly StoredRow[]>> = {
  'pos-transactions': Array.from({ length: 7 }, (_, index) =>
    transaction(`t-${index}`, { customerId: `c-${index % 2}`, completedAt: at(Math.floor(index / 2)) }),
  ),
  'pos-customers': [
    customer('c-0', { active: true, phone: '+12125550123', email: 'Ada@example.com' }),
    customer('c-1', { active: false, createdAt: null }),
    customer('c-2', { active: null }),
  ],
  'pos-recurring-accounts': [account('a-0'), account('a-1', { startedAt: null })],
  'pos-billing-events': Array.from({ length: 30 }, (_, index) =>
    billingEvent(`b-${String(index).padStart(2, '0')}`, 'a-0', { occurredAt: at(index) }),
  ),
  'pos-status-events': [statusEvent('s-0', 'a-0')],
}

const kindsOfRows = Object.keys(rows) as WritableRows[]

const meter: Meter = createMeter()
const keys = new Map<string, string>()
let gateway: RunningGateway
let worker: LiveWorker

beforeAll(async () => {
  for (const engine of engines) {
    for (const collection of kindsOfRows) {
      await engine.write('north', collection, rows[collection])
      await engine.write('south', collection, rows[collection].map(asTheirs))
    }
  }
  // A connection is a process, and for these tests two connections to each source suffice.
  gateway = await startGateway(engines.flatMap((engine) => engine.sources({ connections: 2 })))
  worker = await openLiveWorker({ POS_GATEWAY_URL: gateway.url, POS_GATEWAY_SECRET: GATEWAY_SECRET })
  await prepareDatabases(worker.bindings.DB, worker.bindings.POS_LEGACY)
}, 60_000)

afterAll(async () => {
  await worker.close()
  await gateway.stop()
})

function asTheirs(row: StoredRow): StoredRow {
  return { ...row, siteCode: 'theirs', homeSiteCode: 'theirs' }
}

async function prepareDatabases(database: D1Database, legacy: D1Database): Promise<void> {
  const vendor = createExecutor({ database: legacy, clock: systemClock, meter })
  for (const collection of kindsOfRows) {
    await openLegacyVendorWriter(vendor, 'mine').upsert(collection, rows[collection])
    await openLegacyVendorWriter(vendor, 'theirs').upsert(collection, rows[collection].map(asTheirs))
  }
  const { administration } = createD1Storage({ database, clock: systemClock, meter })
  const secrets = await openSecrets(testRootSecret(), null)
  for (const posSource of [...ties, null]) {
    const organizationId = posSource?.kind.replace('_', '-') ?? 'none'
    await administration.saveOrganization(organization(organizationId, { posSource }))
    const { key, stored } = await issueKey({ organizationId }, secrets, systemRandom, systemClock)
    await administration.addKey(stored)
    keys.set(posSource?.kind ?? 'none', key)
  }
}

async function get(kind: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(new URL(`/api/v1/pos/${path}`, worker.origin), {
    headers: { authorization: `Bearer ${keys.get(kind) ?? ''}`, ...headers },
  })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, body, headers: response.headers }
}

/** All rows of a collection, read page by page. */
async function readAll(
  kind: string,
  path: string,
  limit: number,
): Promise<readonly Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await get(
      kind,
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`,
    )
    expect([status, body.error]).toEqual([200, undefined])
    all.push(...(body.data as Record<string, unknown>[]))
    cursor = (body.pagination as { nextCursor: string | null }).nextCursor
  }
  return all
}

// The last two tests break what all others read: one writes a row that cannot be read, the other ends the gateway.
describe('points of sale', { shuffle: false }, () => {
  describe.each(ties)('$kind', ({ kind }) => {
    test('pages through every collection, unknown times last, and finds each row by its id', async () => {
      const expected = {
        transactions: ['t-6', 't-5', 't-4', 't-3', 't-2', 't-1', 't-0'],
        customers: ['c-2', 'c-0', 'c-1'],
        'recurring-accounts': ['a-0', 'a-1'],
        'recurring-account-details': ['a-0', 'a-1'],
      }
      for (const [path, ids] of Object.entries(expected)) {
        for (const limit of [1, 2, 100]) {
          const all = await readAll(kind, path, limit)
          const [idField = ''] = Object.keys(all[0] ?? {})
          expect(all.map((row) => row[idField])).toEqual(ids)
          expect(JSON.stringify(all)).not.toContain('theirs')
          const rows = limit === 100 ? all : []
          const found = await Promise.all(rows.map((row) => get(kind, `${path}/${String(row[idField])}`)))
          expect(found.map(({ body }) => body)).toEqual(rows)
        }
        expect((await get(kind, `${path}/none`)).status).toBe(404)
      }
    })

    test('answers odd input as such: never a failure, and nothing is lost by it', async () => {
      const odd = ["'; DROP TABLE Ticket; --", '%00', '\u0000', '😀', '" OR 1=1', 'x'.repeat(199), '%']
      const check = async (text: string) => {
        const value = encodeURIComponent(text)
        expect((await get(kind, `transactions?siteCode=${value}`)).body.data).toEqual([])
        expect((await get(kind, `transactions/${value}`)).status).toBe(404)
        expect((await get(kind, `customers?phone=${value}`)).status).toBe(400)
      }
      await Promise.all(odd.map(check))
      expect((await get(kind, 'transactions?limit=99999999999999999999')).body.pagination).toMatchObject({
        limit: 500,
      })
      expect((await get(kind, `transactions?siteCode=${'x'.repeat(201)}`)).status).toBe(400)
      expect(await readAll(kind, 'transactions', 500)).toHaveLength(7)
    })
  })

  test('a sale without a total fails its request with 500, at the sources behind the gateway too', async () => {
    const untold = transaction('untold', { totalCents: null, completedAt: at(-9) })
    for (const engine of engines) await engine.write('north', 'pos-transactions', [untold])
    for (const kind of ['odbc_shared', 'odbc_second']) {
      expect((await get(kind, 'transactions?limit=7')).status).toBe(200)
      expect((await get(kind, 'transactions')).status).toBe(500)
      expect((await get(kind, 'transactions/untold')).status).toBe(500)
    }
  })

  test('while the gateway is away its sources answer 502, and the legacy vendor as ever', async () => {
    await gateway.stop()
    for (const path of ['transactions', 'customers/c-0']) {
      expect((await get('odbc_shared', path)).status).toBe(502)
      expect((await get('odbc_second', path)).status).toBe(502)
      expect((await get('legacy_vendor', path)).status).toBe(200)
    }
  })
})
