import assert from 'node:assert/strict'
import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { D1Storage, Meter } from '../../adapters/d1/index.ts'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { readStatement } from '../../adapters/d1/read-query.ts'
import { endpoints } from '../../domain/contract/catalog.ts'
import type { CollectionEndpoint } from '../../domain/contract/endpoint.ts'
import { SYNC_FIELD } from '../../domain/contract/endpoint.ts'
import { selection } from '../../domain/contract/resource.ts'
import { resources } from '../../domain/resources/index.ts'
import type { Order, PageQuery, Predicate, ReadQuery, StoredRow } from '../../ports/query.ts'
import type { OutboxEntry } from '../../ports/tenant-writer.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openLocalD1 } from '../support/d1.ts'
import { generatedRow } from '../support/generated-rows.ts'
import { form, organization, submission, tenantKey } from './fixtures.ts'

const ROWS = 3000
const LIMIT = 101

/** Rows besides those of the page: the key, its organization, and one at either end of the seek. */
const OVERHEAD_ROWS = 4

const collections: readonly CollectionEndpoint[] = endpoints.filter(
  (endpoint) => endpoint.kind === 'collection',
)

let databases: LocalD1
let database: D1Database
let storage: D1Storage
const meter: Meter = createMeter()

/** For each collection, an `updatedAt` that some rows lie before and some behind. */
const middleOfSync = new Map<string, string>()

beforeAll(async () => {
  databases = await openLocalD1()
  database = await databases.next()
  const clock = { ms: Date.parse('2026-03-01T00:00:00.000Z'), nowMs: () => clock.ms }
  storage = createD1Storage({ database, clock, meter })
  for (const id of ['org-a', 'org-b']) await storage.administration.saveOrganization(organization(id))
  await storage.administration.addKey(tenantKey('org-a', 'key-a'))
  for (const resource of resources) {
    const rows = Array.from({ length: ROWS }, (_, index) => generatedRow(resource, index))
    // In batches, so that updatedAt takes several values.
    for (let start = 0; start < ROWS; start += 250) {
      await storage.tenant('org-a').upsert(resource.collection, rows.slice(start, start + 250))
    }
    const others = rows
      .slice(0, 250)
      .map((row) => ({ ...row, [resource.idField]: `b-${String(row[resource.idField])}` }))
    await storage.tenant('org-b').upsert(resource.collection, others)
    const middle = rows[ROWS / 2]?.[resource.idField] as string
    const [changed] = await storage.tenant('org-a').findMany(resource.collection, [SYNC_FIELD], [middle])
    middleOfSync.set(resource.collection, changed?.[SYNC_FIELD] as string)
  }
})
afterAll(() => databases.dispose())

/** The order that an endpoint reads in when it is filtered so. */
function orderOf(endpoint: CollectionEndpoint, where: readonly Predicate[]): Order {
  const syncs = where.some(({ field }) => field === SYNC_FIELD)
  return syncs && endpoint.syncOrder !== null ? endpoint.syncOrder : endpoint.order
}

/** Predicates that hold for some of the generated rows: one for each filter, and the parent's for a nested one. */
function predicates(endpoint: CollectionEndpoint) {
  const sample = generatedRow(endpoint.resource, ROWS / 2)
  const { collection } = endpoint.resource
  const valueOf = (field: string) =>
    (field === SYNC_FIELD ? middleOfSync.get(collection) : sample[field]) as string
  const parent: Predicate[] =
    endpoint.parent === null
      ? []
      : [{ field: endpoint.parent.param, operator: 'equals', value: valueOf(endpoint.parent.param) }]
  const filters = Object.entries(endpoint.filters).map(
    ([name, { field, operator }]) => [name, { field, operator, value: valueOf(field) }] as const,
  )
  return { parent, filters }
}

/** Every read that must be served in order by an index: natural and sync order, alone and with each filter. */
function orderedReads(endpoint: CollectionEndpoint): readonly (readonly [string, readonly Predicate[]])[] {
  const { parent, filters } = predicates(endpoint)
  const natural: (readonly [string, readonly Predicate[]])[] = [
    ['no filter', parent],
    ...filters.map(([name, predicate]) => [name, [...parent, predicate]] as const),
  ]
  const sync = filters.find(([, { field, operator }]) => field === SYNC_FIELD && operator === 'atLeast')
  if (sync === undefined) return natural
  const others = filters.filter(([, { field }]) => field !== SYNC_FIELD)
  return [
    ...natural,
    ...others.map(
      ([name, predicate]) => [`${name} and ${sync[0]}`, [...parent, predicate, sync[1]]] as const,
    ),
  ]
}

function pageQuery(
  endpoint: CollectionEndpoint,
  where: readonly Predicate[],
  after: PageQuery['after'],
): PageQuery {
  const order = orderOf(endpoint, where)
  const select = [...new Set([...selection(endpoint.resource), order.field, order.idField])]
  return { kind: 'page', collection: endpoint.resource.collection, select, where, order, after, limit: LIMIT }
}

async function read(query: ReadQuery): Promise<readonly StoredRow[]> {
  const result = await storage.keyed
    .open({ organizationId: 'org-a', keyId: 'key-a' }, async () => true)
    .read([query])
  assert(result.authenticated)
  return result.results[0] ?? []
}

async function planOf(query: ReadQuery): Promise<readonly string[]> {
  const { sql, parameters } = readStatement('org-a', query)
  const statement = database.prepare(`explain query plan ${sql}`).bind(...parameters)
  const { results } = await statement.all<{ detail: string }>()
  return results.map(({ detail }) => detail)
}

function positionOf(row: StoredRow | undefined, { field, idField }: Order): PageQuery['after'] {
  return row === undefined ? null : { value: row[field] as string, id: row[idField] as string }
}

describe.each(collections.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  test('every order and filter is served by an index, without sorting', async () => {
    for (const [name, where] of orderedReads(endpoint)) {
      for (const after of [null, { value: '2026-03-01T00:00:00.000Z', id: 'x' }]) {
        const plan = await planOf(pageQuery(endpoint, where, after))
        const message = `${name}: ${plan.join('; ')}`
        assert.match(plan[0] ?? '', /^SEARCH t USING (COVERING )?INDEX \w+ \(organization_id=\?/, message)
        for (const step of plan) assert.doesNotMatch(step, /TEMP B-TREE|^SCAN/, message)
      }
    }
  })

  test('a page reads its own rows and no more, at the beginning and in the middle', async () => {
    const { parent, filters } = predicates(endpoint)
    const reads = orderedReads(endpoint).filter(([, where]) => {
      // A range on a field other than the order's tests the rows that it passes over.
      const { field } = orderOf(endpoint, where)
      return where.every((predicate) => predicate.operator === 'equals' || predicate.field === field)
    })
    assert(reads.length > 2 && filters.length + parent.length > 0)
    for (const [name, where] of reads) {
      const query = pageQuery(endpoint, where, null)
      const joins = query.select.some((field) => endpoint.resource.fields[field]?.origin === 'joined')
      const most = LIMIT * (joins ? 2 : 1) + OVERHEAD_ROWS
      let after: PageQuery['after'] = null
      for (const place of ['first page', 'second page', 'third page']) {
        const before = { ...meter }
        const rows = await read({ ...query, after })
        const rowsRead = meter.rowsRead - before.rowsRead
        assert.equal(meter.calls - before.calls, 1)
        assert.equal(meter.rowsWritten, before.rowsWritten)
        assert(rowsRead <= most, `${name}, ${place}: ${rowsRead} rows read for ${rows.length}`)
        after = positionOf(rows[LIMIT - 2], query.order) ?? after
        assert(rows.length > 0, `${name}, ${place}: nothing found`)
      }
    }
  })
})

describe('other reads', () => {
  test('one row by id reads itself, the key and the organization', async () => {
    for (const { collection, idField } of resources) {
      const before = meter.rowsRead
      const id = `${collection}-${'0'.repeat(7)}`
      assert.equal((await read({ kind: 'one', collection, select: [idField], id })).length, 1)
      assert(meter.rowsRead - before <= 3, `${collection}: ${meter.rowsRead - before}`)
    }
  })

  test('a window on both sides of the order costs its rows alone, wherever the position lies', async () => {
    const bound = (operator: Predicate['operator'], index: number): Predicate => {
      const [contacts] = resources.filter(({ collection }) => collection === 'contacts')
      assert(contacts !== undefined)
      return { field: 'createdAt', operator, value: generatedRow(contacts, index).createdAt as string }
    }
    const where = [bound('below', 1000), bound('atLeast', 2000)]
    const order: Order = { field: 'createdAt', idField: 'contactId', direction: 'descending' }
    for (const id of [null, 500, 1500, 1990]) {
      const after = id === null ? null : { value: bound('below', id).value as string, id: 'contacts-x' }
      const before = meter.rowsRead
      await read({
        kind: 'page',
        collection: 'contacts',
        select: ['contactId'],
        where,
        order,
        after,
        limit: LIMIT,
      })
      assert(meter.rowsRead - before <= LIMIT + OVERHEAD_ROWS, `after ${id}: ${meter.rowsRead - before}`)
    }
  })

  test('saving a submission costs a few rows however many there are', async () => {
    await storage.tenant('org-a').upsert('forms', [form('form-1')])
    const known = { email: 'known@example.com', phone: '+12125550123' }
    for (const [index, contact] of [known, known, { phone: known.phone }, null].entries()) {
      const before = { ...meter }
      const saved = submission(`plan-${index}`, { limitPerContact: 5, outbox: [outboxEntry(index)] }, contact)
      const outcome = await storage.tenant('org-a').saveSubmission(saved)
      assert.equal(outcome.kind, 'saved')
      assert.equal(meter.calls - before.calls, 1)
      assert(
        meter.rowsRead - before.rowsRead <= 40,
        `submission ${index}: ${meter.rowsRead - before.rowsRead} rows read`,
      )
    }
  })
})

describe('work after a receipt', () => {
  async function rowsRead(work: () => Promise<unknown>): Promise<number> {
    const before = meter.rowsRead
    await work()
    return meter.rowsRead - before
  }

  test('the sweep reads what is due and nothing else, however much waits for later', async () => {
    await storage.tenant('org-a').upsert('forms', [form('form-due')])
    const entries = Array.from({ length: 200 }, (_, index) => ({
      ...outboxEntry(index),
      outboxId: `due-${index}`,
    }))
    const saved = submission('due', { formId: 'form-due', outbox: entries })
    assert.equal((await storage.tenant('org-a').saveSubmission(saved)).kind, 'saved')
    assert((await rowsRead(() => storage.outbox.due('2000-01-01T00:00:00.000Z', 100))) <= 1)
    const due = await rowsRead(() => storage.outbox.due('2100-01-01T00:00:00.000Z', 50))
    assert(due <= 51, `${due} rows read for 50 due entries`)
  })

  test('claiming and settling an entry cost a few rows', async () => {
    const mine = storage.outbox.open('org-a')
    const now = '2100-01-01T00:00:00.000Z'
    const claim = await rowsRead(() => mine.claim('due-1', { token: 't', until: now }, now))
    const settle = await rowsRead(() => mine.settle('due-1', 't', { kind: 'done', sends: [] }, now))
    assert(claim <= 12 && settle <= 3, `${claim} and ${settle} rows read`)
  })

  test('a submission finds what it triggers by an index, among thousands of automations', async () => {
    await storage.tenant('org-a').upsert('forms', [form('form-quiet')])
    const saved = submission('quiet', { formId: 'form-quiet' })
    const read = await rowsRead(() => storage.tenant('org-a').saveSubmission(saved))
    assert(read <= 30, `${read} rows read`)
  })
})

function outboxEntry(index: number): OutboxEntry {
  return { outboxId: `plan-${index}`, kind: 'notification', payload: {} }
}
