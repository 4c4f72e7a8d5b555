import assert from 'node:assert/strict'
import type { PageQuery, Predicate, StoredRow, GroupPosition, GroupsQuery } from '../../ports/index.ts'
import { at, twoTenants, contact, purchase, linkEvent, type TwoTenants } from './fixtures.ts'
import { casesFrom } from './cases.ts'

function product(productId: string, siteIds: readonly string[], changes: StoredRow = {}): StoredRow {
  return {
    productId,
    name: productId,
    description: null,
    type: 'membership',
    status: 'active',
    priceCents: 1000,
    currency: 'USD',
    billingInterval: 'month',
    imageUrl: null,
    siteIds,
    createdAt: at(0),
    ...changes,
  }
}

const sells = (siteId: string): Predicate => ({ field: 'siteIds', operator: 'contains', value: siteId })

function page(where: readonly Predicate[], changes: Partial<PageQuery> = {}): PageQuery {
  return {
    kind: 'page',
    collection: 'products',
    select: ['productId'],
    where,
    order: { field: 'createdAt', idField: 'productId', direction: 'descending' },
    after: null,
    limit: 100,
    ...changes,
  }
}

const ids = (rows: readonly StoredRow[] | undefined) => (rows ?? []).map(({ productId }) => productId)

export const listCases = casesFrom(twoTenants, {
  async 'rows whose list has a value are found, once each, in either order and page by page'({
    tenant,
    read,
  }) {
    const lists = [['s-1'], ['s-1', 's-2', 's-1'], [], ['s-2'], ['S-1', 's-1x', 's%'], ['s-1', '"]']]
    const rows = lists.map((list, index) =>
      product(`p-${index}`, list, { createdAt: at(Math.floor(index / 2)) }),
    )
    await tenant('org-a').upsert('products', rows)
    await tenant('org-b').upsert('products', [product('p-9', ['s-1'])])
    const ascending = { field: 'createdAt', idField: 'productId', direction: 'ascending' } as const
    const pages = await read('org-a', [
      page([sells('s-1')]),
      page([sells('s-1')], { order: ascending }),
      page([sells('s-1')], { limit: 1, after: { value: at(2), id: 'p-5' } }),
      page([sells('s-1'), sells('s-2')]),
      page([sells('s-1'), { field: 'createdAt', operator: 'below', value: at(2) }]),
      page([{ field: 'status', operator: 'equals', value: 'archived' }, sells('s-1')]),
      page([sells('"]')]),
      page([sells('s-3')]),
    ])
    assert.deepEqual(pages.map(ids), [
      ['p-5', 'p-1', 'p-0'],
      ['p-0', 'p-1', 'p-5'],
      ['p-1'],
      ['p-1'],
      ['p-1', 'p-0'],
      [],
      ['p-5'],
      [],
    ])
  },
  async 'a changed list is found by what it has now, in the order of the row as it is now'({
    tenant,
    read,
    clock,
  }) {
    const writer = tenant('org-a')
    const rows = [product('p-1', ['s-1', 's-2']), product('p-2', ['s-1'])]
    assert.deepEqual(await writer.upsert('products', rows), { changed: 2 })
    assert.deepEqual(await writer.upsert('products', rows), { changed: 0 })
    clock.ms += 1000
    const moved = product('p-1', ['s-2', 's-3'], { createdAt: at(5) })
    assert.deepEqual(await writer.upsert('products', [moved, product('p-2', ['s-1', 's-3'])]), {
      changed: 2,
    })
    clock.ms += 1000
    assert.deepEqual(await writer.upsert('products', [{ ...moved, name: 'renamed' }]), { changed: 1 })
    const sync = { field: 'updatedAt', idField: 'productId', direction: 'ascending' } as const
    const since: Predicate = { field: 'updatedAt', operator: 'atLeast', value: at(0) }
    const pages = await read('org-a', [
      page([sells('s-1')]),
      page([sells('s-3')]),
      page([sells('s-3'), since], { order: sync }),
    ])
    assert.deepEqual(pages.map(ids), [['p-2'], ['p-1', 'p-2'], ['p-2', 'p-1']])
  },
})

const list = (listId: string): StoredRow => ({
  listId,
  name: listId,
  description: null,
  type: 'static',
  createdAt: at(0),
})

const member = (listId: string, contactId: string, addedAt: string): StoredRow => ({
  listId,
  contactId,
  addedAt,
})

export const listMemberCases = casesFrom(twoTenants, {
  async 'a contact is once on each list, read as the contact it is, latest addition first'({ tenant, read }) {
    const writer = tenant('org-a')
    await writer.upsert('contacts', [contact('c-1', { firstName: 'Ada', tags: ['x'] }), contact('c-2')])
    await writer.upsert('contact-lists', [list('l-1'), list('l-2')])
    const members = [member('l-1', 'c-1', at(1)), member('l-1', 'c-2', at(2)), member('l-2', 'c-1', at(1))]
    assert.deepEqual(await writer.upsert('list-members', members), { changed: 3 })
    const again = [...members.slice(1), member('l-1', 'c-1', at(3))]
    assert.deepEqual(await writer.upsert('list-members', again), { changed: 1 })
    await tenant('org-b').upsert('list-members', [member('l-1', 'c-1', at(9))])
    const [rows, count] = await read('org-a', [
      {
        kind: 'page',
        collection: 'list-members',
        select: ['contactId', 'firstName', 'tags', 'addedAt'],
        where: [{ field: 'listId', operator: 'equals', value: 'l-1' }],
        order: { field: 'addedAt', idField: 'contactId', direction: 'descending' },
        after: null,
        limit: 10,
      },
      { kind: 'one', collection: 'contact-lists', select: ['contactCount'], id: 'l-1' },
    ])
    assert.deepEqual(rows, [
      { contactId: 'c-1', firstName: 'Ada', tags: ['x'], addedAt: at(3) },
      { contactId: 'c-2', firstName: null, tags: [], addedAt: at(2) },
    ])
    assert.deepEqual(count, [{ contactCount: 2 }])
  },
})

export const alternateKeyCases = casesFrom(twoTenants, {
  async 'rows are found by the other key of their collection, within their organization'({ tenant }) {
    await tenant('org-a').upsert('purchases', [purchase('p-1'), purchase('p-2'), purchase('p-3')])
    await tenant('org-b').upsert('purchases', [purchase('b-1', { processorId: 'ch p-1' })])
    const select = ['purchaseId', 'processorId']
    const found = await tenant('org-a').findMany(
      'purchases',
      select,
      ['ch p-1', 'ch p-3', 'ch p-3', 'p-2'],
      'processorId',
    )
    assert.deepEqual(found.map(({ purchaseId }) => purchaseId).sort(), ['p-1', 'p-3'])
    assert.deepEqual(await tenant('org-a').findMany('purchases', select, [], 'processorId'), [])
  },
  async 'two rows of an organization cannot have one value of the other key; nothing is written, nor is it named'({
    tenant,
  }) {
    const writer = tenant('org-a')
    await writer.upsert('purchases', [purchase('p-1')])
    const clash = [purchase('p-2'), purchase('p-3', { processorId: 'ch p-1' })]
    await assert.rejects(writer.upsert('purchases', clash), (error) => !String(error).includes('ch p-1'))
    assert.deepEqual(await writer.findMany('purchases', ['purchaseId'], ['p-2', 'p-3']), [])
    assert.deepEqual(await tenant('org-b').upsert('purchases', [purchase('p-1')]), { changed: 1 })
  },
})

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
async function withEvents(storage: TwoTenants): Promise<void> {
  const countries = ['A', 'B', 'B', 'C', 'C', '😀', '😀', '\ufffd', '\ufffd', '', null, null]
  const clicks = countries.map((country, index) =>
    linkEvent(`e-${index}`, `l-${index % 2}`, index * 3600 * 4, { country }),
  )
  const sale = linkEvent('sale', 'l-0', 3 * DAY_S, { event: 'sale', amountCents: 250, country: 'A' })
  await storage.tenant('org-a').upsert('link-events', [...clicks, sale])
  await storage.tenant('org-b').upsert('link-events', [linkEvent('e-9', 'l-0', 0, { country: 'Z' })])
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

export const groupCases = casesFrom(twoTenants, {
  async 'groups come by their first sum, then by value, the one without a value last among its equals'(
    storage,
  ) {
    await withEvents(storage)
    const { read } = storage
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
  async 'days come newest first, empty ones are left out, and the window has its start and not its end'(
    storage,
  ) {
    await withEvents(storage)
    const { read } = storage
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
    assert.deepEqual(await days({ after: { sum: 2, value: '2026-03-03' }, limit: 1 }), [['2026-03-02', 6, 0]])
    assert.deepEqual(await days({ where: during(at(4 * 3600), at(8 * 3600)) }), [['2026-03-01', 1, 0]])
    assert.deepEqual(await days({ where: during(at(20 * DAY_S), at(30 * DAY_S)) }), [])
  },
  async 'groups of one link add up its events alone'(storage) {
    await withEvents(storage)
    const { read } = storage
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
  async 'an unknown field of groups is an error, not an empty page'({ read }) {
    await assert.rejects(read('org-a', [groups('nothing')]))
    await assert.rejects(read('org-a', [groups('country', { sums: ['nothing'] })]))
  },
})
