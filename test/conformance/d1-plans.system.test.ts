import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test as vitestTest } from 'vitest'
import type { SqliteStorage } from '../../adapters/sqlite/index.ts'
import { tableOf } from '../../adapters/sqlite/tables.ts'
import type { Meter } from '../../ports/platform.ts'
import { createD1Storage, createExecutor, createMeter } from '../../adapters/d1/index.ts'
import type { Resource } from '../../domain/record/resource.ts'
import { resourceOf, resources, writtenResources } from '../../domain/resources/index.ts'
import type { Order, Predicate, StoredRow, OutboxEntry } from '../../ports/records.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import {
  LIMIT,
  checkGroups,
  checkPlans,
  collections,
  groupReads,
  read,
  type PlanBench,
} from '../support/databases/plan-checks.ts'
import { OVERHEAD_ROWS, checkRowsRead } from '../support/databases/row-counts.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { form, organization, submission, tenantKey } from '../../adapters/conformance/fixtures.ts'

/** Seven pages, so that a read of more rows than its page shows in the counts. */
const ROWS = 750
const ROWS_PER_CALL = 100

// These tests assert without vitest, as the conformance cases do.
const cases = runnerOf(vitestTest)
const test: typeof cases.test = (name, run) => {
  cases.test(name, run)
}

let databases: LocalD1
let storage: SqliteStorage
/** The rows on D1, which counts what it reads. */
let counted: PlanBench
/** The same rows in node:sqlite, for checks that need no counts. */
let planned: PlanBench
const meter: Meter = createMeter()

const samples = (resource: Resource, prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => sampleRow(resource, index, prefix))

beforeAll(async () => {
  const clock = { nowMs: () => Date.parse('2026-03-01T00:00:00.000Z') }
  const seeded = createScratchStorage({ clock })
  for (const id of ['org-a', 'org-b']) await seeded.administration.saveOrganization(organization(id))
  await seeded.administration.addKey(tenantKey('org-a', 'key-a'))
  for (const resource of writtenResources) {
    const rows = samples(resource, '', ROWS)
    // In batches, so that updatedAt takes several values.
    for (let start = 0; start < ROWS; start += ROWS_PER_CALL) {
      await seeded.tenant('org-a').upsert(resource.collection, rows.slice(start, start + ROWS_PER_CALL))
    }
    await seeded.tenant('org-b').upsert(resource.collection, samples(resource, 'b-', 250))
  }
  await seeded.database.batch([
    {
      sql: `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${ROWS - 1})
        insert into removals (organization_id, collection, id, parent_id, updated_at, removal_id)
        select 'org-a', 'collection-' || (i % 4), 'id-' || i, null,
          strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || (i / 2) || ' seconds'), json_array(i % 4, null, 'id-' || i)
        from n`,
      parameters: [],
    },
  ])
  planned = { executor: seeded.database, storage: seeded, meter: seeded.meter }
  databases = await openSharedD1(1, seeded.database.image())
  const database = await databases.next()
  storage = createD1Storage({ database, clock, meter })
  counted = { executor: createExecutor({ database, clock }), storage, meter }
})
afterAll(() => databases.dispose())

describe.each(collections.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  test('every order and filter is served by an index, without sorting', async () => {
    expect(await checkPlans(planned, endpoint)).toBeGreaterThan(2)
  })

  test('a page reads its own rows and no more, at the beginning and in the middle', async () => {
    await checkRowsRead(counted, endpoint)
  })
})

vitestTest.each(groupReads)('$id finds the rows of its window by an index', async (endpoint) => {
  expect(await checkGroups(planned, endpoint)).toBeGreaterThan(2)
})

describe('other reads', () => {
  test('one row by id reads itself, the key and the organization', async () => {
    for (const resource of writtenResources.filter(({ key }) => key.length === 1)) {
      const { collection, idField } = resource
      const id = sampleRow(resource, 0)[idField] as string
      const before = meter.rowsRead
      assert.equal((await read(counted, { kind: 'one', collection, select: [idField], id })).length, 1)
      assert(meter.rowsRead - before <= 3, `${collection}: ${meter.rowsRead - before}`)
    }
  })

  test('rows found by an alternate key read themselves', async () => {
    const keyed = writtenResources.filter(({ alternateKey }) => alternateKey !== null)
    assert(keyed.length > 0)
    for (const resource of keyed) {
      const { collection, idField, alternateKey } = resource
      const keys = [1, 500, ROWS - 1].map((index) => sampleRow(resource, index)[alternateKey ?? ''] as string)
      const before = meter.rowsRead
      const found = await storage
        .tenant('org-a')
        .findMany(collection, [idField], keys, alternateKey ?? undefined)
      assert.equal(found.length, 3)
      // For each of the three keys: the key in the given list, its index entry, and its row; and the end of the list.
      assert(meter.rowsRead - before <= 10, `${collection}: ${meter.rowsRead - before}`)
    }
  })

  test('a redemption costs a few rows however many vouchers its group has', async () => {
    const [redemptions] = writtenResources.filter(({ collection }) => collection === 'voucher-redemptions')
    assert(redemptions !== undefined)
    for (const voucherId of ['voucherId-0', 'voucherId-700']) {
      const row: StoredRow = { ...sampleRow(redemptions, 0), redemptionId: `for-${voucherId}`, voucherId }
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('voucher-redemptions', [row]), { changed: 1 })
      assert(meter.rowsRead - before <= 25, `${voucherId}: ${meter.rowsRead - before}`)
    }
  })

  test('a billing event costs a few rows however many its membership has', async () => {
    const [events] = resources.filter(({ collection }) => collection === 'billing-events')
    assert(events !== undefined)
    for (const membershipId of ['membershipId-0', 'membershipId-700']) {
      const row: StoredRow = { ...sampleRow(events, 0), eventId: `of-${membershipId}`, membershipId }
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('billing-events', [row]), { changed: 1 })
      assert(meter.rowsRead - before <= 15, `${membershipId}: ${meter.rowsRead - before}`)
    }
  })

  test('an event of a link costs a few rows however many its link has and however many links a tag has', async () => {
    const events = resourceOf('link-events')
    for (const [index, linkId] of ['linkId-0', 'linkId-1', 'linkId-700'].entries()) {
      const row: StoredRow = { ...sampleRow(events, 0), eventId: `of-${linkId}`, linkId }
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('link-events', [row]), { changed: 1 })
      assert(meter.rowsRead - before <= 20, `new, ${linkId}: ${meter.rowsRead - before}`)
      const moved: StoredRow = { ...row, linkId: `linkId-${100 + index}` }
      const inBetween = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').upsert('link-events', [moved]), { changed: 1 })
      assert(meter.rowsRead - inBetween <= 40, `moved, ${linkId}: ${meter.rowsRead - inBetween}`)
    }
  })

  test('a review costs a few rows however many its organization and the parent have', async () => {
    await storage.administration.saveOrganization(organization('org-child', { parentId: 'org-a' }))
    const row: StoredRow = { ...sampleRow(resourceOf('reviews'), 0), siteId: 's' }
    for (const rating of [1, 2]) {
      const before = meter.rowsRead
      const { changed } = await storage.tenant('org-child').upsert('reviews', [{ ...row, rating }])
      assert.equal(changed, 1)
      assert(meter.rowsRead - before <= 40, `${meter.rowsRead - before}`)
    }
    const before = meter.rowsRead
    const site: StoredRow = { ...sampleRow(resourceOf('sites'), 0), siteId: 's' }
    await storage.tenant('org-child').upsert('sites', [site])
    assert(meter.rowsRead - before <= 40, `${meter.rowsRead - before}`)
    const moved = meter.rowsRead
    await storage.administration.saveOrganization(organization('org-child'))
    assert(meter.rowsRead - moved <= 40, `${meter.rowsRead - moved}`)
  })

  test('rows are found by their ids one by one, whatever is selected of them', async () => {
    for (const { collection, idField, key } of writtenResources) {
      // A contact is on many lists.
      if (key.length > 1) continue
      const keys = [3, 400, 740].map((index) => String(sampleRow(resourceOf(collection), index)[idField]))
      for (const field of tableOf(collection).columns.keys()) {
        const before = meter.rowsRead
        const found = await storage.tenant('org-a').findMany(collection, [field], keys)
        assert.equal(found.length, keys.length, `${collection}.${field}`)
        assert(meter.rowsRead - before <= 15, `${collection}.${field}: ${meter.rowsRead - before} rows read`)
      }
    }
  })

  test('a window on both sides of the order costs its rows alone, wherever the position lies', async () => {
    const bound = (operator: Predicate['operator'], index: number): Predicate => {
      const [contacts] = writtenResources.filter(({ collection }) => collection === 'contacts')
      assert(contacts !== undefined)
      return { field: 'createdAt', operator, value: sampleRow(contacts, index).createdAt as string }
    }
    const where = [bound('below', 300), bound('atLeast', 700)]
    const order: Order = { field: 'createdAt', idField: 'contactId', direction: 'descending' }
    for (const id of [null, 150, 500, 690]) {
      const after = id === null ? null : { value: bound('below', id).value as string, id: 'contacts-x' }
      const before = meter.rowsRead
      await read(counted, {
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
    const others = samples(resourceOf('form-submissions'), 'other-', 100)
    await storage.tenant('org-a').upsert(
      'form-submissions',
      others.map((row): StoredRow => ({ ...row, formId: 'form-1' })),
    )
    const known = { email: 'known@example.com', phone: '+12125550123' }
    for (const [index, contact] of [known, known, { phone: known.phone }, null].entries()) {
      const before = { ...meter }
      const saved = submission(`plan-${index}`, { limitPerContact: 5, outbox: [outboxEntry(index)] }, contact)
      const outcome = await storage.tenant('org-a').saveSubmission(saved)
      assert.equal(outcome.kind, 'saved')
      assert.equal(meter.calls - before.calls, 1)
      assert(
        meter.rowsRead - before.rowsRead <= 50,
        `submission ${index}: ${meter.rowsRead - before.rowsRead} rows read`,
      )
    }
  })

  test('marking submissions costs a few rows for each, however many there are', async () => {
    const samples = resourceOf('form-submissions')
    const ids = [3, 400, 740].map((index) => String(sampleRow(samples, index).submissionId))
    for (const mark of [{ isRead: true }, { isSpam: true }]) {
      const before = meter.rowsRead
      assert.deepEqual(await storage.tenant('org-a').markSubmissions(ids, mark), [])
      assert(meter.rowsRead - before <= 80, `${JSON.stringify(mark)}: ${meter.rowsRead - before} rows read`)
    }
  })

  test('saving a form costs a few rows however many there are', async () => {
    const row: StoredRow = { ...sampleRow(resourceOf('forms'), 500), name: 'Saved' }
    const [stored] = await storage.tenant('org-a').findMany('forms', ['updatedAt'], [String(row.formId)])
    const before = meter.rowsRead
    const saved = await storage
      .tenant('org-a')
      .change('forms', [{ row, replaces: String(stored?.updatedAt) }], 'Ada')
    assert.equal(saved?.length, 1)
    assert(meter.rowsRead - before <= 60, `${meter.rowsRead - before} rows read`)
  })

  test('erasing a person from rows that name the contact alone costs a few rows for each of theirs', async () => {
    const purchase: StoredRow = {
      ...sampleRow(resourceOf('purchases'), 0, 'erased-'),
      contactId: 'contactId-700',
    }
    await storage.tenant('org-a').upsert('purchases', [purchase])
    const person = { contactIds: ['contactId-700'], emailKeys: [], phones: [], numbers: [] }
    const erased = resources.filter(({ person: of }) => of !== null && !('stays' in of))
    const stages = erased.filter(({ collection }) => collection !== 'contacts')
    const stage = stages.findIndex(({ collection }) => collection === 'purchases')
    const before = meter.rowsRead
    const { rows } = await storage.organizationStore('org-a').eraseSome(person, JSON.stringify([stage, '']))
    assert.equal(rows, 1)
    assert(meter.rowsRead - before <= 30, `${meter.rowsRead - before} rows read`)
  })
})

// Each test starts from the outbox that the previous ones have left.
describe('work after a receipt', { shuffle: false }, () => {
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
    const none = await rowsRead(() => storage.outbox.due('2000-01-01T00:00:00.000Z', 100))
    assert(none <= 12, `${none} rows read for nothing that is due`)
    const due = await rowsRead(() => storage.outbox.due('2100-01-01T00:00:00.000Z', 50))
    assert(due <= 64, `${due} rows read for 50 due entries`)
  })

  test('the sweep steps over a flood: 50 other organizations have their turn in it', async () => {
    const insert = (organizations: string, entries: number) => ({
      sql: `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
          updated_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${entries})
        select ${organizations}, 'many-' || i, 's', 'k', 'null', t, t, t from n, (select '2026-03-01T00:00:00.000Z' as t)`,
      parameters: [],
    })
    await counted.executor.batch([insert("'org-b'", 20_000), insert("'org-turn-' || i", 50)])
    let organizations: readonly string[] = []
    const read = await rowsRead(async () => {
      const due = await storage.outbox.due('2026-03-01T00:01:00.000Z', 500)
      assert.equal(due.length, 500)
      organizations = due.slice(0, 52).map(({ organizationId }) => organizationId)
    })
    assert.equal(organizations.filter((id) => id.startsWith('org-turn-')).length, 50)
    assert(read <= 1_020, `${read} rows read for 500 of 20,050 due entries`)
  })

  test('nothing that is asked of one entry or one submission reads all that waits', async () => {
    const next = await rowsRead(() => storage.outbox.nextDue())
    assert(next <= 250, `${next} rows read for when the next is due`)
    const following = await rowsRead(() => storage.outbox.ofSubmission('org-b', 'other'))
    assert(following <= 20, `${following} rows read for what follows a submission`)
    const owner = await rowsRead(async () => {
      assert.equal(await storage.outbox.ownerOf('due-2'), 'org-a')
    })
    assert(owner <= 250, `${owner} rows read for whose an entry is`)
    const again = await rowsRead(async () => {
      assert.equal(await storage.outbox.redrive('due-2', '2026-03-01T00:00:00.000Z'), 'driven')
    })
    assert(again <= 1_000, `${again} rows read to try an entry again`)
  })

  test('settings on which neither forms nor what waits depends are saved without reading those', async () => {
    await counted.executor.batch([
      {
        sql: `insert into automation_messages (organization_id, message_id, recipient, at, waits_until, is_sent, is_counted)
          with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
          select 'org-b', 'm-' || i, 'r', t, t, 0, 1 from n, (select '2026-03-01T00:00:00.000Z' as t)`,
        parameters: [],
      },
    ])
    const save = (settings: Parameters<typeof organization>[1]) =>
      rowsRead(async () => {
        const saved = await storage.administration.saveOrganization(organization('org-b', settings))
        assert.equal(saved, 'saved')
      })
    const read = await save({ name: 'Other' })
    assert(read <= 40, `${read} rows read`)
    assert((await save({ automationHourly: 3 })) > 500)
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
    // Whether more than 50 entries are due is looked at too, and hundreds are.
    assert(read <= 30 + 51, `${read} rows read`)
  })
})

function outboxEntry(index: number): OutboxEntry {
  return { outboxId: `plan-${index}`, kind: 'notification', payload: {} }
}
