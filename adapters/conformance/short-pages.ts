import assert from 'node:assert/strict'
import type { Order, PageQuery, Position, Predicate, Scalar, StoredRow } from '../../ports/index.ts'
import { storedRowsOf } from '../../domain/read/page.ts'
import {
  type StorageCase,
  at,
  claimOf,
  contact,
  link,
  linkEvent,
  submissionRow,
  twoTenants,
  type TwoTenants,
  drawing,
  type Draw,
} from './fixtures.ts'

const ROWS = 40
const READS = 150

/** A collection, how its rows are generated, and how its pages are read. */
interface Walked {
  readonly collection: string
  readonly idField: string
  readonly orders: readonly string[]
  readonly filters: readonly (readonly [field: string, operator: Predicate['operator']])[]
  readonly row: (id: string, draw: Draw) => StoredRow
}

const oneOf = <Value>(values: readonly Value[], draw: Draw): Value => values[draw(values.length)] as Value
const names = ['a', 'b', 'c'] as const
const someNames = (draw: Draw) => names.filter(() => draw(3) === 0)

const walked: readonly Walked[] = [
  {
    collection: 'contacts',
    idField: 'contactId',
    orders: ['createdAt', 'updatedAt'],
    filters: [
      ['siteId', 'equals'],
      ['phone', 'equals'],
      ['createdAt', 'atLeast'],
      ['createdAt', 'below'],
    ],
    row: (id, draw) =>
      contact(id, {
        createdAt: at(draw(12)),
        siteId: oneOf([null, ...names], draw),
        phone: oneOf([null, '+12125550100'], draw),
      }),
  },
  {
    collection: 'links',
    idField: 'linkId',
    orders: ['createdAt', 'updatedAt', 'clicks', 'lastClickedAt'],
    filters: [
      ['archived', 'equals'],
      ['domain', 'equals'],
      ['tags', 'contains'],
      ['createdAt', 'atLeast'],
      ['createdAt', 'below'],
    ],
    row: (id, draw) =>
      link(id, {
        createdAt: at(draw(12)),
        archived: draw(4) === 0,
        domain: oneOf(names, draw),
        tags: someNames(draw),
      }),
  },
  {
    collection: 'form-submissions',
    idField: 'submissionId',
    orders: ['submittedAt', 'updatedAt'],
    filters: [
      ['formId', 'equals'],
      ['contactId', 'equals'],
      ['submittedAt', 'atLeast'],
      ['submittedAt', 'below'],
      ['answers', 'mentions'],
    ],
    row: (id, draw) =>
      submissionRow(id, {
        answers: oneOf(
          [
            {},
            { b: true, n: null },
            { x: 'CBA' },
            { x: ['1', { y: 'Éa' }] },
            { n: 12.5, m: -3 },
            { x: 'É\na"%_' },
          ],
          draw,
        ),
        submittedAt: at(draw(12)),
        typed: oneOf([null, { x: 'Cba 1' }], draw),
        extra: oneOf([null, { É: '2.5' }, { y: 'x' }], draw),
        formId: oneOf(names, draw),
        contactId: oneOf([null, ...names], draw),
      }),
  },
]

/** What of a submission besides its answers a search may look at. */
const MENTIONING = ['typed', 'extra']

function holds(row: StoredRow, { field, others = [], operator, value }: Predicate): boolean {
  const stored = row[field]
  if (operator === 'mentions')
    return textsIn([field, ...others].map((name) => row[name])).some((text) => text.includes(String(value)))
  if (stored === null) return false
  if (operator === 'contains') return (stored as readonly unknown[]).includes(value)
  const [left, right] = [stored as Scalar, value]
  return {
    equals: left === right,
    atLeast: left >= right,
    above: left > right,
    atMost: left <= right,
    below: left < right,
  }[operator]
}

/** What is searched for: also names of members, and what would mean something else in a pattern or in JSON. */
const sought = ['a', 'cba', 'É', 'é', '%', '"', '\n', '\\n', 'x', 'true', 'null', '2.5', '-', '1'] as const

/** The texts and numbers of a document, with small ASCII letters. */
function textsIn(document: unknown): readonly string[] {
  const texts: string[] = []
  JSON.parse(JSON.stringify(document), (_name, part: unknown) => {
    if (typeof part === 'string' || typeof part === 'number')
      texts.push(
        String(part).replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32)),
      )
    return part
  })
  return texts
}

/** Rows in an order; those without a value in its field come last. */
function sorted(rows: readonly StoredRow[], { field, idField, direction }: Order): readonly StoredRow[] {
  const sign = direction === 'ascending' ? 1 : -1
  const compare = (left: unknown, right: unknown) =>
    (left as Scalar) < (right as Scalar) ? -1 : (left as Scalar) > (right as Scalar) ? 1 : 0
  return rows.toSorted((left, right) => {
    const [one, other] = [left[field], right[field]]
    if ((one === null) !== (other === null)) return one === null ? 1 : -1
    return sign * (compare(one, other) || compare(left[idField], right[idField]))
  })
}

/** Reads page after page as whoever follows `hasMore` does. Says how many pages ended early, too. */
async function follow(
  { keyed }: TwoTenants,
  query: PageQuery,
): Promise<{ readonly rows: readonly StoredRow[]; readonly short: number }> {
  const rows: StoredRow[] = []
  let short = 0
  for (let after: Position | null = null; ;) {
    const read = await keyed
      .open(claimOf('org-a', 'key-a'))
      .read([{ ...query, limit: query.limit + 1, after }])
    assert(read.authenticated)
    const [result] = read.results
    assert(result !== undefined)
    const found = storedRowsOf(result)
    const shown = found.slice(0, query.limit)
    const last = shown.at(-1)
    rows.push(...shown)
    const isFull = found.length > query.limit && last !== undefined
    const { field, idField } = query.order
    const next: Position | null = isFull
      ? { value: last[field] as Position['value'], id: String(last[idField]) }
      : result.stoppedAt
    if (next === null) return { rows, short }
    assert.notDeepEqual(next, after, 'a page that ends early gets ahead')
    if (!isFull) short += 1
    after = next
  }
}

export const shortPageCases: readonly StorageCase[] = walked.map((of) => ({
  name: `${of.collection}: pages that end early hold every row that the filters select, once and in order`,
  async run(make) {
    const storage = await twoTenants(make)
    const draw = drawing(of.collection.length)
    const writer = storage.tenant('org-a')
    const ids = Array.from({ length: ROWS }, (_, index) => `row-${String(index).padStart(2, '0')}`)
    for (let start = 0; start < ROWS; start += 7) {
      storage.clock.ms += 1000
      await writer.upsert(
        of.collection,
        ids.slice(start, start + 7).map((id) => of.row(id, draw)),
      )
    }
    await storage.tenant('org-b').upsert(of.collection, [of.row('row-05x', draw)])
    if (of.collection === 'links') {
      const events = Array.from({ length: ROWS }, (_, index) =>
        linkEvent(`e-${index}`, oneOf(ids.slice(0, 25), draw), draw(9)),
      )
      await writer.upsert('link-events', events)
    }
    const searched = of.filters.some(([, operator]) => operator === 'mentions') ? MENTIONING : []
    const select = [
      ...new Set([of.idField, ...of.orders, ...of.filters.map(([field]) => field), ...searched]),
    ]
    const natural: Order = { field: of.orders[0] ?? '', idField: of.idField, direction: 'descending' }
    const page = { kind: 'page', collection: of.collection, select, order: natural, after: null } as const
    const [all = []] = await storage.read('org-a', [{ ...page, where: [], limit: 1000 }])
    assert.equal(all.length, ROWS)

    let short = 0
    for (let nth = 0; nth < READS; nth += 1) {
      const order: Order = {
        field: oneOf(of.orders, draw),
        idField: of.idField,
        direction: oneOf(['ascending', 'descending'], draw),
      }
      const where = of.filters.flatMap(([field, operator]): Predicate[] => {
        const value = operator === 'mentions' ? oneOf(sought, draw) : oneOf(all, draw)[field]
        const wanted: unknown = Array.isArray(value) ? ((value as readonly unknown[])[0] ?? 'none') : value
        const others = operator === 'mentions' && draw(2) === 0 ? { others: MENTIONING } : {}
        return draw(3) > 0 || wanted === null ? [] : [{ field, ...others, operator, value: wanted as Scalar }]
      })
      const query = { ...page, where, order, limit: 1 + draw(4), looksAtMax: 1 + draw(5) }
      const found = await follow(storage, query)
      const expected = sorted(
        all.filter((row) => where.every((predicate) => holds(row, predicate))),
        order,
      )
      assert.deepEqual(found.rows, expected, JSON.stringify(query))
      short += found.short
    }
    assert(short > READS / 2, `${short} pages ended early`)
  },
}))
