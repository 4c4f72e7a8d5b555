import { afterEach, expect, test } from 'vitest'
import type { Deadline } from '../../ports/platform.ts'
import type { GroupsQuery, PageQuery, Position, StoredRow } from '../../ports/records.ts'
import { DUB_KEY, dubLink, openDub, type DubEvent, type DubLink } from '../../test/support/providers/dub.ts'
import type { Misbehaviour, StandIn } from '../../test/support/providers/stand-in.ts'
import { openDubLinks } from './index.ts'

const opened: StandIn[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** The longest pause between two attempts, in milliseconds; a longer wait is a time limit. */
const PAUSE_MAX_MS = 2_000

/** Ends pauses at once, and time limits when the service answers late, so that a busy machine does not matter. */
function impatience(dub: StandIn): Deadline {
  const limits: AbortController[] = []
  dub.onLate = () => {
    for (const limit of limits.splice(0)) limit.abort()
  }
  return {
    after: (durationMs) => {
      if (durationMs <= PAUSE_MAX_MS) return AbortSignal.timeout(0)
      const limit = new AbortController()
      limits.push(limit)
      return limit.signal
    },
  }
}

async function open(links: readonly DubLink[], events: readonly DubEvent[] = [], apiKey = DUB_KEY) {
  const dub = await openDub(links, events)
  opened.push(dub)
  const clock = { nowMs: () => Date.now() }
  const options = { apiKey, baseUrl: dub.url, fetch, deadline: impatience(dub), clock }
  return { dub, links: openDubLinks(options, 'acme') }
}

function page(changes: Partial<PageQuery> = {}): PageQuery {
  return {
    kind: 'page',
    collection: 'links',
    select: ['linkId'],
    where: [],
    order: { field: 'createdAt', idField: 'linkId', direction: 'descending' },
    after: null,
    limit: 100,
    ...changes,
  }
}

const one = (id: string) => ({ kind: 'one', collection: 'links', select: ['linkId'], id }) as const

function groups(by: string, changes: Partial<GroupsQuery> = {}): GroupsQuery {
  return {
    kind: 'groups',
    collection: 'link-events',
    by,
    where: window('2026-06-01T00:00:00.000Z', '2026-06-08T00:00:00.000Z'),
    sums: ['clicks', 'leads', 'sales', 'saleAmountCents'],
    order: by === 'day' ? 'value' : 'sum',
    after: null,
    limit: 100,
    ...changes,
  }
}

const window = (start: string, end: string) =>
  [
    { field: 'occurredAt', operator: 'atLeast', value: start },
    { field: 'occurredAt', operator: 'below', value: end },
  ] as const

const day = (number: number) => `2026-06-${String(number).padStart(2, '0')}T12:00:00.000Z`

/** Seven links of `acme`, one of them archived, between links of others. */
const seven: readonly DubLink[] = [
  ...Array.from({ length: 7 }, (_, index) =>
    dubLink(`link_${index}`, 'acme', {
      createdAt: day(index + 1),
      clicks: index % 3,
      lastClicked: index % 2 === 0 ? day(20 + index) : null,
      archived: index === 6,
      tags: [{ id: 't', name: index % 2 === 0 ? 'News' : 'news' }],
    }),
  ),
  dubLink('link_foreign', 'other', { createdAt: day(3), tags: [{ id: 't', name: 'News' }] }),
  dubLink('link_nobody', null, { createdAt: day(3) }),
]

test('links come with the fields of the resource and no other, those of the organization alone', async () => {
  const { links } = await open(seven)
  expect(await links.one(one('link_2'))).toEqual({
    kind: 'row',
    row: {
      linkId: 'link_2',
      domain: 'go.example',
      key: 'link_2',
      shortUrl: 'https://go.example/link_2',
      url: 'https://example.com/',
      title: null,
      tags: ['News'],
      archived: false,
      clicks: 2,
      leads: 0,
      sales: 0,
      saleAmountCents: 0,
      expiresAt: null,
      lastClickedAt: '2026-06-22T12:00:00.000Z',
      createdAt: '2026-06-03T12:00:00.000Z',
      updatedAt: '2026-06-01T00:00:00.000Z',
    },
  })
  const missing = { kind: 'row', row: null }
  for (const id of ['link_foreign', 'link_nobody', 'none', '../links', '\u0000', 'link_1,link_2'])
    expect(await links.one(one(id))).toEqual(missing)
})

async function walk(
  links: Awaited<ReturnType<typeof open>>['links'],
  query: PageQuery,
  limits: readonly number[],
) {
  const all: StoredRow[] = []
  let after: Position | null = null
  for (let index = 0; ; index += 1) {
    const found = await links.page({ ...query, after, limit: limits[index % limits.length] ?? 1 })
    if (found.kind !== 'page') throw new Error(JSON.stringify(found))
    all.push(...found.rows)
    if (found.next === null) return all.map(({ linkId }) => linkId)
    after = found.next
  }
}

test.each([[[1]], [[2]], [[3]], [[7]], [[100]], [[2, 3]], [[4, 1, 3]]])(
  'pages of %j hold every link once in every order, archived ones too',
  async (limits) => {
    const { links } = await open(seven)
    for (const field of ['createdAt', 'clicks', 'lastClickedAt']) {
      for (const direction of ['ascending', 'descending'] as const) {
        const query = page({ order: { field, idField: 'linkId', direction } })
        expect((await walk(links, query, limits)).sort()).toEqual(
          Array.from({ length: 7 }, (_, index) => `link_${index}`),
        )
      }
    }
    expect(await walk(links, page(), limits)).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `link_${index}`))
  },
)

test('filters are asked of the service, and case makes another tag', async () => {
  const { dub, links } = await open(seven)
  const ids = async (where: PageQuery['where']) => walk(links, page({ where }), [100])
  expect(await ids([{ field: 'archived', operator: 'equals', value: false }])).toHaveLength(6)
  expect(await ids([{ field: 'tags', operator: 'contains', value: 'News' }])).toHaveLength(4)
  expect(await ids([{ field: 'domain', operator: 'equals', value: 'x.example' }])).toEqual([])
  const asked = dub.requests.map(({ path }) => path)
  expect(asked[0]).toContain('showArchived=false')
  expect(asked[1]).toContain('tagNames=News')
  expect(asked[2]).toContain('domain=x.example')
  expect(asked.every((path) => path.includes('tenantId=acme'))).toBe(true)
})

test.each([
  ['createdAt', 'atLeast', '2026-01-01T00:00:00.000Z', 'must be left out'],
  ['updatedAt', 'below', '2026-01-01T00:00:00.000Z', 'must be left out'],
  ['archived', 'equals', true, 'must be false, or left out'],
  ['tags', 'contains', 'a,b', 'must be without a comma'],
] as const)('what cannot be asked of the service is named and not asked: %s %s %s', async (...given) => {
  const [field, operator, value, allowed] = given
  const { dub, links } = await open(seven)
  const refused = await links.page(page({ where: [{ field, operator, value }] }))
  expect(refused).toMatchObject({ kind: 'unsupported', field, operator })
  expect(refused.kind === 'unsupported' && refused.allowed).toContain(allowed)
  expect(dub.requests).toEqual([])
})

const events: readonly DubEvent[] = [
  { linkId: 'link_1', at: day(1), event: 'clicks', country: 'US' },
  {
    linkId: 'link_1',
    at: '2026-06-03T00:30:00.000Z',
    event: 'clicks',
    country: 'US',
    referer: 'example.com',
  },
  { linkId: 'link_1', at: '2026-06-03T23:59:59.999Z', event: 'sales', saleAmount: 700, country: 'DE' },
  { linkId: 'link_2', at: day(7), event: 'clicks' },
  { linkId: 'link_2', at: day(7), event: 'leads', country: 'US' },
  { linkId: 'link_2', at: '2026-06-08T00:00:00.000Z', event: 'clicks', country: 'US' },
  { linkId: 'link_foreign', at: day(2), event: 'clicks', country: 'US' },
]

test('analytics come in groups, empty ones left out, unknown ones null, the end excluded', async () => {
  const { links } = await open(seven, events)
  const rowsOf = async (query: GroupsQuery) => {
    const found = await links.groups(query)
    if (found.kind !== 'groups') throw new Error(JSON.stringify(found))
    return found.rows.map(({ value, clicks, leads, sales, saleAmountCents }) =>
      [value, clicks, leads, sales, saleAmountCents].join(' '),
    )
  }
  expect(await rowsOf(groups('day'))).toEqual([
    '2026-06-07 1 1 0 0',
    '2026-06-03 1 0 1 700',
    '2026-06-01 1 0 0 0',
  ])
  const short = window('2026-06-03T00:00:00.000Z', '2026-06-04T00:00:00.000Z')
  expect(await rowsOf(groups('day', { where: short }))).toEqual(['2026-06-03 1 0 1 700'])
  expect(await rowsOf(groups('country'))).toEqual(['US 2 1 0 0', ' 1 0 0 0', 'DE 0 0 1 700'])
  expect(await rowsOf(groups('linkId'))).toEqual(['link_1 2 0 1 700', 'link_2 1 1 0 0'])
  expect(await rowsOf(groups('referrer'))).toEqual([' 2 1 1 700', 'example.com 1 0 0 0'])
  expect(await rowsOf(groups('city'))).toEqual([' 3 1 1 700'])
  const ofLink = [{ field: 'linkId', operator: 'equals', value: 'link_2' } as const, ...groups('day').where]
  expect(await rowsOf(groups('country', { where: ofLink }))).toEqual([' 1 0 0 0', 'US 0 1 0 0'])

  const first = await links.groups(groups('country', { limit: 2 }))
  expect(first).toMatchObject({ kind: 'groups', next: { sum: 1, value: null } })
  expect(await rowsOf(groups('country', { after: { sum: 1, value: null } }))).toEqual(['DE 0 0 1 700'])
})

test('windows that the service cannot count are refused by name', async () => {
  const { dub, links } = await open(seven, events)
  const where = window('2026-06-01T00:00:00.000Z', '2026-06-08T00:00:00.001Z')
  expect(await links.groups(groups('country', { where }))).toMatchObject({
    field: 'occurredAt',
    operator: 'below',
  })
  const long = window('2025-12-01T00:00:00.000Z', '2026-06-08T00:00:00.000Z')
  expect(await links.groups(groups('day', { where: long }))).toMatchObject({ operator: 'atLeast' })
  expect(dub.requests).toEqual([])
  expect(await links.groups(groups('country', { where: long }))).toMatchObject({ kind: 'groups' })
})

const passing: readonly Misbehaviour[] = [
  'reset',
  'reset_after',
  'silence',
  'truncated',
  { status: 500 },
  { status: 503 },
  { delayMs: 1_000 },
  { status: 429, headers: { 'retry-after': '1' } },
]
const lasting: readonly (readonly [Misbehaviour, string])[] = [
  ['garbage', 'no JSON'],
  [{ status: 401 }, 'refused the key'],
  [{ status: 403 }, 'refused the key'],
  [{ status: 422 }, 'status 422'],
  [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 'status 302'],
  [{ status: 429 }, 'patience'],
  [{ status: 429, headers: { 'retry-after': '60' } }, 'patience'],
  [{ status: 200, body: { links: [] } }, 'answered with something'],
  [{ status: 200, body: [{ id: 'link_1' }] }, 'answered with something'],
  [{ status: 200, body: [null] }, 'answered with something'],
]

test('an answer that breaks off is told apart, and its error is kept for the log', async () => {
  const { dub, links } = await open(seven, events)
  dub.misbehave.push('truncated', 'truncated')
  expect(await links.one(one('link_1'))).toEqual({
    kind: 'unavailable',
    reason: 'The link service broke off its answer.',
    cause: expect.any(Error) as Error,
  })
})

test.each(passing)('a passing trouble is tried once more, and no more than that: %j', async (trouble) => {
  const { dub, links } = await open(seven, events)
  for (const read of [
    () => links.page(page()),
    () => links.one(one('link_1')),
    () => links.groups(groups('day')),
  ]) {
    const before = dub.requests.length
    dub.misbehave.push(trouble)
    expect((await read()).kind).not.toBe('unavailable')
    expect(dub.requests.length - before).toBe(2)
    dub.misbehave.push(trouble, trouble)
    expect((await read()).kind).toBe('unavailable')
    expect(dub.requests.length - before).toBe(4)
  }
})

test.each(lasting)('a lasting trouble is told at once: %j', async (trouble, reason) => {
  const { dub, links } = await open(seven, events)
  for (const read of [
    () => links.page(page()),
    () => links.one(one('link_1')),
    () => links.groups(groups('day')),
  ]) {
    const before = dub.requests.length
    dub.misbehave.push(trouble)
    const outcome = await read()
    expect(outcome.kind === 'unavailable' && outcome.reason).toContain(reason)
    expect(dub.requests.length - before).toBe(1)
  }
})

test('a service that hands over links of another tenant is not believed', async () => {
  const { dub, links } = await open(seven)
  dub.misbehave.push({ status: 200, body: [dubLink('link_1', 'acme'), dubLink('link_x', 'other')] })
  expect(await links.page(page())).toMatchObject({ kind: 'unavailable' })
  dub.misbehave.push({ status: 200, body: [dubLink('a', 'acme'), dubLink('b', 'acme')] })
  expect(await links.page(page({ limit: 1 }))).toMatchObject({ kind: 'unavailable' })
})

test('a service that is not there is unavailable', async () => {
  const { dub, links } = await open(seven)
  await dub.close()
  opened.splice(0)
  expect(await links.one(one('link_1'))).toMatchObject({ kind: 'unavailable' })
})
