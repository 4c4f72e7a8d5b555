import assert from 'node:assert/strict'
import type { OneQuery, PageQuery, PosSource, PosSourceTie, StoredRow, Predicate } from '../../ports/index.ts'
import { customers } from '../../domain/pos/customers.ts'
import { posEndpoints, posResources, posSourceKinds } from '../../domain/pos/index.ts'
import { emailKey } from '../../domain/text/typed-text.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { casesFrom, type Case } from './cases.ts'

/** A point-of-sale system under test, empty at first. */
export interface PosInstance {
  readonly kind: PosSourceTie['kind']
  /**
   * Fields that the system cannot store, which are read as null. A dot leads into a list
   * (`lineItems.grossAmountCents`).
   */
  readonly lacks: readonly string[]
  /** Opens the source of a tenant, or of a name that no tenant has. */
  source(tenant: string): Promise<PosSource>
  /**
   * Puts whole neutral rows into a tenant's data without the port. Collections: `pos-transactions`, `pos-customers`,
   * `pos-recurring-accounts`, `pos-billing-events` and `pos-status-events` (the last two with `accountId`).
   */
  load(tenant: string, collection: string, rows: readonly StoredRow[]): Promise<void>
}

/** Makes a fresh, empty system. Cases use the tenants `north` and `south`. */
export type MakePos = () => Promise<PosInstance>

/** One promise of the point-of-sale port, with the check that an adapter keeps it. Rejects when it does not. */
export type PosCase = Case<MakePos>

/** An empty system, with which every case begins. */
export const empty = (make: MakePos): Promise<PosInstance> => make()

/**
 * A page, which the source must be able to read. Rejects with the reason when the source says that it is unavailable.
 */
export async function pageOf(source: PosSource, query: PageQuery) {
  const page = await source.page(query)
  assert(page.kind === 'page', page.kind === 'page' ? '' : page.reason)
  return page
}

/** A row, or null when there is none; the source must be available. */
export async function rowOf(source: PosSource, query: OneQuery): Promise<StoredRow | null> {
  const found = await source.one(query)
  assert(found.kind === 'row', found.kind === 'row' ? '' : found.reason)
  return found.row
}

/** Follows a query to its end and returns all rows; `between` runs after each page but the last. */
export async function readAll(
  source: PosSource,
  query: PageQuery,
  between: () => Promise<void> = async () => {},
): Promise<readonly StoredRow[]> {
  const all: StoredRow[] = []
  for (let after = query.after; ;) {
    const page = await pageOf(source, { ...query, after })
    assert(page.rows.length <= query.limit, 'more rows than were asked for')
    all.push(...page.rows)
    if (page.next === null) return all
    assert(page.rows.length > 0, 'an empty page that another follows')
    after = page.next
    await between()
  }
}

const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** The instant some seconds after the start, with milliseconds that a careless conversion would drop. */
export function at(seconds: number): string {
  return toInstant(START_MS + seconds * 1000 + 250)
}

export function transaction(transactionId: string, changes: StoredRow = {}): StoredRow {
  return {
    transactionId,
    customerId: null,
    siteCode: null,
    completedAt: at(0),
    type: 'sale',
    currency: 'USD',
    subtotalCents: null,
    discountCents: null,
    taxCents: null,
    tipCents: null,
    totalCents: 1500,
    paymentMethod: null,
    lineItems: [],
    ...changes,
  }
}

export function lineItem(lineId: string, changes: StoredRow = {}): StoredRow {
  return {
    lineId,
    productCode: null,
    name: null,
    quantity: null,
    grossAmountCents: null,
    netAmountCents: null,
    discountCents: null,
    ...changes,
  }
}

export function customer(customerId: string, changes: StoredRow = {}): StoredRow {
  const { email } = changes
  return {
    customerId,
    firstName: null,
    lastName: null,
    email: null,
    phone: null,
    licensePlates: [],
    active: null,
    homeSiteCode: null,
    lastVisitAt: null,
    createdAt: at(0),
    ...changes,
    emailKey: typeof email === 'string' ? emailKey(email) : null,
  }
}

export function account(accountId: string, changes: StoredRow = {}): StoredRow {
  return {
    accountId,
    customerId: null,
    status: 'active',
    planCode: null,
    planName: null,
    amountCents: null,
    billingInterval: null,
    siteCode: null,
    startedAt: at(0),
    nextBillingAt: null,
    canceledAt: null,
    ...changes,
  }
}

export function billingEvent(eventId: string, accountId: string, changes: StoredRow = {}): StoredRow {
  const unknown = { amountCents: null, result: null }
  return { eventId, accountId, occurredAt: at(0), type: 'payment', ...unknown, ...changes }
}

export function statusEvent(eventId: string, accountId: string, changes: StoredRow = {}): StoredRow {
  const unknown = { fromStatus: null, reason: null }
  return { eventId, accountId, occurredAt: at(0), toStatus: 'active', ...unknown, ...changes }
}

export function where(field: string, operator: Predicate['operator'], value: Predicate['value']): Predicate {
  return { field, operator, value }
}

export function equals(field: string, value: Predicate['value']): Predicate {
  return where(field, 'equals', value)
}

/** A query for all rows of a collection in its own order, in one page unless `limit` says otherwise. */
export function pageQuery(collection: string, predicates: readonly Predicate[] = [], limit = 500): PageQuery {
  return {
    kind: 'page',
    collection,
    select: fieldsOf(collection),
    where: predicates,
    order: orderOf(collection),
    after: null,
    limit,
  }
}

export function oneQuery(collection: string, id: string): OneQuery {
  return { kind: 'one', collection, select: fieldsOf(collection), id }
}

/** The published fields of a collection. */
function fieldsOf(collection: string): readonly string[] {
  return Object.keys(
    (posResources.find((resource) => resource.collection === collection) ?? customers).fields,
  )
}

function orderOf(collection: string): PageQuery['order'] {
  for (const endpoint of posEndpoints) {
    if (endpoint.kind === 'collection' && endpoint.resource.collection === collection) return endpoint.order
  }
  throw new Error(`No collection ${collection}`)
}

/** A loaded row as a source must return it: its published fields, null for those that the system does not store. */
export function asRead(of: PosInstance, collection: string, row: StoredRow): StoredRow {
  return Object.fromEntries(
    fieldsOf(collection)
      .filter((field) => Object.hasOwn(row, field))
      .map((field) => [field, without(of.lacks, field, row[field])]),
  )
}

function without(lacks: readonly string[], field: string, value: unknown): unknown {
  if (lacks.includes(field)) return Array.isArray(value) ? [] : null
  if (!Array.isArray(value)) return value
  return value.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? Object.fromEntries(
          Object.entries(entry).map(([key, inner]) => [key, without(lacks, `${field}.${key}`, inner)]),
        )
      : entry,
  )
}

/** The ids of rows, in their order. */
export function ids(rows: readonly StoredRow[]): readonly unknown[] {
  return rows.map(({ transactionId, accountId, customerId }) => transactionId ?? accountId ?? customerId)
}

/** Rows whose times tie in threes and grow with the ids: `x-00` … at seconds 0, 0, 0, 1, 1, 1, … */
function tied(
  count: number,
  make: (id: string, changes: StoredRow) => StoredRow,
  time: string,
): readonly StoredRow[] {
  return Array.from({ length: count }, (_, index) =>
    make(`x-${String(index).padStart(2, '0')}`, { [time]: at(Math.floor(index / 3)) }),
  )
}

const timed = [
  ['pos-transactions', transaction, 'completedAt'],
  ['pos-customers', customer, 'createdAt'],
  ['pos-recurring-accounts', account, 'startedAt'],
] as const

const orderedByNullable = [
  ...timed.slice(1),
  ['pos-recurring-account-details', account, 'startedAt'],
] as const

export const posPagingCases = casesFrom(empty, {
  async 'pages hold every row once, newest first, ties by id in the same direction'(pos) {
    for (const [collection, row, time] of timed) {
      const rows = tied(14, row, time)
      await pos.load('north', collection, rows)
      const source = await pos.source('north')
      for (const limit of [1, 2, 3, 5, 14, 500]) {
        const all = await readAll(source, pageQuery(collection, [], limit))
        assert.deepEqual(ids(all), ids(rows).toReversed(), `${collection}, ${limit} a page`)
      }
    }
  },
  async 'the last page says so, full or not, and an empty collection is one empty page'(pos) {
    await pos.load('north', 'pos-transactions', tied(4, transaction, 'completedAt'))
    const source = await pos.source('north')
    const nextOf = async (limit: number) =>
      (await pageOf(source, pageQuery('pos-transactions', [], limit))).next
    assert.notEqual(await nextOf(3), null)
    assert.equal(await nextOf(4), null)
    assert.equal(await nextOf(5), null)
    const empty = await pageOf(source, pageQuery('pos-customers'))
    assert.deepEqual(empty, { kind: 'page', rows: [], next: null })
  },
  async 'rows without a time come last, by id, whatever the page size'(pos) {
    for (const [collection, row, time] of orderedByNullable) {
      if (collection !== 'pos-recurring-account-details') {
        const without = ['x-30', 'x-01b', 'x-99'].map((id) => row(id, { [time]: null }))
        await pos.load('north', collection, [...tied(4, row, time), ...without])
      }
      const source = await pos.source('north')
      const expected = ['x-03', 'x-02', 'x-01', 'x-00', 'x-99', 'x-30', 'x-01b']
      for (const limit of [1, 2, 3, 4, 5, 7, 8]) {
        const all = await readAll(source, pageQuery(collection, [], limit))
        assert.deepEqual(ids(all), expected, `${collection}, ${limit} a page`)
      }
    }
  },
  async 'rows without a time come last among those that a filter leaves, and alone'(pos) {
    const rows = [
      account('a', { siteCode: 'RIV', startedAt: null }),
      account('b', { siteCode: 'RIV' }),
      account('c', { siteCode: 'DTN', startedAt: null }),
      account('d', { siteCode: 'RIV', startedAt: null }),
    ]
    await pos.load('north', 'pos-recurring-accounts', rows)
    const source = await pos.source('north')
    for (const limit of [1, 2, 3]) {
      const bySite = async (site: string) =>
        ids(await readAll(source, pageQuery('pos-recurring-accounts', [equals('siteCode', site)], limit)))
      assert.deepEqual(await bySite('RIV'), ['b', 'd', 'a'])
      assert.deepEqual(await bySite('DTN'), ['c'])
    }
  },
  async 'windows include their beginning and leave out their end, so that they tile'(pos) {
    const rows = tied(12, transaction, 'completedAt')
    await pos.load('north', 'pos-transactions', rows)
    const source = await pos.source('north')
    const windowed = async (from: number | null, to: number | null, limit: number) => {
      const bounds = [
        ...(from === null ? [] : [where('completedAt', 'atLeast', at(from))]),
        ...(to === null ? [] : [where('completedAt', 'below', at(to))]),
      ]
      return ids(await readAll(source, pageQuery('pos-transactions', bounds, limit)))
    }
    for (const limit of [1, 4, 500]) {
      assert.deepEqual(await windowed(2, null, limit), ids(rows.slice(6)).toReversed())
      assert.deepEqual(await windowed(null, 2, limit), ids(rows.slice(0, 6)).toReversed())
      assert.deepEqual(await windowed(1, 3, limit), ids(rows.slice(3, 9)).toReversed())
      assert.deepEqual(await windowed(3, 1, limit), [])
    }
  },
  async 'a filter may change from page to page: a position need be no row of the next page'(pos) {
    await pos.load('north', 'pos-transactions', tied(12, transaction, 'completedAt'))
    const source = await pos.source('north')
    const { next } = await pageOf(source, pageQuery('pos-transactions', [], 2))
    const narrowed = pageQuery('pos-transactions', [where('completedAt', 'below', at(2))])
    const page = await pageOf(source, { ...narrowed, after: next })
    assert.deepEqual(ids(page.rows), ['x-05', 'x-04', 'x-03', 'x-02', 'x-01', 'x-00'])
  },
  async 'rows that come between pages neither repeat nor hide those that were there'(pos) {
    const rows = tied(9, transaction, 'completedAt')
    await pos.load('north', 'pos-transactions', rows)
    let added = 0
    const insert = async () => {
      added += 1
      const times = [at(-1), at(1), at(100)]
      const fresh = times.map((completedAt, index) => transaction(`new-${added}-${index}`, { completedAt }))
      await pos.load('north', 'pos-transactions', fresh)
    }
    const all = ids(await readAll(await pos.source('north'), pageQuery('pos-transactions', [], 3), insert))
    assert.equal(new Set(all).size, all.length)
    assert.deepEqual(
      all.filter((id) => !String(id).startsWith('new')),
      ids(rows).toReversed(),
    )
  },
})

type Expectation = readonly [predicates: readonly Predicate[], found: readonly string[]]

/** A case that reads with each list of predicates, in pages of two rows. */
function finds(collection: string, expected: readonly Expectation[]) {
  return async (pos: PosInstance) => {
    await pos.load('north', 'pos-transactions', transactionRows)
    await pos.load('north', 'pos-customers', customerRows)
    await pos.load('north', 'pos-recurring-accounts', accounts)
    const source = await pos.source('north')
    for (const [predicates, found] of expected) {
      const rows = await readAll(source, pageQuery(collection, predicates, 2))
      assert.deepEqual(ids(rows), found, JSON.stringify(predicates))
    }
  }
}

const transactionRows = [
  transaction('t-1', { customerId: 'c-1', siteCode: 'RIV', completedAt: at(1) }),
  transaction('t-2', { customerId: 'c-2', siteCode: 'RIV', completedAt: at(2) }),
  transaction('t-3', { customerId: 'c-1', siteCode: 'DTN', completedAt: at(3) }),
  transaction('t-4', { completedAt: at(4) }),
]

const customerRows = [
  customer('c-1', { active: true, homeSiteCode: 'RIV', phone: '+12125550123', createdAt: at(1) }),
  customer('c-2', { active: false, homeSiteCode: 'RIV', email: 'Ada@Example.com', createdAt: at(2) }),
  customer('c-3', { active: null, homeSiteCode: 'RIV', createdAt: at(3) }),
  customer('c-4', {
    active: false,
    homeSiteCode: 'DTN',
    phone: '+12125550123',
    email: 'Zoe@Bücher.example',
    createdAt: at(4),
  }),
  customer('c-5', { active: true, createdAt: null }),
]

const accounts = [
  account('a-1', { customerId: 'c-1', status: 'active', siteCode: 'RIV', startedAt: at(1) }),
  account('a-2', { customerId: 'c-1', status: 'canceled', siteCode: 'DTN', startedAt: at(2) }),
  account('a-3', { customerId: 'c-2', status: 'suspended', siteCode: 'RIV', startedAt: at(3) }),
  account('a-4', { customerId: null, status: 'unknown', siteCode: null, startedAt: null }),
  account('a-5', { customerId: 'c-2', status: 'active', siteCode: 'RIV', startedAt: at(5) }),
]

const accountExpectations: readonly Expectation[] = [
  [[equals('customerId', 'c-1')], ['a-2', 'a-1']],
  [[equals('status', 'active')], ['a-5', 'a-1']],
  [[equals('status', 'unknown')], ['a-4']],
  [[equals('siteCode', 'RIV')], ['a-5', 'a-3', 'a-1']],
  [
    [equals('siteCode', 'RIV'), equals('status', 'active')],
    ['a-5', 'a-1'],
  ],
  [[equals('customerId', 'c-2'), equals('status', 'active'), equals('siteCode', 'RIV')], ['a-5']],
  [[equals('customerId', 'c-1'), equals('siteCode', 'RIV'), equals('status', 'canceled')], []],
]

export const posFilterCases = casesFrom(empty, {
  async 'the capabilities are those of its kind'(pos) {
    assert.deepEqual((await pos.source('north')).capabilities, posSourceKinds[pos.kind].capabilities)
  },
  'transactions are found by customer, site and time, alone and together': finds('pos-transactions', [
    [[], ['t-4', 't-3', 't-2', 't-1']],
    [
      [equals('customerId', 'c-1'), where('completedAt', 'atLeast', at(0))],
      ['t-3', 't-1'],
    ],
    [[equals('customerId', 'c-1'), where('completedAt', 'atLeast', at(2))], ['t-3']],
    [[equals('siteCode', 'RIV')], ['t-2', 't-1']],
    [[equals('siteCode', 'RIV'), where('completedAt', 'below', at(2))], ['t-1']],
    [
      [equals('customerId', 'c-1'), equals('siteCode', 'RIV'), where('completedAt', 'atLeast', at(0))],
      ['t-1'],
    ],
    [[equals('siteCode', 'riv')], []],
  ]),
  'customers are found by phone, by address whatever its case, and by site': finds('pos-customers', [
    [[equals('phone', '+12125550123')], ['c-4', 'c-1']],
    [[equals('phone', '+12125550199')], []],
    [[equals('emailKey', 'ada@example.com')], ['c-2']],
    [[equals('emailKey', 'ada@example.org')], []],
    [[equals('emailKey', emailKey('zoe@bücher.example'))], ['c-4']],
    [[equals('homeSiteCode', 'RIV')], ['c-3', 'c-2', 'c-1']],
    [[equals('phone', '+12125550123'), equals('homeSiteCode', 'DTN')], ['c-4']],
  ]),
  'a customer of unknown activity is neither active nor inactive': finds('pos-customers', [
    [[], ['c-4', 'c-3', 'c-2', 'c-1', 'c-5']],
    [[equals('active', false)], ['c-4', 'c-2']],
    [[equals('active', true)], ['c-1', 'c-5']],
    [[equals('homeSiteCode', 'RIV'), equals('active', false)], ['c-2']],
    [[equals('phone', '+12125550123'), equals('active', false)], ['c-4']],
  ]),
  'accounts are found by customer, status and site, alone and together': finds(
    'pos-recurring-accounts',
    accountExpectations,
  ),
  'account details are found as accounts are': finds('pos-recurring-account-details', accountExpectations),
})
