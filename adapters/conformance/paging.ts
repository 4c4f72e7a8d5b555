import assert from 'node:assert/strict'
import type { PageQuery, Position, Predicate, StoredRow, Order } from '../../ports/index.ts'
import {
  at,
  contact,
  contactPage,
  form,
  submissionRow,
  twoTenants,
  link,
  linkEvent,
  type TwoTenants,
  type MakeStorage,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'

const TIME = 'createdAt'

/** Contacts whose times tie in threes: `c-00` … at seconds 0, 0, 0, 1, 1, 1, … */
function tied(count: number): readonly StoredRow[] {
  return Array.from({ length: count }, (_, index) =>
    contact(`c-${String(index).padStart(2, '0')}`, { createdAt: at(Math.floor(index / 3)) }),
  )
}

function ids(rows: readonly StoredRow[] | undefined): readonly unknown[] {
  return (rows ?? []).map((row) => row.contactId)
}

function positionOf(row: StoredRow | undefined): Position | null {
  return row === undefined ? null : { value: row.createdAt as string, id: row.contactId as string }
}

/** Reads page after page. `between` runs after each. */
async function readAll(
  { read }: TwoTenants,
  query: PageQuery,
  between: () => Promise<void> = async () => {},
): Promise<readonly StoredRow[]> {
  const all: StoredRow[] = []
  for (let after = query.after; ; after = positionOf(all.at(-1))) {
    const [rows = []] = await read('org-a', [{ ...query, after }])
    all.push(...rows)
    if (rows.length < query.limit) return all
    await between()
  }
}

const ascending = { field: TIME, idField: 'contactId', direction: 'ascending' } as const

export const pagingCases = casesFrom(twoTenants, {
  async 'pages in both directions hold every row once, ties ordered by id in the same direction'(storage) {
    const rows = tied(20)
    await storage.tenant('org-a').upsert('contacts', rows)
    const descending = await readAll(storage, contactPage({ limit: 4 }))
    assert.deepEqual(ids(descending), ids(rows).toReversed())
    assert.deepEqual(ids(await readAll(storage, contactPage({ limit: 4, order: ascending }))), ids(rows))
  },
  async 'every predicate bounds the order field alone and together with a position, whichever is tighter'(
    storage,
  ) {
    const rows = tied(12)
    await storage.tenant('org-a').upsert('contacts', rows)
    const operators = ['equals', 'atLeast', 'above', 'atMost', 'below'] as const
    const holds = (value: string, { operator, value: bound }: Predicate): boolean =>
      ({
        equals: value === bound,
        atLeast: value >= bound,
        above: value > bound,
        atMost: value <= bound,
        below: value < bound,
        contains: false,
        mentions: false,
      })[operator]
    const queries: PageQuery[] = []
    const expected: unknown[] = []
    for (const operator of operators) {
      for (const after of [null, ...[3, 4, 5, 6].map((index) => positionOf(rows[index]))]) {
        for (const order of [contactPage().order, ascending]) {
          const where = [{ field: TIME, operator, value: at(1) }]
          queries.push(contactPage({ where, after, order }))
          const sorted = order.direction === 'ascending' ? rows : rows.toReversed()
          const behind = after === null ? 0 : ids(sorted).indexOf(after.id) + 1
          expected.push(
            ids(sorted.slice(behind).filter((row) => holds(row.createdAt as string, where[0] as Predicate))),
          )
        }
      }
    }
    assert.deepEqual((await storage.read('org-a', queries)).map(ids), expected)
  },
  async 'several bounds on one side act together'(storage) {
    await storage.tenant('org-a').upsert('contacts', tied(12))
    const bound = (operator: Predicate['operator'], seconds: number) => ({
      field: TIME,
      operator,
      value: at(seconds),
    })
    const idsOf = async (where: readonly Predicate[], order = contactPage().order) =>
      ids((await storage.read('org-a', [contactPage({ where, order })]))[0])
    assert.deepEqual(await idsOf([bound('below', 3), bound('atMost', 1), bound('atLeast', 1)]), [
      'c-05',
      'c-04',
      'c-03',
    ])
    assert.deepEqual(await idsOf([bound('atMost', 1), bound('below', 1)]), ['c-02', 'c-01', 'c-00'])
    assert.deepEqual(await idsOf([bound('atLeast', 1), bound('above', 2), bound('above', 1)], ascending), [
      'c-09',
      'c-10',
      'c-11',
    ])
  },
  async 'a position need not be that of a stored row'(storage) {
    await storage.tenant('org-a').upsert('contacts', tied(6))
    const after = { value: at(1), id: 'c-03x' }
    const pages = await storage.read('org-a', [
      contactPage({ after }),
      contactPage({ after, order: ascending }),
    ])
    assert.deepEqual(pages.map(ids), [
      ['c-03', 'c-02', 'c-01', 'c-00'],
      ['c-04', 'c-05'],
    ])
  },
  async 'rows inserted between pages neither repeat nor hide those that were there'(storage) {
    const rows = tied(18)
    await storage.tenant('org-a').upsert('contacts', rows)
    let added = 0
    const insert = async () => {
      added += 1
      const times = [at(-1), at(added), at(100)]
      const fresh = times.map((createdAt, index) => contact(`new-${added}-${index}`, { createdAt }))
      await storage.tenant('org-a').upsert('contacts', fresh)
    }
    const all = ids(await readAll(storage, contactPage({ limit: 4 }), insert))
    assert.equal(new Set(all).size, all.length)
    assert.deepEqual(
      all.filter((id) => !String(id).startsWith('new')),
      ids(rows).toReversed(),
    )
  },
  async 'rows that leave a filtered page between pages hide no other row'(storage) {
    const rows = tied(12).map((row) => ({ ...row, siteId: 's' }))
    await storage.tenant('org-a').upsert('contacts', rows)
    const leaving = rows.toReversed().slice(0, 4)
    const leave = async () => {
      const gone = leaving.splice(0, 2).map((row) => ({ ...row, siteId: null }))
      await storage.tenant('org-a').upsert('contacts', gone)
    }
    const where = [{ field: 'siteId', operator: 'equals', value: 's' } as const]
    const all = ids(await readAll(storage, contactPage({ limit: 4, where }), leave))
    assert.deepEqual(all, ids(rows).toReversed())
  },
  async 'filters narrow by text, boolean and null fields; null satisfies nothing'(storage) {
    await storage.tenant('org-a').upsert('contacts', [contact('c-1', { siteId: 's' }), contact('c-2')])
    await storage.tenant('org-a').upsert('forms', [form('f-1'), form('f-2', { isPublished: false })])
    const formsWhere = (value: boolean): PageQuery => ({
      ...contactPage({ where: [{ field: 'isPublished', operator: 'equals', value }] }),
      collection: 'forms',
      select: ['formId', 'isPublished'],
      order: { field: TIME, idField: 'formId', direction: 'descending' },
    })
    const site = (operator: Predicate['operator'], value: string) =>
      contactPage({ where: [{ field: 'siteId', operator, value }] })
    const queries = [
      formsWhere(true),
      formsWhere(false),
      site('equals', 's'),
      site('atLeast', ''),
      site('below', 'z'),
    ]
    const [published, unpublished, ...bySite] = await storage.read('org-a', queries)
    assert.deepEqual(published, [{ formId: 'f-1', isPublished: true }])
    assert.deepEqual(unpublished, [{ formId: 'f-2', isPublished: false }])
    assert.deepEqual(bySite.map(ids), [['c-1'], ['c-1'], ['c-1']])
  },
  async 'a joined field comes from the row that is referred to, and is null when there is none'(storage) {
    await storage.tenant('org-a').upsert('forms', [form('form-1', { name: 'Feedback' })])
    await storage.tenant('org-b').upsert('forms', [form('form-b', { name: 'Secret' })])
    const rows = [
      submissionRow('s-1'),
      submissionRow('s-2', { formId: 'form-b' }),
      submissionRow('s-3', { formId: 'x' }),
    ]
    await storage.tenant('org-a').upsert('form-submissions', rows)
    const select = ['submissionId', 'formName']
    const page: PageQuery = {
      ...contactPage(),
      collection: 'form-submissions',
      select,
      order: { field: 'submittedAt', idField: 'submissionId', direction: 'ascending' },
    }
    const one = { kind: 'one', collection: 'form-submissions', select, id: 's-1' } as const
    const expected = [
      { submissionId: 's-1', formName: 'Feedback' },
      { submissionId: 's-2', formName: null },
      { submissionId: 's-3', formName: null },
    ]
    assert.deepEqual(await storage.read('org-a', [page, one]), [expected, expected.slice(0, 1)])
  },
  async 'only selected fields are handed over, one list per query; no row is an empty list'(storage) {
    await storage.tenant('org-a').upsert('contacts', [contact('c', { email: 'ada@example.com' })])
    const one = { kind: 'one', collection: 'contacts', select: ['email', 'tags'], id: 'c' } as const
    assert.deepEqual(await storage.read('org-a', [one, { ...one, id: 'x' }, contactPage({ limit: 0 })]), [
      [{ email: 'ada@example.com', tags: [] }],
      [],
      [],
    ])
  },
  async 'an unknown collection or field is an error, not an empty page'({ read }) {
    await assert.rejects(read('org-a', [contactPage({ collection: 'nothing' })]))
    await assert.rejects(read('org-a', [contactPage({ select: ['nothing'] })]))
    await assert.rejects(
      read('org-a', [contactPage({ where: [{ field: 'nothing', operator: 'equals', value: 1 }] })]),
    )
    await assert.rejects(read('org-a', [contactPage({ order: { ...ascending, field: 'nothing' } })]))
  },
})

const FIELD = 'lastClickedAt'

/** Every third of the links `l-00` … `l-11` was never clicked. The last clicks of the others tie in threes or twos. */
const COUNT = 12
const linkIds = Array.from({ length: COUNT }, (_, index) => `l-${String(index).padStart(2, '0')}`)
const clickOf = (index: number): string | null => (index % 3 === 2 ? null : at(Math.floor(index / 4)))

async function withClicks(make: MakeStorage): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  const rows = linkIds.map((id, index) =>
    link(id, { tags: index % 2 === 0 ? ['even'] : [], archived: index < 6 }),
  )
  const events = linkIds.flatMap((id, index) =>
    clickOf(index) === null ? [] : [linkEvent(`e-${id}`, id, Math.floor(index / 4))],
  )
  for (const organizationId of ['org-a', 'org-b']) {
    await storage.tenant(organizationId).upsert('links', rows)
    await storage.tenant(organizationId).upsert('link-events', events)
  }
  return storage
}

function page(order: Order, changes: Partial<PageQuery> = {}): PageQuery {
  const select = ['linkId', FIELD]
  return { kind: 'page', collection: 'links', select, where: [], order, after: null, limit: 100, ...changes }
}

const inOrder = (direction: Order['direction']): Order => ({ field: FIELD, idField: 'linkId', direction })

/** The ids in an order: sorted by value, ties and rows without a value by id, rows without a value last. */
function expected(
  direction: Order['direction'],
  keep: (index: number) => boolean = () => true,
): readonly string[] {
  const sign = direction === 'ascending' ? 1 : -1
  return linkIds
    .map((id, index) => ({ id, index, value: clickOf(index) }))
    .filter(({ index }) => keep(index))
    .sort((left, right) => {
      const nulls = Number(left.value === null) - Number(right.value === null)
      if (nulls !== 0) return nulls
      const [leftKey, rightKey] = [`${left.value ?? ''} ${left.id}`, `${right.value ?? ''} ${right.id}`]
      return leftKey < rightKey ? -sign : sign
    })
    .map(({ id }) => id)
}

const idsOf = (rows: readonly StoredRow[]) => rows.map(({ linkId }) => linkId)

async function readAllIds({ read }: TwoTenants, query: PageQuery): Promise<readonly unknown[]> {
  const all: StoredRow[] = []
  for (let after: Position | null = null; ;) {
    const [rows = []] = await read('org-a', [{ ...query, after }])
    all.push(...rows)
    const last = all.at(-1)
    if (rows.length < query.limit || last === undefined) return idsOf(all)
    after = { value: last[FIELD] as string | null, id: last.linkId as string }
  }
}

const filters: readonly (readonly [Predicate, (index: number) => boolean])[] = [
  [{ field: 'tags', operator: 'contains', value: 'even' }, (index) => index % 2 === 0],
  [{ field: 'archived', operator: 'equals', value: true }, (index) => index < 6],
  [{ field: 'domain', operator: 'equals', value: 'none.example' }, () => false],
]

export const nullOrderCases = (['ascending', 'descending'] as const).flatMap((direction) =>
  casesFrom(withClicks, {
    async [`rows without a value in the order's field come last, ${direction}, whatever the page size`](
      storage,
    ) {
      const whole = expected(direction)
      for (const limit of [1, 2, 3, 4, 5, 8, COUNT, COUNT + 1]) {
        assert.deepEqual(
          await readAllIds(storage, page(inOrder(direction), { limit })),
          whole,
          `limit ${limit}`,
        )
      }
      for (const [predicate, keep] of filters) {
        for (const limit of [1, 2, 100]) {
          const query = page(inOrder(direction), { limit, where: [predicate] })
          assert.deepEqual(await readAllIds(storage, query), expected(direction, keep), predicate.field)
        }
      }
    },
    async [`a position among rows without a value is followed by those behind it alone, ${direction}`]({
      read,
    }) {
      const whole = expected(direction)
      const after = (value: string | null, id: string) => page(inOrder(direction), { after: { value, id } })
      const pages = await read('org-a', [
        after(null, 'l-05'),
        after(null, 'l-06x'),
        after(null, direction === 'ascending' ? 'l-11' : 'l-02'),
        after(at(1), 'l-04x'),
      ])
      const without = whole.slice(-4)
      const behindFive = direction === 'ascending' ? ['l-08', 'l-11'] : ['l-02']
      assert.deepEqual(pages.map(idsOf), [
        behindFive,
        direction === 'ascending' ? ['l-08', 'l-11'] : ['l-05', 'l-02'],
        [],
        // The last clicks of l-04, l-06 and l-07 tie.
        [
          ...(direction === 'ascending'
            ? ['l-06', 'l-07', 'l-09', 'l-10']
            : ['l-04', 'l-03', 'l-01', 'l-00']),
          ...without,
        ],
      ])
    },
    async [`a bound on the order's field leaves out rows without a value, ${direction}`]({ read }) {
      const bounded = (operator: Predicate['operator'], after: Position | null = null) =>
        page(inOrder(direction), { where: [{ field: FIELD, operator, value: at(1) }], after })
      const [atLeast = [], below = [], behind = []] = await read('org-a', [
        bounded('atLeast'),
        bounded('below'),
        bounded('atLeast', { value: null, id: direction === 'ascending' ? '' : 'z' }),
      ])
      assert.deepEqual(
        idsOf(atLeast),
        expected(direction, (index) => (clickOf(index) ?? '') >= at(1)),
      )
      assert.deepEqual(
        idsOf(below),
        expected(direction, (index) => clickOf(index) !== null && (clickOf(index) ?? '') < at(1)),
      )
      assert.deepEqual(behind, [])
    },
  }),
)
