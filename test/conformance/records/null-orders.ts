import assert from 'node:assert/strict'
import type { Order, PageQuery, Position, Predicate, StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, link, linkEvent, twoTenants, type TwoTenants } from '../fixtures.ts'

const FIELD = 'lastClickedAt'

/** Every third of the links `l-00` … `l-11` was never clicked. The last clicks of the others tie in threes or twos. */
const COUNT = 12
const ids = Array.from({ length: COUNT }, (_, index) => `l-${String(index).padStart(2, '0')}`)
const clickOf = (index: number): string | null => (index % 3 === 2 ? null : at(Math.floor(index / 4)))

async function seeded(make: Parameters<StorageCase['run']>[0]): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  const rows = ids.map((id, index) =>
    link(id, { tags: index % 2 === 0 ? ['even'] : [], archived: index < 6 }),
  )
  const events = ids.flatMap((id, index) =>
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
  return ids
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

async function readAll({ read }: TwoTenants, query: PageQuery): Promise<readonly unknown[]> {
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

export const nullOrderCases: readonly StorageCase[] = (['ascending', 'descending'] as const).flatMap(
  (direction): readonly StorageCase[] => [
    {
      name: `rows without a value in the order's field come last, ${direction}, whatever the page size`,
      async run(make) {
        const storage = await seeded(make)
        const whole = expected(direction)
        for (const limit of [1, 2, 3, 4, 5, 8, COUNT, COUNT + 1]) {
          assert.deepEqual(
            await readAll(storage, page(inOrder(direction), { limit })),
            whole,
            `limit ${limit}`,
          )
        }
        for (const [predicate, keep] of filters) {
          for (const limit of [1, 2, 100]) {
            const query = page(inOrder(direction), { limit, where: [predicate] })
            assert.deepEqual(await readAll(storage, query), expected(direction, keep), predicate.field)
          }
        }
      },
    },
    {
      name: `a position among rows without a value is followed by those behind it alone, ${direction}`,
      async run(make) {
        const { read } = await seeded(make)
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
    },
    {
      name: `a bound on the order's field leaves out rows without a value, ${direction}`,
      async run(make) {
        const { read } = await seeded(make)
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
    },
  ],
)
