import { beforeAll, describe, expect, test } from 'vitest'
import { createScratchStorage } from '../scratch/scratch-storage.ts'
import { sites } from '../../../domain/resources/sites.ts'
import { sampleRow } from '../data/sample-rows.ts'
import { checkResponse } from './contract-check.ts'
import { operations } from './contract-document.ts'
import { openTestService, type TestService } from '../services/service.ts'

/**
 * The check that every answer of every test passes through must find each way in which code and document can differ.
 */
let service: TestService
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  key = await service.addOrganization('mine')
  await service.storage.tenant('mine').upsert('sites', [sampleRow(sites, 0)])
})

type Body = Record<string, unknown>

/** The answer to `GET path`, altered before the check. */
async function changed(
  path: string,
  change: (body: Body) => unknown,
  init: ResponseInit = {},
): Promise<string | null> {
  const response = await service.send(path, { key })
  const headers = new Headers(init.headers ?? response.headers)
  const body = JSON.stringify(change((await response.json()) as Body))
  const sent = new Response(body, { status: init.status ?? response.status, headers })
  try {
    checkResponse({ method: 'GET', url: `https://service.example${path}` }, sent, body)
    return null
  } catch (error) {
    return String(error)
  }
}

const detail = '/api/v1/sites/siteId-0'
const page = '/api/v1/sites'
const rowOf = (body: Body) => (body.data as Body[])[0] ?? {}

describe('what is refused', () => {
  test.each<[string, string, (body: Body) => unknown, RegExp]>([
    [
      'a field that is gone',
      detail,
      (body) => (delete body.name, body),
      /must have required property 'name'/,
    ],
    ['a field that is new', detail, (body) => ({ ...body, note: 1 }), /must NOT have additional properties/],
    ['another type', detail, (body) => ({ ...body, name: null }), /\/name must be string/],
    ['another word', detail, (body) => ({ ...body, status: 'closed' }), /must be equal to one of/],
    ['a time that is none', detail, (body) => ({ ...body, createdAt: 'today' }), /must match format/],
    [
      'a field gone from a row',
      page,
      (body) => (delete rowOf(body).status, body),
      /required property 'status'/,
    ],
    ['a field new in a row', page, (body) => ((rowOf(body).note = 1), body), /additional properties/],
    ['a filter gone', page, (body) => ({ ...body, filters: {} }), /required property 'status'/],
    ['something beside the page', page, (body) => ({ ...body, total: 1 }), /additional properties/],
  ])('%s', async (_, path, change, saying) => {
    expect(await changed(path, change)).toMatch(saying)
  })

  test('another status, type, or a lost request id', async () => {
    const same = (body: Body) => body
    expect(await changed(detail, same)).toBeNull()
    expect(await changed(detail, same, { status: 201 })).toContain('sites_get documents no 201')
    const html = { 'content-type': 'text/html', 'x-request-id': 'req_1' }
    expect(await changed(detail, same, { headers: html })).toContain('content type is text/html')
    const untraced = { 'content-type': 'application/json' }
    expect(await changed(detail, same, { headers: untraced })).toContain('X-Request-Id')
    const unchallenged = {
      headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
      status: 401,
    }
    expect(await changed(detail, () => ({ error: 'x' }), unchallenged)).toContain('WWW-Authenticate')
  })

  test('a path, and a method, that the document does not have', () => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' }
    const check = (method: string, path: string) => () => {
      const url = `https://service.example${path}`
      checkResponse({ method, url }, new Response(null, { headers }), '{"error":"x"}')
    }
    expect(check('GET', '/api/v1/nonsense')).toThrow('no such path')
    expect(check('PUT', page)).toThrow('no method PUT')
  })
})

test('every operation documents its statuses', () => {
  expect(operations.length).toBeGreaterThan(40)
  for (const { operationId, responses } of operations)
    expect(Object.keys(responses).length, operationId).toBeGreaterThan(1)
})
