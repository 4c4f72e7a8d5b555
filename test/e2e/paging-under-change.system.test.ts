import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { tableOf } from '../../adapters/sqlite/tables.ts'
import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import { EVERY_COLLECTION, type Resource } from '../../domain/record/resource.ts'
import { linkEvents } from '../../domain/resources/link-analytics.ts'
import { resourceOf } from '../../domain/resources/index.ts'
import type { StoredRow } from '../../ports/records.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { openSqliteAsD1 } from '../support/databases/sqlite-as-d1.ts'
import { seededRandom } from '../support/runner/fakes.ts'
import { collections } from '../support/databases/plan-checks.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

const ROWS = 24
const PAGE = 4
const CHANGES_BETWEEN_PAGES = 3

/**
 * Collections that are also walked on the real runtime, one for each way to store rows. The runtime runs the same
 * statements as the database in this process, with which all collections are walked.
 */
const ON_THE_RUNTIME = ['contacts.list', 'links.list', 'reviews.list']

/** The service on one database. */
interface Engine {
  readonly database: D1Database
  readonly service: TestService
}

type Row = Readonly<Record<string, unknown>>

/** A collection of an organization of its own, which its tenant reads while others change it. */
interface Bench {
  /** Reads a collection to its end. `between` runs between any two pages. */
  readonly walk: (query: string, between: () => Promise<void>) => Promise<readonly Row[]>
  /** Inserts, updates or deletes a row, in turn, while the clock advances, stops or steps back. */
  readonly change: () => Promise<void>
  readonly idOf: (row: Row) => string
  /** Ids that were deleted so far. */
  readonly deleted: ReadonlySet<string>
}

async function openBench(
  { service, database }: Engine,
  endpoint: CollectionEndpoint,
  organizationId: string,
  seed: number,
): Promise<Bench> {
  const next = seededRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const key = await service.addOrganization(organizationId)
  const tenant = service.storage.tenant(organizationId)
  const { parent } = endpoint
  const written = resourceOf(endpoint.resource.keptFrom ?? endpoint.resource.collection)
  const prefix = `${organizationId}-`
  const parentRow = parent === null ? null : sampleRow(parent.resource, 0, prefix)
  const parentId = parent === null ? null : (parentRow?.[parent.resource.idField] as string)
  if (parent !== null && parentRow !== null) await tenant.upsert(parent.resource.collection, [parentRow])
  const shownId = endpoint.resource.keptFrom === null ? endpoint.order.idField : written.idField

  const rows = new Map<string, StoredRow>()
  const deleted = new Set<string>()
  const save = async (row: StoredRow) => {
    for (const [collection, other] of joinedRows(written, row, prefix))
      await tenant.upsert(collection, [other])
    rows.set(row[written.idField] as string, row)
    await tenant.upsert(written.collection, [row])
  }
  const make = (index: number, times: StoredRow): StoredRow => {
    const row = sampleRow(written, index, prefix)
    const under = parent === null ? {} : { [parent.param]: parentId }
    return { ...row, ...shownState(written), ...under, ...timesOf(times), ...idsOf(written, row) }
  }
  for (let index = 0; index < ROWS; index += 1) await save(make(index, sampleRow(written, index)))

  let made = ROWS
  let turn = below(100)
  const changes = [
    // The new row has the times of an existing row, which may be before the reader's position or after it.
    async () => save(make((made += 1), pick())),
    async () => save(make((made += 1), {})),
    async () => {
      const row = pick()
      await save({ ...make(below(1000), row), ...idsOf(written, row) })
    },
    async () => {
      const row = pick()
      const id = row[written.idField] as string
      rows.delete(id)
      deleted.add(id)
      await remove({ service, database }, written, organizationId, row)
    },
    ...(endpoint.resource.collection === 'links'
      ? [
          async () => {
            await tenant.upsert('link-events', [eventOf(pick(), (made += 1))])
          },
        ]
      : []),
  ]
  const pick = (): StoredRow => [...rows.values()][below(rows.size)] ?? sampleRow(written, 0)
  const path = endpoint.path.replaceAll(/\{\w+\}/g, String(parentId))
  return {
    idOf: (row) => String(row[shownId]),
    deleted,
    async change() {
      service.clock.advance([-5000, 0, 1, 60_000][below(4)] ?? 0)
      turn += 1
      await changes[turn % changes.length]?.()
    },
    async walk(query, between) {
      const all: Row[] = []
      for (let cursor = ''; ;) {
        const response = await service.send(`${path}?limit=${PAGE}&${query}&cursor=${cursor}`, { key })
        const text = await response.text()
        expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
        const page = JSON.parse(text) as { data: Row[]; pagination: { nextCursor: string | null } }
        all.push(...page.data)
        if (page.pagination.nextCursor === null) return all
        cursor = page.pagination.nextCursor
        await between()
      }
    },
  }
}

/** The rows whose fields a row shows, by their collection. */
function joinedRows(of: Resource, row: StoredRow, prefix: string): ReadonlyMap<string, StoredRow> {
  const joins = Object.values(of.fields).flatMap((entry) => (entry.origin === 'joined' ? [entry.join] : []))
  return new Map(
    joins.map(({ collection, by }) => {
      const other = resourceOf(collection)
      const id = row[by]
      return [collection, { ...sampleRow(other, 0, prefix), [other.idField]: id }] as const
    }),
  )
}

/** The fields that identify a row. */
function idsOf({ idField, alternateKey }: Resource, row: StoredRow): StoredRow {
  return { [idField]: row[idField], ...(alternateKey === null ? {} : { [alternateKey]: row[alternateKey] }) }
}

/** The times of a row, which never change after its insertion. */
function timesOf(row: StoredRow): StoredRow {
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => /(?:At|Date)$/.test(name) && value !== null),
  )
}

/** Values that keep a row visible in its collection. */
function shownState({ collection }: Resource): StoredRow {
  return collection === 'reviews' ? { isDeleted: false, isPreview: false } : {}
}

function eventOf(link: StoredRow, index: number): StoredRow {
  return { ...sampleRow(linkEvents, index), linkId: link.linkId }
}

/** No port deletes a row. A review disappears when it is marked as deleted. */
async function remove(
  { service, database }: Engine,
  resource: Resource,
  organizationId: string,
  row: StoredRow,
): Promise<void> {
  if (resource.collection === 'reviews') {
    await service.storage.tenant(organizationId).upsert('reviews', [{ ...row, isDeleted: true }])
    return
  }
  const { name, idColumn } = tableOf(resource.collection)
  const sql = `delete from ${name} where organization_id = ? and ${idColumn} = ?`
  await database.prepare(sql).bind(organizationId, row[resource.idField]).all()
}

async function changeSome({ change }: Bench): Promise<void> {
  for (let count = 0; count < CHANGES_BETWEEN_PAGES; count += 1) await change()
}

const never = async () => {}

async function testWalk(engine: Engine, endpoint: CollectionEndpoint, seed: number): Promise<void> {
  const bench = await openBench(engine, endpoint, `walk-${endpoint.id.replaceAll('.', '-')}`, seed)
  const before = (await bench.walk('', never)).map(bench.idOf)
  expect(before.length).toBeGreaterThan(ROWS - 4)
  const seen = (await bench.walk('', () => changeSome(bench))).map(bench.idOf)
  expect(bench.deleted.size).toBeGreaterThan(0)
  expect(new Set(seen).size).toBe(seen.length)
  const stayed = before.filter((row) => !bench.deleted.has(row))
  expect(stayed.filter((row) => !seen.includes(row))).toEqual([])
}

async function testSync(engine: Engine, endpoint: CollectionEndpoint, seed: number): Promise<void> {
  const bench = await openBench(engine, endpoint, `sync-${endpoint.id.replaceAll('.', '-')}`, seed + 1000)
  const copy = new Map<string, Row>()
  let since = '2000-01-01T00:00:00.000Z'
  for (const between of [() => changeSome(bench), () => changeSome(bench), never]) {
    for (const row of await bench.walk(`updatedAfter=${since}`, between)) {
      copy.set(bench.idOf(row), row)
      expect(String(row.updatedAt) >= since).toBe(true)
      since = String(row.updatedAt)
    }
  }
  const now = await bench.walk('', never)
  expect(now.length).toBeGreaterThan(0)
  for (const row of now) expect(copy.get(bench.idOf(row))).toEqual(row)
}

function testCollections(endpoints: readonly CollectionEndpoint[], engine: () => Engine): void {
  for (const endpoint of endpoints) {
    const { id } = endpoint
    const seed = collections.indexOf(endpoint) + 1
    test(`${id}: rows that stayed come once each, whatever is inserted, updated and deleted between pages`, () =>
      testWalk(engine(), endpoint, seed))
    if (endpoint.syncOrder === null) continue
    test(`${id}: a sync, run to its end and again from its last value, has seen every change`, () =>
      testSync(engine(), endpoint, seed))
  }
  test('nothing failed inside', () => {
    expect(engine().service.errors).toEqual([])
  })
}

async function openEngine(database: D1Database): Promise<Engine> {
  return { database, service: await openTestService((clock) => createD1Storage({ database, clock })) }
}

describe('in this process', () => {
  let opened: ReturnType<typeof openSqliteAsD1>
  let engine: Engine
  beforeAll(async () => {
    opened = openSqliteAsD1()
    engine = await openEngine(opened.database)
  })
  afterAll(() => {
    opened.close()
  })
  // Nobody inserts or changes removals: the rows that others lose make them.
  testCollections(
    collections.filter(({ resource }) => resource.keptFrom !== EVERY_COLLECTION),
    () => engine,
  )
})

describe('on the real runtime', () => {
  let databases: LocalD1
  let engine: Engine
  beforeAll(async () => {
    databases = await openSharedD1()
    engine = await openEngine(await databases.next())
  })
  afterAll(() => databases.dispose())
  testCollections(
    collections.filter(({ id }) => ON_THE_RUNTIME.includes(id)),
    () => engine,
  )
})
