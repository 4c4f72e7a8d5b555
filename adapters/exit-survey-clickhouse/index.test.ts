import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { exitSurveySuite } from '../conformance/analytics.ts'
import {
  CLICKHOUSE_PASSWORD,
  CLICKHOUSE_USER,
  openClickHouse,
  queryOf,
} from '../../test/support/providers/clickhouse.ts'
import { untilLate, type Misbehaviour } from '../../test/support/providers/stand-in.ts'
import { createClickHouseExitSurvey } from './index.ts'

const everything = { start: null, end: null }

function source(baseUrl: string, changes: { readonly password?: string; readonly table?: string } = {}) {
  return createClickHouseExitSurvey({
    baseUrl,
    user: CLICKHOUSE_USER,
    password: CLICKHOUSE_PASSWORD,
    database: 'default',
    table: 'exit_survey_events',
    fetch,
    ...changes,
  })
}

describe('the conformance suite', () => {
  let opened: Awaited<ReturnType<typeof openClickHouse>> | null = null
  afterEach(() => opened?.close())
  test.each(exitSurveySuite.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const clickHouse = await openClickHouse()
    opened = clickHouse
    const made = async () => ({
      source: source(clickHouse.url),
      deliver: async (...given: Parameters<typeof clickHouse.deliver>) => {
        clickHouse.deliver(...given)
      },
    })
    await expect(one.run(made)).resolves.toBeUndefined()
  })
})

describe('one server', () => {
  let clickHouse: Awaited<ReturnType<typeof openClickHouse>>
  beforeAll(async () => {
    clickHouse = await openClickHouse()
    clickHouse.deliver('acme', [
      { eventId: 'e-1', reasonCode: 'moved', occurredAt: '2025-01-01T00:00:00.000Z' },
    ])
  })
  afterAll(() => clickHouse.close())

  const ask = (limit = AbortSignal.timeout(5_000), from = source(clickHouse.url)) =>
    from.open('acme').countReasons(everything, limit)
  const fine = { kind: 'counts', counts: [{ code: 'moved', count: 1 }] }

  test('is asked to read, with every value as a parameter and the account in headers', async () => {
    expect(await ask(undefined, source(clickHouse.url, { table: 'events_2' }))).toEqual(fine)
    const request = clickHouse.requests.at(-1)
    expect([request?.method, request?.body, request?.path]).toEqual([
      'GET',
      '',
      expect.not.stringContaining('password'),
    ])
    expect(request?.headers['x-clickhouse-key']).toBe(CLICKHOUSE_PASSWORD)
    const { text = '', parameters = {} } = (request === undefined ? null : queryOf(request)) ?? {}
    expect(text).toContain('organization_id = {organization:String}')
    expect(text).not.toMatch(/acme|events_2/)
    expect(parameters).toMatchObject({ organization: 'acme', database: 'default', table: 'events_2' })
  })

  test.each<[name: string, how: Misbehaviour, reason: string]>([
    ['refuses', { status: 403, body: 'Code: 516. Authentication failed' }, 'answered with status 403'],
    ['knows no such table', { status: 404, body: 'Code: 60' }, 'answered with status 404'],
    ['fails', { status: 500, body: 'Code: 241. Memory limit, in: SELECT acme' }, 'answered with status 500'],
    [
      'sends elsewhere',
      { status: 302, headers: { location: 'https://evil.example/' } },
      'answered with status 302',
    ],
    ['is busy', { status: 503 }, 'answered with status 503'],
    ['cuts the connection', 'reset', 'did not answer'],
    ['stops in the middle of the answer', 'truncated', 'broke off its answer'],
    ['never answers', 'silence', 'did not answer'],
    ['answers with a page', 'garbage', 'is no result'],
    ['answers with other JSON', { status: 200, body: { rows: [] } }, 'is no result'],
    ['answers with fewer rows than it says', { status: 200, body: { data: [], rows: 2 } }, 'is no result'],
    [
      'counts backwards',
      { status: 200, body: { data: [{ code: 'a', selections: -1 }], rows: 1 } },
      'is no result',
    ],
    [
      'counts in text',
      { status: 200, body: { data: [{ code: 'a', selections: 'x' }], rows: 1 } },
      'is no result',
    ],
    ['answers without end', { status: 200, body: 'x'.repeat(5_000_000) }, 'more than 4000000 bytes'],
  ])('a server that %s is unavailable, and the next answer is fine', async (_, how, reason) => {
    clickHouse.misbehave.push(how)
    const answer = await ask(how === 'silence' ? untilLate(clickHouse) : undefined)
    const { cause, ...told } = 'cause' in answer ? answer : { ...answer, cause: undefined }
    expect(told).toEqual({ kind: 'unavailable', reason: expect.stringContaining(reason) as string })
    // The caught error is kept for the log.
    expect(cause instanceof Error).toBe(['did not answer', 'broke off its answer'].includes(reason))
    // ClickHouse's message may quote the query, the organization or the server's own names.
    expect(JSON.stringify(answer)).not.toMatch(/acme|Code|SELECT|password/)
    expect(await ask()).toEqual(fine)
  })

  test('counts in quotes are counts', async () => {
    clickHouse.misbehave.push({ status: 200, body: { data: [{ code: 'a', selections: '12' }], rows: 1 } })
    expect(await ask()).toEqual({ kind: 'counts', counts: [{ code: 'a', count: 12 }] })
  })

  test('a wrong password, or nobody there, is unavailable', async () => {
    expect(await ask(undefined, source(clickHouse.url, { password: 'wrong' }))).toMatchObject({
      kind: 'unavailable',
    })
    expect(await ask(undefined, source('http://127.0.0.1:9'))).toMatchObject({ kind: 'unavailable' })
  })

  test('a range that no column holds is answered without asking', async () => {
    const before = clickHouse.requests.length
    const late = { start: '2300-01-01T00:00:00.000Z', end: null }
    const answer = await source(clickHouse.url).open('acme').countReasons(late, AbortSignal.timeout(1_000))
    expect([answer, clickHouse.requests.length]).toEqual([{ kind: 'counts', counts: [] }, before])
  })
})
