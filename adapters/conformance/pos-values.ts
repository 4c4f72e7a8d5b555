import assert from 'node:assert/strict'
import type { StoredRow } from '../../ports/index.ts'
import {
  pageOf,
  rowOf,
  account,
  asRead,
  at,
  billingEvent,
  oneQuery,
  pageQuery,
  statusEvent,
  readAll,
  customer,
  equals,
  ids,
  lineItem,
  transaction,
  where,
  type PosInstance,
  empty,
} from './pos.ts'
import { casesFrom } from './cases.ts'

const DETAILS = 'pos-recurring-account-details'
const LATEST = 24

/** Events whose times tie in pairs and grow with the ids. */
function events(
  count: number,
  accountId: string,
  make: (eventId: string, accountId: string, changes: StoredRow) => StoredRow,
): readonly StoredRow[] {
  return Array.from({ length: count }, (_, index) =>
    make(`${accountId}-${String(index).padStart(2, '0')}`, accountId, {
      occurredAt: at(Math.floor(index / 2)),
    }),
  )
}

function eventIds(
  row: StoredRow | null | undefined,
  list: 'billingEvents' | 'statusEvents',
): readonly unknown[] {
  assert.ok(row, 'the row is stored')
  return (row[list] as readonly StoredRow[]).map(({ eventId }) => eventId)
}

function omit(row: StoredRow, field: string): StoredRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))
}

function latestIds(of: readonly StoredRow[]): readonly unknown[] {
  return of
    .map(({ eventId }) => eventId)
    .toReversed()
    .slice(0, LATEST)
}

export const posDetailCases = casesFrom(empty, {
  async 'details hold the latest 24 events of each kind, newest first, on a page and alone'(pos) {
    const counts = { many: [30, 27], some: [24, 1], few: [2, 0], none: [0, 0] } as const
    const loaded = new Map<string, readonly [readonly StoredRow[], readonly StoredRow[]]>()
    await pos.load(
      'north',
      'pos-recurring-accounts',
      Object.keys(counts).map((id) => account(id)),
    )
    for (const [id, [billing, status]] of Object.entries(counts)) {
      const of = [events(billing, id, billingEvent), events(status, id, statusEvent)] as const
      loaded.set(id, of)
      await pos.load('north', 'pos-billing-events', of[0])
      await pos.load('north', 'pos-status-events', of[1])
    }
    const source = await pos.source('north')
    const { rows } = await pageOf(source, pageQuery(DETAILS))
    assert.equal(rows.length, 4)
    for (const [id, [billing, status]] of loaded) {
      const onPage = rows.find(({ accountId }) => accountId === id)
      for (const row of [onPage, await rowOf(source, oneQuery(DETAILS, id))]) {
        assert.deepEqual(eventIds(row, 'billingEvents'), latestIds(billing), id)
        assert.deepEqual(eventIds(row, 'statusEvents'), latestIds(status), id)
      }
    }
  },
  async 'an event is shown with all that is known of it, and what is unknown is null'(pos) {
    const billing = [
      billingEvent('b-2', 'a', {
        occurredAt: at(2),
        type: 'refund',
        amountCents: -1999,
        result: 'success',
      }),
      billingEvent('b-1', 'a', { occurredAt: at(1), type: 'payment', amountCents: 1999, result: 'failed' }),
      billingEvent('b-0', 'a', { occurredAt: at(0), type: 'unknown' }),
    ]
    const status = [
      statusEvent('s-1', 'a', {
        occurredAt: at(1),
        fromStatus: 'active',
        toStatus: 'canceled',
        reason: 'Moved',
      }),
      statusEvent('s-0', 'a', { occurredAt: at(0), toStatus: 'unknown' }),
    ]
    await pos.load('north', 'pos-recurring-accounts', [account('a', { planName: 'Deluxe', amountCents: 0 })])
    await pos.load('north', 'pos-billing-events', billing)
    await pos.load('north', 'pos-status-events', status)
    const shown = (rows: readonly StoredRow[]) => rows.map((event) => omit(event, 'accountId'))
    const row = account('a', { planName: 'Deluxe', amountCents: 0 })
    const whole = { ...row, billingEvents: shown(billing), statusEvents: shown(status) }
    const found = await rowOf(await pos.source('north'), oneQuery(DETAILS, 'a'))
    assert.deepEqual(found, asRead(pos, DETAILS, whole))
  },
  async 'events belong to their account and their tenant'(pos) {
    for (const tenant of ['north', 'south']) {
      await pos.load(tenant, 'pos-recurring-accounts', [account('a'), account('b')])
      await pos.load(tenant, 'pos-billing-events', [
        billingEvent(`${tenant}-1`, 'a'),
        billingEvent(`${tenant}-2`, 'b'),
      ])
      await pos.load(tenant, 'pos-status-events', [statusEvent(`${tenant}-3`, 'b')])
    }
    for (const tenant of ['north', 'south']) {
      const { rows } = await pageOf(await pos.source(tenant), pageQuery(DETAILS))
      assert.deepEqual(
        rows.map((row) => [eventIds(row, 'billingEvents'), eventIds(row, 'statusEvents')]),
        [
          [[`${tenant}-2`], [`${tenant}-3`]],
          [[`${tenant}-1`], []],
        ],
      )
    }
  },
})

const collections = [
  'pos-transactions',
  'pos-customers',
  'pos-recurring-accounts',
  'pos-recurring-account-details',
] as const

/** Texts that people and attackers put into fields and parameters. Systems need not be able to store the last ones. */
const oddTexts = [
  "'",
  "'; DROP TABLE pos_customers; --",
  "' OR '1'='1",
  '"quoted" \\ ; -- /* ? ?1 :a $a @a %s {0}',
  'ünïcödé 日本語 😀',
  'a%b_c',
] as const
const unkeepable = ['\u0000', 'a\u0000b', '\ud800', 'x\udc00y', 'x'.repeat(200)] as const

async function assertIntact(pos: PosInstance): Promise<void> {
  const source = await pos.source('north')
  for (const collection of ['pos-transactions', 'pos-customers', 'pos-recurring-accounts'] as const) {
    assert.equal((await pageOf(source, pageQuery(collection))).rows.length, 1, collection)
  }
}

async function withOneOfEach(pos: PosInstance): Promise<void> {
  await pos.load('north', 'pos-transactions', [transaction('t', { customerId: 'c', siteCode: 's' })])
  await pos.load('north', 'pos-customers', [customer('c')])
  await pos.load('north', 'pos-recurring-accounts', [account('a', { customerId: 'c' })])
}

const whole: readonly (readonly [collection: (typeof collections)[number], id: string, row: StoredRow])[] = [
  [
    'pos-transactions',
    't',
    transaction('t', {
      customerId: 'c',
      siteCode: 'RIV',
      completedAt: at(90_061),
      type: 'refund',
      subtotalCents: -1400,
      discountCents: 0,
      taxCents: -100,
      tipCents: 1,
      totalCents: -123_456_789_012,
      paymentMethod: 'card',
      lineItems: [
        lineItem('1', {
          productCode: 'WASH',
          name: 'Wash & wax',
          quantity: 1.5,
          grossAmountCents: 2001,
          netAmountCents: 1801,
          discountCents: 200,
        }),
        lineItem('2', { netAmountCents: 0 }),
      ],
    }),
  ],
  [
    'pos-customers',
    'c',
    customer('c', {
      firstName: 'Ada',
      lastName: "O'Brien",
      email: 'Ada@example.com',
      phone: '+12125550123',
      licensePlates: ['ABC 123', 'X-1'],
      active: true,
      homeSiteCode: 'RIV',
      lastVisitAt: at(5),
    }),
  ],
  [
    'pos-recurring-accounts',
    'a',
    account('a', {
      customerId: 'c',
      status: 'suspended',
      planCode: 'P1',
      planName: 'Unlimited',
      amountCents: 2999,
      billingInterval: 'quarter',
      siteCode: 'RIV',
      nextBillingAt: at(10),
      canceledAt: at(20),
    }),
  ],
]

export const posValueCases = casesFrom(empty, {
  async 'a row comes back whole, on a page and alone, with recorded instants and exact amounts'(pos) {
    const source = await pos.source('north')
    for (const [collection, id, row] of whole) {
      await pos.load('north', collection, [row])
      const expected = asRead(pos, collection, row)
      assert.deepEqual((await pageOf(source, pageQuery(collection))).rows, [expected])
      assert.deepEqual(await rowOf(source, oneQuery(collection, id)), expected)
    }
  },
  async 'what is unknown is null, and zero is zero; a total that is unknown is handed over as null'(pos) {
    const rows = [
      transaction('t-2', { totalCents: null }),
      transaction('t-1', { totalCents: 0, taxCents: 0 }),
    ]
    await pos.load('north', 'pos-transactions', rows)
    await pos.load('north', 'pos-customers', [customer('c', { createdAt: null })])
    await pos.load('north', 'pos-recurring-accounts', [account('a', { startedAt: null, status: 'unknown' })])
    const source = await pos.source('north')
    const expected = rows.map((row) => asRead(pos, 'pos-transactions', row))
    assert.deepEqual((await pageOf(source, pageQuery('pos-transactions'))).rows, expected)
    const nobody = asRead(pos, 'pos-customers', customer('c', { createdAt: null }))
    assert.deepEqual(await rowOf(source, oneQuery('pos-customers', 'c')), nobody)
    const nothing = asRead(
      pos,
      'pos-recurring-accounts',
      account('a', { startedAt: null, status: 'unknown' }),
    )
    assert.deepEqual(await rowOf(source, oneQuery('pos-recurring-accounts', 'a')), nothing)
  },
  async 'text comes back as it was, and is found by itself alone'(pos) {
    const rows = oddTexts.map((text, index) =>
      transaction(`t ${text}`, { siteCode: text, completedAt: at(-index), paymentMethod: text }),
    )
    await pos.load('north', 'pos-transactions', rows)
    const source = await pos.source('north')
    assert.deepEqual(
      ids(await readAll(source, pageQuery('pos-transactions', [], 1))),
      oddTexts.map((text) => `t ${text}`),
    )
    for (const row of rows) {
      const bySite = pageQuery('pos-transactions', [equals('siteCode', row.siteCode as string)])
      const expected = asRead(pos, 'pos-transactions', row)
      assert.deepEqual((await pageOf(source, bySite)).rows, [expected])
      assert.deepEqual(
        await rowOf(source, oneQuery('pos-transactions', row.transactionId as string)),
        expected,
      )
    }
  },
  async 'an id that nobody has is no row, whatever it is made of'(pos) {
    await withOneOfEach(pos)
    const source = await pos.source('north')
    for (const collection of collections) {
      for (const id of ['none', ...oddTexts, ...unkeepable, '']) {
        assert.equal(await rowOf(source, oneQuery(collection, id)), null, JSON.stringify(id.slice(0, 60)))
      }
    }
    await assertIntact(pos)
  },
  async 'a filter that nothing matches finds nothing, whatever it is made of'(pos) {
    await withOneOfEach(pos)
    const source = await pos.source('north')
    const from = where('completedAt', 'atLeast', at(0))
    for (const text of [...oddTexts, ...unkeepable]) {
      const queries = [
        pageQuery('pos-transactions', [equals('siteCode', text)]),
        pageQuery('pos-transactions', [equals('customerId', text), from]),
        pageQuery('pos-customers', [equals('emailKey', text)]),
        pageQuery('pos-customers', [equals('homeSiteCode', text)]),
        pageQuery('pos-recurring-accounts', [equals('customerId', text)]),
        pageQuery('pos-recurring-account-details', [equals('siteCode', text)]),
      ]
      for (const query of queries) {
        const page = await pageOf(source, query)
        assert.deepEqual(page.rows, [], `${query.collection} ${JSON.stringify(text.slice(0, 60))}`)
      }
    }
    await assertIntact(pos)
  },
  async 'nothing follows a position behind the last row, whatever its id is made of'(pos) {
    await withOneOfEach(pos)
    const source = await pos.source('north')
    for (const id of oddTexts) {
      const behind = { ...pageQuery('pos-transactions'), after: { value: at(-1), id } }
      assert.deepEqual((await pageOf(source, behind)).rows, [])
      const untimed = { ...pageQuery('pos-customers'), after: { value: null, id } }
      assert.deepEqual((await pageOf(source, untimed)).rows, [])
    }
    await assertIntact(pos)
  },
  async 'only the selected fields are handed over'(pos) {
    await withOneOfEach(pos)
    const source = await pos.source('north')
    const select = ['transactionId', 'siteCode', 'completedAt']
    const expected = { transactionId: 't', siteCode: 's', completedAt: at(0) }
    const page = await pageOf(source, { ...pageQuery('pos-transactions'), select })
    assert.deepEqual(page.rows, [expected])
    assert.deepEqual(await rowOf(source, { ...oneQuery('pos-transactions', 't'), select }), expected)
  },
  async 'two tenants of one system never see each other, even where their ids are the same'(pos) {
    const site = (tenant: string) => ({ siteCode: tenant, homeSiteCode: tenant })
    for (const tenant of ['north', 'south']) {
      const { siteCode } = site(tenant)
      const rows = [transaction('same', { siteCode, customerId: 'same' }), transaction(`t-${tenant}`)]
      await pos.load(tenant, 'pos-transactions', rows)
      await pos.load(tenant, 'pos-customers', [
        customer('same', { homeSiteCode: tenant, phone: '+12125550123', email: 'ada@example.com' }),
      ])
      await pos.load(tenant, 'pos-recurring-accounts', [
        account('same', { siteCode }),
        account(`a-${tenant}`),
      ])
    }
    for (const [tenant, other] of [
      ['north', 'south'],
      ['south', 'north'],
    ] as const) {
      const source = await pos.source(tenant)
      const found = [
        ...(await readAll(source, pageQuery('pos-transactions', [], 1))),
        ...(await readAll(source, pageQuery('pos-transactions', [equals('siteCode', other)]))),
        ...(await readAll(source, pageQuery('pos-customers', [equals('phone', '+12125550123')]))),
        ...(await readAll(source, pageQuery('pos-customers', [equals('emailKey', 'ada@example.com')]))),
        ...(await readAll(source, pageQuery('pos-recurring-accounts', [], 1))),
      ]
      assert.equal(found.length, 6)
      assert(!JSON.stringify(found).includes(other), JSON.stringify(found))
      assert.equal(await rowOf(source, oneQuery('pos-transactions', `t-${other}`)), null)
      assert.equal(await rowOf(source, oneQuery('pos-recurring-account-details', `a-${other}`)), null)
      const same = await rowOf(source, oneQuery('pos-transactions', 'same'))
      assert.equal(same?.siteCode, tenant)
    }
  },
})
