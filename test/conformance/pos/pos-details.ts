import assert from 'node:assert/strict'
import type { StoredRow } from '../../../ports/index.ts'
import { pageOf, rowOf, type PosCase } from './pos-case.ts'
import { account, asRead, at, billingEvent, oneQuery, pageQuery, statusEvent } from './pos-fixtures.ts'

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

export const posDetailCases: readonly PosCase[] = [
  {
    name: 'details hold the latest 24 events of each kind, newest first, on a page and alone',
    async run(make) {
      const pos = await make()
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
  },
  {
    name: 'an event is shown with all that is known of it, and what is unknown is null',
    async run(make) {
      const pos = await make()
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
      await pos.load('north', 'pos-recurring-accounts', [
        account('a', { planName: 'Deluxe', amountCents: 0 }),
      ])
      await pos.load('north', 'pos-billing-events', billing)
      await pos.load('north', 'pos-status-events', status)
      const shown = (rows: readonly StoredRow[]) => rows.map((event) => omit(event, 'accountId'))
      const row = account('a', { planName: 'Deluxe', amountCents: 0 })
      const whole = { ...row, billingEvents: shown(billing), statusEvents: shown(status) }
      const found = await rowOf(await pos.source('north'), oneQuery(DETAILS, 'a'))
      assert.deepEqual(found, asRead(pos, DETAILS, whole))
    },
  },
  {
    name: 'events belong to their account and their tenant',
    async run(make) {
      const pos = await make()
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
  },
]
