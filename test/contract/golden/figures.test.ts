import { beforeAll, describe, expect, test } from 'vitest'
import {
  referenceCancellations,
  referenceCohorts,
  referenceMembers,
  referenceOffers,
  referenceSurvey,
  type AnalyticsData,
} from '../../support/data/analytics/analytics-reference.ts'
import { memberships, offerEvents, paymentEvents, surveyEvents } from './memberships.ts'
import type { Row } from './rows.ts'
import { operations, served, shapeOf, type Operation, type Parameter } from './table.ts'
import {
  able,
  importLines,
  linesByKind,
  linkEvents,
  NOW,
  openWorld,
  OWNER,
  POS,
  shown,
  type World,
} from './world.ts'

// What is counted or sorted on request, computed here from the rows that were imported: links by their figures, link
// analytics, the analytics of memberships, and the removals.

const DAY_MS = 86_400_000
const operation = (path: string): Operation => operations.find((one) => one.path === path) ?? fail(path)
const parameter = (path: string, name: string): Parameter =>
  operation(path).parameters.find((one) => one.name === name) ?? fail(name)
const wordsOf = ({ type }: Parameter): readonly string[] => (type.kind === 'one of' ? type.words : [])
const fail = (what: string): never => {
  throw new Error(`The table has no ${what}`)
}

/** Every row in one place takes seconds; test/ci/suites/own-places.sh runs the other one. */
const place = process.env.TEST_PLACE === 'own' ? 'own' : 'shared'

describe(`in the place ${place}`, () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(place)
  })

  const ask = async (path: string, query: string, key = world.key) => {
    const response = await world.service.sendUnchecked(`${path}?${query}`, { key })
    return { status: response.status, body: (await response.json()) as Row }
  }
  const read = async (path: string, query: string, key = world.key) => {
    const { status, body } = await ask(path, query, key)
    expect([path, query, status, body.error]).toEqual([path, query, 200, undefined])
    return body
  }
  /** A list in pages of this size. Rows that tie stand on different pages. */
  const walk = async (path: string, query: string, limit: 1 | 2, key = world.key) => {
    const data: Row[] = []
    for (let cursor: string | null = ''; cursor !== null && data.length < 200;) {
      const body = await read(path, `${query}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`, key)
      data.push(...(body.data as Row[]))
      cursor = (body.pagination as { readonly nextCursor: string | null }).nextCursor
    }
    return data
  }
  const refused = async (path: string, query: string) => {
    const { status, body } = await ask(path, query)
    expect([query, status, Object.keys(body)]).toEqual([query, 400, ['error']])
  }

  describe('links, sorted', () => {
    const path = '/api/v1/links'
    const [sortBy, sortOrder] = [parameter(path, 'sortBy'), parameter(path, 'sortOrder')]
    const sorts = wordsOf(sortBy).flatMap((by) => wordsOf(sortOrder).map((order) => [by, order] as const))

    test.each(sorts)('%s %s', async (by, order) => {
      const ids = links(by, order)
      const listed = async (query: string) =>
        ((await read(path, query)).data as Row[]).map(({ linkId }) => linkId)
      expect(await listed(`sortBy=${by}&sortOrder=${order}`)).toEqual(ids)
      for (const limit of [1, 2] as const) {
        const walked = await walk(path, `sortBy=${by}&sortOrder=${order}`, limit)
        expect(walked.map(({ linkId }) => linkId)).toEqual(ids)
      }
      if (by === sortBy.otherwise)
        for (const unsaid of ['', 'sortBy=&'])
          expect(await listed(`${unsaid}sortOrder=${order}`)).toEqual(ids)
      if (order === sortOrder.otherwise) expect(await listed(`sortBy=${by}`)).toEqual(ids)
    })

    test('by nothing else', async () => {
      for (const query of ['sortBy=leads', 'sortBy=updatedAt', 'sortOrder=up', 'sortBy=CLICKS'])
        await refused(path, query)
    })
  })

  describe.each(operations.filter(({ typeText }) => typeText === 'LinkFigures'))(
    '$path',
    ({ path, limits }) => {
      const groupings = wordsOf(parameter(path, 'groupBy'))
      const parents = path.includes('{') ? ['linkId-00', 'linkId-02'] : [null]
      const pathOf = (parent: string | null) => path.replace('{linkId}', String(parent))

      test.each(groupings)('by %s', async (groupBy) => {
        for (const parent of parents)
          for (const [start, end] of [
            ['2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
            edges(parent),
          ] as const) {
            const body = await read(pathOf(parent), `groupBy=${groupBy}&start=${start}&end=${end}&limit=500`)
            expect(body.data).toEqual(linkFigures(groupBy, parent, start, end))
            expect(body.filters).toEqual({ groupBy, start, end })
            expect(
              await walk(
                pathOf(parent),
                `groupBy=${groupBy}&start=${start}&end=${end}`,
                place === 'own' ? 1 : 2,
              ),
            ).toEqual(body.data)
          }
      })

      test('by default: the last thirty days, the limits of the table', async () => {
        for (const parent of parents) {
          const { filters, data, pagination } = await read(pathOf(parent), '')
          const { groupBy, start, end } = filters as Record<string, string>
          expect(groupBy).toBe(parameter(path, 'groupBy').otherwise)
          expect(Date.parse(String(end)) - Date.parse(String(start))).toBe(30 * DAY_MS)
          expect([String(end) >= NOW, Date.parse(String(end)) - Date.parse(NOW) < DAY_MS]).toEqual([
            true,
            true,
          ])
          expect(data).toEqual(linkFigures(String(groupBy), parent, String(start), String(end)))
          expect((pagination as Row).limit).toBe(limits.usual)
          expect(((await read(pathOf(parent), 'limit=9999')).pagination as Row).limit).toBe(limits.most)
        }
      })

      test('by nothing else', async () => {
        for (const query of [
          'groupBy=event',
          'groupBy=DAY',
          'start=2026-01-01',
          'end=x',
          'updatedAfter=2026-01-01T00:00:00Z',
          'includeCodes=true',
        ])
          await refused(pathOf(parents[0] ?? null), query)
      })
    },
  )

  describe.each(Object.keys(references))('%s', (path) => {
    const own = operation(path)
    const [from = '', until = ''] = own.parameters
      .map(({ name }) => name)
      .filter((name) => /start|end/i.test(name))

    test.each(ranges)('%j', async (start, end, exact) => {
      const body = await read(
        path,
        new URLSearchParams({ [from]: start, [until]: end, nonsense: '1' }).toString(),
      )
      const [first, last] = path === '/api/v1/cohorts' ? monthsOf(exact) : exact
      const applied =
        path === '/api/v1/members'
          ? {
              filters: { status: 'all', signupStart: first, signupEnd: last },
              pagination: { limit: 500, offset: 0, hasMore: false, nextOffset: null },
            }
          : { dateRange: { start: first, end: last } }
      expect(body).toEqual(served({ ...figures(path, exact), ...applied }, own.type))
    })

    test('only for those who have the capability', async () => {
      const capability = path === '/api/v1/retention-offers' ? 'retentionOfferAnalytics' : 'analytics'
      for (const only of ['nothing', 'analytics', 'retentionOfferAnalytics']) {
        const id = `${only.toLowerCase()}-${path.slice(8)}`
        const key = await world.service.addOrganization(id, only === 'nothing' ? {} : { [only]: true })
        const { status, body } = await ask(path, '', key)
        const isOpen = only === capability || !own.statuses.includes(403)
        expect([only, status, 'error' in body]).toEqual([only, isOpen ? 200 : 403, !isOpen])
      }
    })
  })

  test('members by status, and in pages as the table says', async () => {
    const path = '/api/v1/members'
    const rows = (status: string) =>
      (figures(path, [null, null], { status }).members as Row[]).map((row) => served(row, shapeOf('Member')))
    for (const status of wordsOf(parameter(path, 'status'))) {
      const body = await read(path, `status=${status}`)
      expect(body.members).toEqual(rows(status))
      expect(body.filters).toMatchObject({ status })
    }
    const whole = rows('all')
    expect((await read(path, 'status=nothing')).members).toEqual(whole)
    const [, usual, most] = /(\d+) of (\d+)/.exec(parameter(path, 'limit').otherwise ?? '') ?? []
    const limitOf = async (query: string) => ((await read(path, query)).pagination as Row).limit
    expect([
      await limitOf(''),
      await limitOf('limit=x'),
      await limitOf('limit=0'),
      await limitOf('limit=9999'),
    ]).toEqual([usual, usual, usual, most].map(Number))
    const second = await read(path, 'limit=10&offset=10')
    expect([second.members, second.pagination]).toEqual([
      whole.slice(10, 20),
      { limit: 10, offset: 10, hasMore: true, nextOffset: 20 },
    ])
    // The last page is full, or has one row more to come.
    for (const [limit, hasMore] of [
      [whole.length, false],
      [whole.length - 1, true],
    ] as const)
      expect((await read(path, `limit=${limit}`)).pagination).toEqual({
        ...{ limit, offset: 0, hasMore, nextOffset: hasMore ? limit : null },
      })
    for (const odd of ['-1', 'x', '1.5', ''])
      expect((await read(path, `offset=${odd}`)).pagination).toMatchObject({ offset: 0 })
    expect((await read(path, `offset=${whole.length}`)).members).toEqual([])
    expect((await read(path, 'offset=40')).pagination).toEqual({
      limit: Number(usual),
      offset: 40,
      hasMore: false,
      nextOffset: null,
    })
  })

  test('cohorts by each dimension, and by no other', async () => {
    const path = '/api/v1/cohorts'
    for (const dimension of wordsOf(parameter(path, 'dimension'))) {
      const [start, end] = ['2024-05-20', '2025-02-03']
      const whole = figures(path, [null, null], { dimension })
      expect(await read(path, `dimension=${dimension}`)).toEqual(whole)
      const cut = figures(path, ['2024-05-01', '2025-02-28'], { dimension })
      expect(await read(path, `dimension=${dimension}&start=${start}&end=${end}`)).toEqual(cut)
    }
    for (const odd of ['status', 'PLAN']) await refused(path, `dimension=${odd}`)
  })

  test('the value of who accepted is known from thirty members on, if four of five of them paid', async () => {
    const path = '/api/v1/retention-offers'
    const available: boolean[] = []
    for (let day = 1; day <= 150; day += 1) {
      const instant = new Date(Date.UTC(2026, 0, day)).toISOString()
      for (const [query, bounds] of [
        [`end=${instant}`, [null, instant]],
        [`start=${instant}`, [instant, null]],
      ] as const) {
        const { ltv } = await read(path, query)
        expect([query, ltv]).toEqual([query, figures(path, bounds).ltv])
        available.push((ltv as Row).unavailableReason === null)
      }
    }
    expect(new Set(available).size).toBe(2)
  })

  test('the value is unknown while a little less than four of five paid', async () => {
    const { service, admin } = world
    const key = await service.addOrganization('deciders', able)
    const at = (index: number) => new Date(Date.UTC(2026, 2, 1) + index * 60_000).toISOString()
    const membershipIds = Array.from({ length: 105 }, (_, index) => `membershipId-${index}`)
    const lines = {
      memberships: membershipIds.map((membershipId) => ({ membershipId, status: 'active' })),
      // The first 21 to decide have never paid.
      'billing-events': membershipIds.slice(21).map((membershipId) => ({
        ...{ eventId: `paid-${membershipId}`, membershipId, occurredAt: at(0), type: 'payment' },
        amountCents: 100,
      })),
      'retention-offer-events': membershipIds.map((membershipId, index) => ({
        ...{ eventId: `offer-${index}`, offerId: 'offer', offerName: 'Offer', membershipId },
        ...{ event: 'accepted', occurredAt: at(index) },
      })),
    }
    for (const [kind, own] of Object.entries(lines)) await importLines(service, admin, 'deciders', kind, own)
    for (const [members, coveragePct] of [
      [100, null],
      [104, null],
      [105, 80],
    ] as const) {
      const { ltv } = await read('/api/v1/retention-offers', `end=${at(members - 1)}`, key)
      const { coverage } = ltv as { readonly coverage: Row | null }
      const known = { members, membersWithRevenue: members - 21, coveragePct }
      expect([members, coverage]).toEqual([members, coveragePct === null ? null : known])
    }
  })

  test('removals: what could be read and no longer can', async () => {
    const { service, admin } = world
    const key = await service.addOrganization('smaller')
    for (const kind of removed) await importLines(service, admin, 'smaller', kind, some(kind))
    const expected: Row[] = []
    // Rows go before those to which they refer.
    for (const kind of removed.toReversed()) {
      service.clock.advance(60_000)
      const ids = some(kind).map(
        (line) => line[kind === 'list-members' ? 'contactId' : (Object.keys(line)[0] ?? '')],
      )
      const parentId = { 'list-members': 'listId-00', reviews: 'smaller' }[kind] ?? null
      const named = kind === 'list-members' ? ids.map((id) => `listId-00\t${String(id)}`) : ids
      await admin.post(`/organizations/smaller/rows/${kind}/delete`, { ids: named })
      const updatedAt = new Date(service.clock.nowMs()).toISOString()
      expected.push(...ids.map((id) => ({ collection: kind, id, parentId, updatedAt })))
    }
    service.clock.set(NOW)
    const listed = async (query: string) =>
      (await read('/api/v1/removals', `limit=500&${query}`, key)).data as readonly Row[]
    const placeOf = ({ updatedAt, id }: Row) => `${String(updatedAt)} ${String(id)}`
    const byTime = (rows: readonly Row[]) =>
      rows.toSorted((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
    expect(await listed('')).toEqual(byTime(expected).toReversed())
    for (const limit of [1, 2] as const) {
      expect(await walk('/api/v1/removals', '', limit, key)).toEqual(byTime(expected).toReversed())
      const since = 'updatedAfter=2026-06-01T00:00:00Z'
      expect(await walk('/api/v1/removals', since, limit, key)).toEqual(byTime(expected))
    }
    expect(await listed('updatedAfter=2026-06-01T00:00:00Z')).toEqual(byTime(expected))
    for (const collection of removed) {
      const own = expected.filter((row) => row.collection === collection)
      expect(await listed(`collection=${collection}`)).toEqual(byTime(own).toReversed())
      const at = String(own[0]?.updatedAt)
      const since = expected.filter(({ updatedAt }) => String(updatedAt) >= at)
      expect(await listed(`updatedAfter=${at}`)).toEqual(byTime(since))
      expect(await listed(`updatedBefore=${at}`)).toEqual(
        byTime(expected.filter((row) => !since.includes(row))),
      )
    }
    const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * DAY_MS).toISOString()
    expect(await listed(`updatedAfter=${daysAgo(399)}`)).toEqual(byTime(expected))
    expect((await ask('/api/v1/removals', `updatedAfter=${daysAgo(401)}`, key)).status).toBe(400)
  })

  test('removals: one contact of two lists, at one moment', async () => {
    const { service, admin } = world
    const key = await service.addOrganization('doubled')
    const listIds = ['listId-00', 'listId-01']
    for (const kind of ['contacts', 'contact-lists'])
      await importLines(service, admin, 'doubled', kind, linesByKind[kind] ?? [])
    const members = listIds.map((listId) => ({ listId, contactId: 'contactId-00', addedAt: NOW }))
    await importLines(service, admin, 'doubled', 'list-members', members)
    const ids = listIds.map((listId) => `${listId}\tcontactId-00`)
    await admin.post('/organizations/doubled/rows/list-members/delete', { ids })
    for (const query of ['', 'updatedAfter=2026-06-01T00:00:00Z']) {
      const removals = await walk('/api/v1/removals', query, 1, key)
      expect([query, removals.map(({ id, parentId }) => [id, parentId]).toSorted()]).toEqual([
        query,
        listIds.map((listId) => ['contactId-00', listId]),
      ])
    }
  })

  test('only for tenant keys that may read', async () => {
    const { service } = world
    const keys = [
      await service.addPlatformKey(),
      await service.addKey({ organizationId: OWNER, scope: 'send' }),
      'x',
    ]
    for (const { method, path } of operations.filter(
      (one) => one.method === 'GET' && !one.path.endsWith('.json'),
    ))
      for (const key of keys)
        expect([method, path, (await ask(path, '', key)).status]).toEqual([method, path, 401])
  })

  test('points of sale: who has none, and what the ODBC sources ask for', async () => {
    const none = await world.service.addOrganization('storeless')
    for (const { path } of operations.filter((one) => one.path.startsWith('/api/v1/pos/')))
      expect([path, (await ask(path.replace(/\{\w+\}/, 'x'), '', none)).status]).toEqual([path, 404])
    const path = '/api/v1/pos/transactions'
    expect((await ask(path, 'customerId=x')).status).toBe(200)
    for (const kind of ['odbc_shared', 'odbc_second'] as const) {
      const key = await world.service.addOrganization(kind.replace('_', '-'), { posSource: { ...POS, kind } })
      const after = 'completedAfter=2026-01-01T00:00:00Z'
      const statuses = [
        `customerId=x`,
        `customerId=x&completedBefore=2026-01-01T00:00:00Z`,
        `customerId=x&${after}`,
        'siteCode=x',
      ]
      expect(await Promise.all(statuses.map(async (query) => (await ask(path, query, key)).status))).toEqual([
        400, 400, 200, 200,
      ])
      expect((await ask('/api/v1/pos/legacyvendor/transactions', '', key)).status).toBe(404)
    }
  })

  test('records of an organization without billing events', async () => {
    const key = await world.service.addOrganization('unbilled', { billingEvents: false })
    for (const path of ['/api/v1/cancellations/records', '/api/v1/cancellations/records/x']) {
      const { status, body } = await ask(path, '', key)
      expect([status, body.error]).toEqual([
        400,
        expect.stringContaining("unavailable for the organization's provider"),
      ])
    }
  })

  test('nothing failed inside', () => {
    expect(world.service.errors).toEqual([])
  })
})

/** The kinds whose rows are removed, each after those to which it refers. */
const removed = [
  ...[
    'sites',
    'products',
    'checkout-links',
    'contacts',
    'contact-lists',
    'list-members',
    'marketing-signups',
  ],
  ...[
    'automations',
    'automation-runs',
    'voucher-groups',
    'vouchers',
    'voucher-redemptions',
    'links',
    'surveys',
  ],
  ...['survey-responses', 'cases', 'reviews'],
]

/** A few lines of a kind. The contacts of them are on one list. */
function some(kind: string): readonly Row[] {
  if (kind !== 'list-members') return (linesByKind[kind] ?? []).slice(0, 3)
  return some('contacts').map(({ contactId }) => ({ listId: 'listId-00', contactId, addedAt: NOW }))
}

/** The ids of the links in an order; null last. */
function links(by: string, order: string): readonly unknown[] {
  return (shown.Link ?? [])
    .toSorted((left, right) => {
      for (const field of [by, 'linkId']) {
        const [one, other] = [left[field], right[field]] as (string | number | null)[]
        if (one === other) continue
        if (one == null || other == null) return one == null ? 1 : -1
        return one < other === (order === 'asc') ? -1 : 1
      }
      return 0
    })
    .map(({ linkId }) => linkId)
}

/** A window that begins with one event, which is in it, and ends with another, which is not. */
function edges(parent: string | null): readonly [string, string] {
  const times = linkEvents
    .filter(({ linkId }) => parent === null || linkId === parent)
    .map(({ occurredAt }) => String(occurredAt))
    .toSorted()
  return [times[2] ?? '', times.at(-2) ?? '']
}

function linkFigures(groupBy: string, parent: string | null, start: string, end: string): readonly Row[] {
  const valueOf = (event: Row) =>
    groupBy === 'day'
      ? String(event.occurredAt).slice(0, 10)
      : groupBy === 'link'
        ? event.linkId
        : event[groupBy]
  const events = linkEvents.filter(
    ({ linkId, occurredAt }) =>
      (parent === null || linkId === parent) && String(occurredAt) >= start && String(occurredAt) < end,
  )
  const rows = [...Map.groupBy(events, valueOf)].map(([value, own]) => {
    const of = (event: string) => own.filter((one) => one.event === event)
    return {
      linkId: parent ?? (groupBy === 'link' ? value : null),
      dimension: groupBy,
      value,
      clicks: of('click').length,
      leads: of('lead').length,
      sales: of('sale').length,
      saleAmountCents: of('sale').reduce((sum, { amountCents }) => sum + Number(amountCents ?? 0), 0),
    }
  })
  return rows.toSorted((left, right) => {
    if (groupBy === 'day') return String(left.value) < String(right.value) ? 1 : -1
    if (left.clicks !== right.clicks) return right.clicks - left.clicks
    if (left.value === null || right.value === null) return left.value === null ? 1 : -1
    return (left.value as string) < (right.value as string) ? -1 : 1
  })
}

/** What each endpoint of analytics must answer, by its definition. */
const references: Readonly<
  Record<string, (organizationId: string, data: AnalyticsData, given: Given, nowMs: number) => Row>
> = {
  '/api/v1/members': referenceMembers,
  '/api/v1/cohorts': referenceCohorts,
  '/api/v1/retention-offers': referenceOffers,
  '/api/v1/cancellations': referenceCancellations,
  '/api/v1/cancellation-survey': referenceSurvey,
}

type Given = Readonly<Record<string, string>>

const lines = { memberships, billingEvents: paymentEvents, offerEvents, surveyEvents }
const data = lines as unknown as AnalyticsData

/** What an endpoint of analytics must answer for bounds, of which null is none, and other parameters. */
function figures(path: string, [start, end]: readonly (string | null)[], more: Given = {}): Row {
  const [from, until] = path === '/api/v1/members' ? ['signupStart', 'signupEnd'] : ['start', 'end']
  const given = { ...more, [from]: start ?? '', [until]: end ?? '' }
  const answer: Row | undefined = references[path]?.(OWNER, data, given, Date.parse(NOW))
  const ltv = answer?.ltv as Row | undefined
  if (typeof ltv?.unavailableReason !== 'string') return answer ?? fail(path)
  return { ...answer, ltv: { ...ltv, unavailableReason: expect.any(String) as string } }
}

/** The whole months of bounds. */
function monthsOf([start, end]: readonly (string | null)[]): readonly (string | null)[] {
  const last =
    end == null ? null : new Date(Date.UTC(Number(end.slice(0, 4)), Number(end.slice(5, 7)), 1) - 1)
  return [start == null ? null : `${start.slice(0, 7)}-01T00:00:00.000Z`, last?.toISOString() ?? null]
}

/** Bounds as they are passed, and the instants that they stand for. */
const ranges: readonly (readonly [
  start: string,
  end: string,
  exact: readonly [string | null, string | null],
])[] = [
  ['', '', [null, null]],
  ['2024-06-10', '', ['2024-06-10T00:00:00.000Z', null]],
  ['2024-06-10', '2026-02-01', ['2024-06-10T00:00:00.000Z', '2026-02-01T23:59:59.999Z']],
  [
    '2024-08-15T12:00:00+02:00',
    '2025-09-01T00:00:00Z',
    ['2024-08-15T10:00:00.000Z', '2025-09-01T00:00:00.000Z'],
  ],
  ['2026-01-11', '2026-02-20', ['2026-01-11T00:00:00.000Z', '2026-02-20T23:59:59.999Z']],
  ['2024-06-10T00:00:00', '2025-02-30', [null, null]],
  // Offsets that cross a day, a month and a year.
  [
    '2024-08-31T23:30:00-02:00',
    '2025-03-01T00:30:00+02:00',
    ['2024-09-01T01:30:00.000Z', '2025-02-28T22:30:00.000Z'],
  ],
  [
    '2025-01-01T01:00:00+05:30',
    '2025-12-31T22:00:00-03:00',
    ['2024-12-31T19:30:00.000Z', '2026-01-01T01:00:00.000Z'],
  ],
  ['2024-02-29', '2024-12-31', ['2024-02-29T00:00:00.000Z', '2024-12-31T23:59:59.999Z']],
  // Times of rows, which are in range, and a millisecond inside of them, so that they are not.
  [
    '2026-01-11T00:00:00.000Z',
    '2026-02-20T23:59:59.999Z',
    ['2026-01-11T00:00:00.000Z', '2026-02-20T23:59:59.999Z'],
  ],
  [
    '2026-01-11T00:00:00.001Z',
    '2026-02-20T23:59:59.998Z',
    ['2026-01-11T00:00:00.001Z', '2026-02-20T23:59:59.998Z'],
  ],
  ['2024-03-31', '2024-03-31', ['2024-03-31T00:00:00.000Z', '2024-03-31T23:59:59.999Z']],
  [
    '2024-03-31T00:00:00.000Z',
    '2024-03-31T00:00:00Z',
    ['2024-03-31T00:00:00.000Z', '2024-03-31T00:00:00.000Z'],
  ],
  ['2024-03-31T00:00:00.001Z', '', ['2024-03-31T00:00:00.001Z', null]],
  ['', '2024-03-30T23:59:59.999Z', [null, '2024-03-30T23:59:59.999Z']],
  ['', '2026-02-20T00:00:00.000Z', [null, '2026-02-20T00:00:00.000Z']],
  ['2026-02-20T00:00:00.001Z', '2026-02-21', ['2026-02-20T00:00:00.001Z', '2026-02-21T23:59:59.999Z']],
  ['2026-03-01', '2026-02-01', ['2026-03-01T00:00:00.000Z', '2026-02-01T23:59:59.999Z']],
]
