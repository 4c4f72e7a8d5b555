import { beforeAll, describe, expect, test } from 'vitest'
import { capable, get, scratchService } from '../../support/data/analytics/analytics-service.ts'
import { bringLines } from '../../support/data/bring-lines.ts'
import { members, picked } from '../../support/data/analytics/few-members.ts'
import type { TestService } from '../../support/services/service.ts'

// What the generated requests of analytics.long.test.ts, and the ranges of the golden rows, do not ask for.
describe('parameters', () => {
  let service: TestService
  let key: string
  beforeAll(async () => {
    service = await scratchService()
    key = await service.addOrganization('acme', capable)
    await bringLines(service, 'acme', { memberships: members, 'exit-survey-events': picked })
  })

  interface Bounds {
    readonly start: string | null
    readonly end: string | null
  }

  test.each<readonly [query: string, dateRange: Bounds]>([
    // Cut, as imports cut it: an event is within the bounds of its own time as it was given.
    ['start=2026-01-01T00:00:00.0001Z', { start: '2026-01-01T00:00:00.000Z', end: null }],
    ['end=2026-01-01T00:00:00.0009Z', { start: null, end: '2026-01-01T00:00:00.000Z' }],
    [
      'start=0000-01-01&end=9999-12-31',
      { start: '0000-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z' },
    ],
    ...['20260101', '%00', '2026-01-01Z'].map(
      (odd) => [`start=${odd}&end=${odd}`, { start: null, end: null }] as const,
    ),
    // The + of an offset is encoded, or arrives as a space.
    ...['%2B', '+'].map(
      (plus) =>
        [`start=2026-05-01T00:00:00${plus}02:00`, { start: '2026-04-30T22:00:00.000Z', end: null }] as const,
    ),
    ['start=2026-01-01&start=2026-02-01', { start: null, end: null }],
    ['Start=2026-01-01&since=2026-01-01&organizationId=other&limit=x', { start: null, end: null }],
  ])('%s applies as %j', async (query, dateRange) => {
    for (const path of ['cancellations', 'retention-offers', 'cancellation-survey']) {
      const { status, body } = await get(service, `/api/v1/${path}?${query}`, key)
      expect([status, body.dateRange, body.organizationId]).toEqual([200, dateRange, 'acme'])
    }
    const { body } = await get(service, `/api/v1/members?${query.replaceAll('start=', 'signupStart=').replaceAll('end=', 'signupEnd=')}`, key) // prettier-ignore
    expect(body.filters).toEqual({ status: 'all', signupStart: dateRange.start, signupEnd: dateRange.end })
  })

  test.each([
    ['start=2024-02-29&end=2024-02-01', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    [
      'start=2024-12-31T23:59:59.9999Z&end=2024-12-31T23:59:59.9999Z',
      '2024-12-01T00:00:00.000Z',
      '2024-12-31T23:59:59.999Z',
    ],
    [
      'start=2026-03-31T23:30:00-01:00&end=9999-12-31',
      '2026-04-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ],
    ['start=0000-01-15&end=2023-02-01', '0000-01-01T00:00:00.000Z', '2023-02-28T23:59:59.999Z'],
  ])('cohorts cut %s to months', async (query, start, end) => {
    const { body } = await get(service, `/api/v1/cohorts?${query}`, key)
    expect(body.dateRange).toEqual({ start, end })
  })

  test.each(['plans', 'Plan', 'none,plan', ' plan', '0', '__proto__'])(
    'cohorts refuse the dimension %j, and say what is allowed',
    async (dimension) => {
      const query = new URLSearchParams({ dimension }).toString()
      const answer = await get(service, `/api/v1/cohorts?${query}`, key)
      expect(answer).toEqual({
        status: 400,
        body: { error: 'Parameter dimension must be one of none, plan, site.' },
      })
    },
  )

  test.each(['', 'dimension=', 'dimension=none', 'dimension=plan&dimension=site'])(
    'cohorts without one dimension (%j) are those of everybody',
    async (query) => {
      expect((await get(service, `/api/v1/cohorts?${query}`, key)).body.dimension).toBe('none')
    },
  )

  test.each([
    ['limit=99999999999999999999', 1000, 0],
    ['limit=1e2', 500, 0],
    ['limit=5&limit=6', 500, 0],
    ['offset=%2B3', 500, 0],
    ['offset=3&offset=3', 500, 0],
  ])('members: %s', async (query, limit, offset) => {
    const { body } = await get(service, `/api/v1/members?${query}`, key)
    expect(body.pagination).toMatchObject({ limit, offset })
  })

  test('an offset beyond everything is an empty last page', async () => {
    const { status, body } = await get(service, '/api/v1/members?offset=99999999999999999999', key)
    expect([status, body.members]).toEqual([200, []])
    expect(body.pagination).toMatchObject({ hasMore: false, nextOffset: null })
  })

  test('of a status that is given twice nothing is known, so it is all', async () => {
    const { body } = await get(service, '/api/v1/members?status=active&status=active', key)
    expect(body.filters).toMatchObject({ status: 'all' })
    expect(body.members).toHaveLength(8)
  })
})
