import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLLECTIONS, type CollectionName, type NeutralRow } from '../../adapters/pos-odbc/protocol.ts'
import type { PosSource } from '../../ports/sources.ts'
import type { Position, Predicate } from '../../ports/records.ts'
import { posEngines } from '../support/pos/pos-engines.ts'
import { sourcesOf, startGateway, type RunningGateway } from '../support/pos/pos-gateway.ts'
import {
  accounts,
  billingEvents,
  customers,
  details,
  line,
  statusEvents,
  transactions,
} from './pos-odbc-rows.ts'

// The sources behind the gateway process, over HTTP: on embedded databases, or on real ODBC drivers if ODBC_TESTS=yes.
// The expected content of each page is computed here from all rows.

const rowsOf: Readonly<Record<CollectionName, readonly NeutralRow[]>> = {
  'pos-transactions': transactions,
  'pos-customers': customers,
  'pos-recurring-accounts': accounts,
  'pos-recurring-account-details': details,
}
const collectionNames = Object.keys(rowsOf) as CollectionName[]

/** The filters of a collection as predicates, with some values for each. */
const filtersOf: Readonly<Record<CollectionName, readonly (readonly Predicate[])[]>> = {
  'pos-transactions': [
    valuesOf('customerId', 'c1', 'c2', 'nobody'),
    valuesOf('siteCode', 's1', 'S1'),
    [
      { field: 'completedAt', operator: 'atLeast', value: '2026-01-03T00:00:00.000Z' },
      { field: 'completedAt', operator: 'atLeast', value: '2026-01-05T12:00:00.000Z' },
    ],
    [
      { field: 'completedAt', operator: 'below', value: '2026-01-05T12:00:00.000Z' },
      { field: 'completedAt', operator: 'below', value: '2026-01-09T00:00:00.000Z' },
    ],
  ],
  'pos-customers': [
    valuesOf('phone', '+12125550101', '+442079460101'),
    valuesOf('emailKey', 'ada@example.com', 'zoë@example.com'),
    valuesOf('active', true, false),
    valuesOf('homeSiteCode', 's1'),
  ],
  'pos-recurring-accounts': accountFilters(),
  'pos-recurring-account-details': accountFilters(),
}

function accountFilters(): readonly (readonly Predicate[])[] {
  return [
    valuesOf('customerId', 'c1'),
    valuesOf('status', 'active', 'suspended', 'canceled', 'unknown'),
    valuesOf('siteCode', 's1', 's2'),
  ]
}

function valuesOf(field: string, ...values: readonly (string | boolean)[]): readonly Predicate[] {
  return values.map((value) => ({ field, operator: 'equals', value }))
}

/** Every choice of at most one predicate from each filter. */
function combinations(filters: readonly (readonly Predicate[])[]): readonly (readonly Predicate[])[] {
  return filters.reduce<readonly (readonly Predicate[])[]>(
    (chosen, values) => [
      ...chosen,
      ...chosen.flatMap((before) => values.map((predicate) => [...before, predicate])),
    ],
    [[]],
  )
}

function holds(row: NeutralRow, { field, operator, value }: Predicate): boolean {
  const stored = field === 'emailKey' ? lowerCased(row.email) : (row[field] ?? null)
  if (stored === null) return false
  if (operator === 'equals') return stored === value
  return operator === 'atLeast' ? stored >= value : stored < value
}

function lowerCased(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

function inOrder(name: CollectionName, rows: readonly NeutralRow[]): readonly NeutralRow[] {
  const { field: orderField, idField } = COLLECTIONS[name].order
  const keyOf = (row: NeutralRow) =>
    Buffer.from(`${(row[orderField] as string | null) ?? ''}\0${row[idField] as string}`)
  return [...rows].sort((left, right) => Buffer.compare(keyOf(right), keyOf(left)))
}

function selectOf(name: CollectionName): readonly string[] {
  return Object.keys(rowsOf[name][0] ?? {})
}

async function readAll(
  source: PosSource,
  name: CollectionName,
  where: readonly Predicate[],
  limit: number,
): Promise<readonly unknown[]> {
  const { order } = COLLECTIONS[name]
  const rows: unknown[] = []
  let after: Position | null = null
  do {
    const page = await source.page({
      kind: 'page',
      collection: name,
      select: selectOf(name),
      where,
      order,
      after,
      limit,
    })
    if (page.kind !== 'page') throw new Error(page.reason)
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    if (page.next !== null) expect(page.rows.length).toBe(limit)
    rows.push(...page.rows)
    after = page.next
  } while (after !== null)
  return rows
}

const engines = posEngines()
let gateway: RunningGateway

beforeAll(async () => {
  gateway = await startGateway(engines.flatMap((engine) => engine.sources()))
})
afterAll(async () => {
  expect(await gateway.stop()).toBe(0)
})

// The tests that write come after those that expect the initial rows.
for (const engine of engines)
  describe(engine.name, { shuffle: false }, () => {
    let source: PosSource
    let other: PosSource

    beforeAll(async () => {
      for (const tenant of ['north', 'south'] as const) {
        // The other tenant has rows with the same ids and other contents.
        const own = (rows: readonly NeutralRow[], change: NeutralRow) =>
          tenant === 'north' ? rows : rows.slice(0, 3).map((row) => ({ ...row, ...change }))
        await engine.write(
          tenant,
          'pos-transactions',
          own(transactions, { paymentMethod: 'b', lineItems: [] }),
        )
        await engine.write(tenant, 'pos-customers', own(customers, { lastName: 'b', licensePlates: ['b'] }))
        await engine.write(tenant, 'pos-recurring-accounts', own(accounts, { planName: 'b' }))
        await engine.write(tenant, 'pos-billing-events', own(billingEvents, { amountCents: 99 }))
        await engine.write(tenant, 'pos-status-events', own(statusEvents, { reason: 'b' }))
      }
      source = sourcesOf(gateway).open(engine.tie('north'))
      other = sourcesOf(gateway).open(engine.tie('south'))
    })

    it.each(collectionNames)(
      '%s: gives every row as it was recorded, in order, whatever the page',
      async (name) => {
        const expected = inOrder(name, rowsOf[name])
        for (const limit of [1, 3, 500]) expect(await readAll(source, name, [], limit)).toEqual(expected)
      },
    )

    // Hundreds of queries that test their results, not the transport, so they skip HTTP and processes where possible.
    it.each(collectionNames)('%s: filters by every combination', { timeout: 60_000 }, async (name) => {
      const filtered = engine.direct?.('north') ?? source
      const all = combinations(filtersOf[name])
      let shown = 0
      for (const where of all) {
        const expected = inOrder(
          name,
          rowsOf[name].filter((row) => where.every((predicate) => holds(row, predicate))),
        )
        shown += expected.length
        expect(await readAll(filtered, name, where, 2)).toEqual(expected)
      }
      expect(shown).toBeGreaterThan(rowsOf[name].length)
    })

    it.each(collectionNames)('%s: finds a row by its id, and no other', async (name) => {
      const { idField } = COLLECTIONS[name].order
      const one = (from: PosSource, id: string) =>
        from.one({ kind: 'one', collection: name, select: selectOf(name), id })
      for (const row of rowsOf[name]) {
        expect(await one(source, row[idField] as string)).toEqual({ kind: 'row', row })
      }
      const last = rowsOf[name].at(-1)?.[idField] as string
      for (const id of [
        '',
        'missing',
        `${last} `,
        `${last}\0`,
        `${last}\ud800`,
        `' or '1'='1`,
        '%',
        last.toUpperCase(),
      ]) {
        expect(await one(source, id)).toEqual({ kind: 'row', row: null })
      }
      expect(await one(other, last)).toEqual({ kind: 'row', row: null })
    })

    it.each(collectionNames)('%s: keeps the tenants apart', async (name) => {
      const rows = await readAll(other, name, [], 2)
      expect(rows).toHaveLength(3)
      expect(JSON.stringify(rows)).not.toBe(JSON.stringify(inOrder(name, rowsOf[name].slice(0, 3))))
      const nobody = sourcesOf(gateway).open({ ...engine.tie('north'), tenant: 'nobody' })
      const page = await nobody.one({ kind: 'one', collection: name, select: [], id: 'x' })
      if (engine.tie('north').kind === 'odbc_shared') expect(page).toEqual({ kind: 'row', row: null })
      else
        expect(page).toMatchObject({
          kind: 'unavailable',
          reason: expect.stringContaining('no source') as string,
        })
    })

    it('changes nothing, whatever a value says', async () => {
      const evil = [
        "'; DROP TABLE pos_sale; --",
        '"; DELETE FROM Ticket',
        '$1',
        '?',
        '\\',
        "\\'; --",
        '{fn now()}',
        'x\0y',
      ]
      for (const value of evil) {
        expect(await readAll(source, 'pos-transactions', valuesOf('customerId', value), 10)).toEqual([])
        expect(await readAll(source, 'pos-customers', valuesOf('emailKey', value), 10)).toEqual([])
        const asked = { kind: 'one', collection: 'pos-transactions', select: [], id: value } as const
        expect(await source.one(asked)).toEqual({ kind: 'row', row: null })
      }
      expect(await readAll(source, 'pos-transactions', [], 500)).toHaveLength(transactions.length)
    })

    it('neither skips nor repeats a row when rows come and go between pages', async () => {
      const order = { field: 'completedAt', idField: 'transactionId', direction: 'descending' } as const
      const ask = {
        kind: 'page',
        collection: 'pos-transactions',
        select: ['transactionId'],
        where: [],
        order,
        limit: 3,
      } as const
      const first = await source.page({ ...ask, after: null })
      if (first.kind !== 'page') throw new Error(first.reason)
      const [model] = transactions
      await engine.write('north', 'pos-transactions', [
        { ...model, transactionId: 'late', completedAt: '2027-01-01T00:00:00.000Z' },
      ])
      const second = await source.page({ ...ask, after: first.next })
      if (second.kind !== 'page') throw new Error(second.reason)
      const expected = inOrder('pos-transactions', transactions).map(({ transactionId }) => ({
        transactionId,
      }))
      expect([...first.rows, ...second.rows]).toEqual(expected.slice(0, 6))
    })

    it('gives a full page of rows with long ids, and their lists', async () => {
      const [model] = transactions
      const long = Array.from({ length: 500 }, (_, index) => ({
        ...model,
        transactionId: `${'é'.repeat(190)}${String(index).padStart(3, '0')}`,
        siteCode: 'long',
        lineItems: [{ ...line, lineId: String(index) }],
      }))
      await engine.write('north', 'pos-transactions', long)
      const rows = await readAll(source, 'pos-transactions', valuesOf('siteCode', 'long'), 500)
      expect(rows).toEqual([...long].reverse())
    })

    it('takes the place of a row and of its lists when it is written again', async () => {
      const row: NeutralRow = { ...customers[0], licensePlates: ['only'], lastName: 'Again' }
      await engine.write('north', 'pos-customers', [row])
      const asked = { kind: 'one', collection: 'pos-customers', select: selectOf('pos-customers') } as const
      expect(await source.one({ ...asked, id: row.customerId as string })).toEqual({ kind: 'row', row })
    })

    it('serves no other collection, order or filter', async () => {
      const order = { field: 'completedAt', idField: 'transactionId', direction: 'descending' } as const
      const ask = {
        kind: 'page',
        collection: 'pos-transactions',
        select: [],
        where: [],
        order,
        after: null,
        limit: 1,
      } as const
      const refused = { kind: 'unavailable', reason: expect.stringContaining('serves no') as string }
      expect(await source.page({ ...ask, collection: 'contacts' })).toEqual(refused)
      expect(await source.page({ ...ask, order: { ...order, direction: 'ascending' } })).toEqual(refused)
      expect(await source.page({ ...ask, where: valuesOf('paymentMethod', 'cash') })).toEqual(refused)
      expect(await source.one({ kind: 'one', collection: 'keys', select: [], id: 'x' })).toEqual(refused)
    })
  })
