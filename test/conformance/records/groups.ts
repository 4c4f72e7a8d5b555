import assert from 'node:assert/strict'
import type { GroupPosition, GroupsQuery, Predicate, StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, linkEvent, twoTenants, type TwoTenants } from '../fixtures.ts'

const DAY_S = 86_400

function groups(by: string, changes: Partial<GroupsQuery> = {}): GroupsQuery {
  return {
    kind: 'groups',
    collection: 'link-events',
    by,
    where: during(at(0), at(10 * DAY_S)),
    sums: ['clicks', 'sales', 'saleAmountCents'],
    order: by === 'day' ? 'value' : 'sum',
    after: null,
    limit: 100,
    ...changes,
  }
}

function during(start: string, end: string): readonly Predicate[] {
  return [
    { field: 'occurredAt', operator: 'atLeast', value: start },
    { field: 'occurredAt', operator: 'below', value: end },
  ]
}

/** Clicks by country: A 1, B 2, C 2, 😀 2, U+FFFD 2, empty 1, unknown 2; one sale in A. */
async function seeded(make: Parameters<StorageCase['run']>[0]): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  const countries = ['A', 'B', 'B', 'C', 'C', '😀', '😀', '\ufffd', '\ufffd', '', null, null]
  const clicks = countries.map((country, index) =>
    linkEvent(`e-${index}`, `l-${index % 2}`, index * 3600 * 4, { country }),
  )
  const sale = linkEvent('sale', 'l-0', 3 * DAY_S, { event: 'sale', amountCents: 250, country: 'A' })
  await storage.tenant('org-a').upsert('link-events', [...clicks, sale])
  await storage.tenant('org-b').upsert('link-events', [linkEvent('e-9', 'l-0', 0, { country: 'Z' })])
  return storage
}

const byCountry: readonly StoredRow[] = [
  { value: 'B', clicks: 2, sales: 0, saleAmountCents: 0 },
  { value: 'C', clicks: 2, sales: 0, saleAmountCents: 0 },
  { value: '\ufffd', clicks: 2, sales: 0, saleAmountCents: 0 },
  { value: '😀', clicks: 2, sales: 0, saleAmountCents: 0 },
  { value: null, clicks: 2, sales: 0, saleAmountCents: 0 },
  { value: '', clicks: 1, sales: 0, saleAmountCents: 0 },
  { value: 'A', clicks: 1, sales: 1, saleAmountCents: 250 },
]

export const groupCases: readonly StorageCase[] = [
  {
    name: 'groups come by their first sum, then by value, the one without a value last among its equals',
    async run(make) {
      const { read } = await seeded(make)
      const [whole] = await read('org-a', [groups('country')])
      assert.deepEqual(whole, byCountry)
      for (const limit of [1, 2, 3, 6]) {
        const all: StoredRow[] = []
        for (let after: GroupPosition | null = null; all.length < byCountry.length;) {
          const [page = []] = await read('org-a', [groups('country', { limit, after })])
          all.push(...page)
          const last = page.at(-1)
          assert(last !== undefined)
          after = { sum: last.clicks as number, value: last.value as string | null }
        }
        assert.deepEqual(all, byCountry)
      }
      const [behindLast] = await read('org-a', [groups('country', { after: { sum: 1, value: 'A' } })])
      assert.deepEqual(behindLast, [])
    },
  },
  {
    name: 'days come newest first, empty ones are left out, and the window has its start and not its end',
    async run(make) {
      const { read } = await seeded(make)
      const days = async (changes: Partial<GroupsQuery>) =>
        ((await read('org-a', [groups('day', changes)]))[0] ?? []).map(({ value, clicks, sales }) => [
          value,
          clicks,
          sales,
        ])
      assert.deepEqual(await days({}), [
        ['2026-03-04', 0, 1],
        ['2026-03-03', 2, 0],
        ['2026-03-02', 6, 0],
        ['2026-03-01', 4, 0],
      ])
      assert.deepEqual(await days({ after: { sum: 2, value: '2026-03-03' }, limit: 1 }), [
        ['2026-03-02', 6, 0],
      ])
      assert.deepEqual(await days({ where: during(at(4 * 3600), at(8 * 3600)) }), [['2026-03-01', 1, 0]])
      assert.deepEqual(await days({ where: during(at(20 * DAY_S), at(30 * DAY_S)) }), [])
    },
  },
  {
    name: 'groups of one link add up its events alone',
    async run(make) {
      const { read } = await seeded(make)
      const of = (linkId: string): readonly Predicate[] => [
        { field: 'linkId', operator: 'equals', value: linkId },
        ...during(at(0), at(10 * DAY_S)),
      ]
      const [one, none, links] = await read('org-a', [
        groups('day', { where: of('l-0') }),
        groups('day', { where: of('l-9') }),
        groups('linkId'),
      ])
      assert.equal(
        (one ?? []).reduce((sum, { clicks }) => sum + Number(clicks), 0),
        6,
      )
      assert.deepEqual(none, [])
      assert.deepEqual(
        (links ?? []).map(({ value, clicks, saleAmountCents }) => [value, clicks, saleAmountCents]),
        [
          ['l-0', 6, 250],
          ['l-1', 6, 0],
        ],
      )
    },
  },
  {
    name: 'an unknown field of groups is an error, not an empty page',
    async run(make) {
      const { read } = await twoTenants(make)
      await assert.rejects(read('org-a', [groups('nothing')]))
      await assert.rejects(read('org-a', [groups('country', { sums: ['nothing'] })]))
    },
  },
]
