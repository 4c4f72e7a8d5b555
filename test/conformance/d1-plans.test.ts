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
import { resourceOf, resources, writtenResources } from '../../domain/resources/index.ts'
import type { Order, PageQuery, Predicate, ReadQuery, Scalar, StoredRow } from '../../ports/query.ts'
import type { OutboxEntry } from '../../ports/tenant-writer.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openLocalD1 } from '../support/d1.ts'
import { generatedRow } from '../support/generated-rows.ts'
import { form, organization, submission, tenantKey } from './fixtures.ts'

const ROWS = 3000
const LIMIT = 101

/** Rows besides those of the page: the key, its organization, and one at either end of the seek. */
const OVERHEAD_ROWS = 4

/** Filters that read rows which they do not show, each with the reason. */
const TESTED_ROW_BY_ROW: Readonly<Record<string, string>> = {
  minScore: 'a range of scores runs across the order of time, so no index has both; scores take few values',
  maxScore: 'as minScore',
}

/** Rows of a point of sale are never kept in this storage. */
const collections: readonly CollectionEndpoint[] = endpoints
  .filter((endpoint) => endpoint.kind === 'collection')
  .filter(({ rowsFrom }) => rowsFrom !== 'pos')

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
  for (const resource of writtenResources) {
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
    for (const { collection, keptFrom } of resources) {
      if (keptFrom === resource.collection) middleOfSync.set(collection, changed?.[SYNC_FIELD] as string)
    }
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
  const { keptFrom } = endpoint.resource
  const sample = generatedRow(keptFrom === null ? endpoint.resource : resourceOf(keptFrom), ROWS / 2)
  const { collection } = endpoint.resource
  const valueOf = (field: string) => {
    const value = field === SYNC_FIELD ? middleOfSync.get(collection) : sample[field]
    // What a list is asked to contain is one of its elements.
    return (Array.isArray(value) ? value[0] : value) as string
  }
  const equals = (field: string, value: Scalar): Predicate => ({ field, operator: 'equals', value })
  const { only } = endpoint.resource
  const parent = [
    ...(only === null ? [] : [equals(only.field, only.value)]),
    ...(endpoint.parent === null ? [] : [equals(endpoint.parent.param, valueOf(endpoint.parent.param))]),
  ]
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
        const paged = plan.filter((step) => / [tm] /.test(step) && !step.includes(' t USING PRIMARY KEY'))
        assert(paged.length > 0, message)
        for (const step of paged) {
          assert.match(step, /^SEARCH [tm] USING (COVERING )?INDEX \w+ \(organization_id=\?/, message)
        }
        for (const step of plan) assert.doesNotMatch(step, /TEMP B-TREE|^SCAN (?!\(subquery)/, message)
      }
    }
  })

  test('a page reads its own rows and no more, at the beginning and in the middle', async () => {
    const { parent, filters } = predicates(endpoint)
    const reads = orderedReads(endpoint).filter(([name, where]) => {
      const { field } = orderOf(endpoint, where)
      const ranges = where.filter(({ operator }) => operator !== 'equals' && operator !== 'contains')
      const across = ranges.filter((range) => range.field !== field)
      // In a sync, the window of the natural time tests the rows that it passes over, too.
      const exempt = name.split(' ')[0] ?? ''
      assert(
        across.every((range) => range.field === endpoint.order.field || exempt in TESTED_ROW_BY_ROW),
        name,
      )
      return across.length === 0
    })
    assert(reads.length > 2 || filters.length === 0)
    assert(filters.length + parent.length > 0)
    for (const [name, where] of reads) {
      const query = pageQuery(endpoint, where, null)
      const joins = query.select.some((field) => endpoint.resource.fields[field]?.origin === 'joined')
      const followsList = where.some(({ operator }) => operator === 'contains')
      const most = LIMIT * (joins || followsList ? 2 : 1) + OVERHEAD_ROWS
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
    for (const { collection, idField } of writtenResources.filter(({ key }) => key.length === 1)) {
      const before = meter.rowsRead
      const id = `${collection}-${'0'.repeat(7)}`
      assert.equal((await read({ kind: 'one', collection, select: [idField], id })).length, 1)
      assert(meter.rowsRead - before <= 3, `${collection}: ${meter.rowsRead - before}`)
    }
  })

  test('rows found by an alternate key read themselves', async () => {
    const keyed = writtenResources.filter(({ alternateKey }) => alternateKey !== null)
    assert(keyed.length > 0)
    for (const { collection, idField, alternateKey } of keyed) {
      const keys = [1, 500, 2999].map((index) => `${collection}-${String(index).padStart(7, '0')}`)
      const before = meter.rowsRead
      const found = await storage
        .tenant('org-a')
        .findMany(collection, [idField], keys, alternateKey ?? undefined)
      assert.equal(found.length, 3)
      // The key itself, its index entry and its row.
      assert(meter.rowsRead - before <= 9, `${collection}: ${meter.rowsRead - before}`)
    }
  })

  test('a redemption costs a few rows however many vouchers its group has', async () => {
    const [redemptions] = writtenResources.filter(({ collection }) => collection === 'voucher-redemptions')
    assert(redemptions !== undefined)
    for (const voucherId of ['vouchers-0000000', 'vouchers-0002000']) {
      const row: StoredRow = { ...generatedRow(redemptions, 0), redemptionId: `for-${voucherId}`, voucherId }
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('voucher-redemptions', [row]), { changed: 1 })
      assert(meter.rowsRead - before <= 25, `${voucherId}: ${meter.rowsRead - before}`)
    }
  })

  test('a billing event costs a few rows however many its membership has', async () => {
    const [events] = resources.filter(({ collection }) => collection === 'billing-events')
    assert(events !== undefined)
    for (const membershipId of ['memberships-0000000', 'memberships-0002000']) {
      const row: StoredRow = { ...generatedRow(events, 0), eventId: `of-${membershipId}`, membershipId }
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('billing-events', [row]), { changed: 1 })
      assert(meter.rowsRead - before <= 15, `${membershipId}: ${meter.rowsRead - before}`)
    }
  })

  test('a review costs a few rows however many its organization and the parent have', async () => {
    await storage.administration.saveOrganization(organization('org-child', { parentId: 'org-a' }))
    const row: StoredRow = { ...generatedRow(resourceOf('reviews'), 0), siteId: 's' }
    for (const rating of [1, 2]) {
      const before = meter.rowsRead
      const { changed } = await storage.tenant('org-child').upsert('reviews', [{ ...row, rating }])
      assert.equal(changed, 1)
      assert(meter.rowsRead - before <= 40, `${meter.rowsRead - before}`)
    }
    const before = meter.rowsRead
    const site: StoredRow = { ...generatedRow(resourceOf('sites'), 0), siteId: 's' }
    await storage.tenant('org-child').upsert('sites', [site])
    assert(meter.rowsRead - before <= 40, `${meter.rowsRead - before}`)
    const moved = meter.rowsRead
    await storage.administration.saveOrganization(organization('org-child'))
    assert(meter.rowsRead - moved <= 40, `${meter.rowsRead - moved}`)
  })

  test('a window on both sides of the order costs its rows alone, wherever the position lies', async () => {
    const bound = (operator: Predicate['operator'], index: number): Predicate => {
      const [contacts] = writtenResources.filter(({ collection }) => collection === 'contacts')
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
