import { beforeEach, describe, expect, test } from 'vitest'
import { createOdbcPosSources } from '../../adapters/pos-odbc/index.ts'
import { buildDocument } from '../../domain/document/openapi.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import { posSourceKinds, posEndpoints, posKinds, writtenPosResources } from '../../domain/pos/index.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import type { PosSource } from '../../ports/sources.ts'
import type { PageQuery, SourceRow } from '../../ports/records.ts'
import { customer, transaction } from '../../adapters/conformance/pos.ts'
import { gatewayOptions } from '../support/pos/pos-gateway.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

const kinds = posKinds
const neutral = posEndpoints.filter(({ onlyFor }) => onlyFor === null)
const former = posEndpoints.filter(({ onlyFor }) => onlyFor === 'legacy_vendor')

let service: TestService
const keys = new Map<string, string>()

function tie(kind: PosSourceTie['kind'], tenant = 'north'): PosSourceTie {
  return { kind, tenant }
}

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  keys.set('none', await service.addOrganization('storeless'))
  for (const kind of kinds) {
    const organizationId = kind.replace('_', '-')
    keys.set(
      kind,
      await service.addOrganization(organizationId, { posSource: tie(kind), phoneCountry: 'GB' }),
    )
    for (const resource of writtenPosResources) {
      await service.pos.writer(tie(kind)).upsert(resource.collection, [sampleRow(resource, 0, `${kind}-`)])
    }
  }
})

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

async function send(of: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await service.send(path, { key: keys.get(of) ?? of, ...init })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    headers: response.headers,
  }
}

async function idsOf(of: string, path: string): Promise<readonly unknown[]> {
  const { status, body } = await send(of, path)
  expect([status, body.error]).toEqual([200, undefined])
  return (body.data as Record<string, unknown>[]).map((row) => row.transactionId ?? row.customerId)
}

/** A path of the endpoint with the id of the sample row of a kind. */
function pathOf({ path, resource }: (typeof posEndpoints)[number], kind: string): string {
  return path.replace(/\{\w+\}/, `${kind}-${resource.idField}-0`)
}

describe('the organization decides the source', () => {
  test('one without a source gets 404 on every route, whatever else is wrong with the request', async () => {
    for (const endpoint of posEndpoints) {
      const path = pathOf(endpoint, 'legacy_vendor')
      for (const query of ['', '?nonsense=1', '?cursor=x', '?customerId=c', '?phone=x']) {
        const { status, body, headers } = await send('none', path + query)
        expect([status, body]).toEqual([404, { error: 'Not found' }])
        expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null])
      }
      expect((await send('none', path, { method: 'POST' })).status).toBe(405)
      expect((await send('nobody', path)).status).toBe(401)
    }
  })

  test('each reads its own, and no header, parameter or body names another', async () => {
    for (const kind of kinds) {
      for (const endpoint of neutral) {
        const other = kind === 'odbc_shared' ? 'legacy_vendor' : 'odbc_shared'
        const own = await send(kind, pathOf(endpoint, kind))
        expect([own.status, JSON.stringify(own.body).includes(`${kind}-`)]).toEqual([200, true])
        const headers = {
          'x-organization-id': other.replace('_', '-'),
          'x-pos-source': `${other}:north`,
          'pos-source': other,
          cookie: `organizationId=${other}`,
        }
        expect((await send(kind, pathOf(endpoint, kind), { headers })).body).toEqual(own.body)
        if (endpoint.kind === 'detail') expect((await send(kind, pathOf(endpoint, other))).status).toBe(404)
        for (const name of ['source', 'provider', 'posSource', 'kind', 'tenant', 'dsn', 'organizationId']) {
          const named = await send(kind, `${pathOf(endpoint, kind)}?${name}=${other}`)
          expect(named.status).toBe(400)
          expect(named.body.error).toContain(name)
        }
        const posted = {
          method: 'POST',
          body: JSON.stringify({ posSource: { kind: other, tenant: 'north' } }),
        }
        expect((await send(kind, pathOf(endpoint, kind), posted)).status).toBe(405)
      }
    }
  })
})

describe('the routes of the legacy vendor', () => {
  test('answer what the neutral ones do, and nobody of another source', async () => {
    for (const [index, endpoint] of former.entries()) {
      const successor = pathOf(neutral[index] ?? endpoint, 'legacy_vendor')
      const { status, body, headers } = await send('legacy_vendor', pathOf(endpoint, 'legacy_vendor'))
      expect([status, body]).toEqual([200, (await send('legacy_vendor', successor)).body])
      expect(headers.get('deprecation')).toBe('@1767225600')
      expect(headers.get('link')).toBe(`<${successor}>; rel="successor-version"`)
      for (const kind of ['odbc_shared', 'odbc_second', 'none']) {
        const refused = await send(kind, `${pathOf(endpoint, kind)}?nonsense=1`)
        expect([refused.status, refused.body]).toEqual([404, { error: 'Not found' }])
        expect([refused.headers.get('deprecation'), refused.headers.get('link')]).toEqual([null, null])
      }
    }
  })

  test('say so on every error to an organization that has them, and never before the key was checked', async () => {
    const path = '/api/v1/pos/legacyvendor/transactions'
    const deprecated = (answer: Answer) => [answer.status, answer.headers.get('deprecation')]
    expect(deprecated(await send('legacy_vendor', `${path}?nonsense=1`))).toEqual([400, '@1767225600'])
    expect(deprecated(await send('legacy_vendor', `${path}/none`))).toEqual([404, '@1767225600'])
    expect(deprecated(await send('legacy_vendor', path, { method: 'PUT' }))).toEqual([405, '@1767225600'])
    expect(deprecated(await send('odbc_shared', path, { method: 'PUT' }))).toEqual([405, null])
    expect(deprecated(await send('legacy_vendor', path, { method: 'HEAD' }))).toEqual([200, '@1767225600'])
    expect(deprecated(await send('nobody', path))).toEqual([401, null])
    for (const [kind, said] of Object.entries({ legacy_vendor: '@1767225600', odbc_shared: null })) {
      const key = await service.addKey({ organizationId: kind.replace('_', '-'), ratePerMinute: 1 })
      await send(key, path)
      expect(deprecated(await send(key, path))).toEqual([429, said])
    }
    const link = (await send('legacy_vendor', `${path}/a%20%3E%2Fb%C3%BC`)).headers.get('link')
    expect(link).toBe('</api/v1/pos/transactions/a%20%3E%2Fb%C3%BC>; rel="successor-version"')
    const odd = (await send('legacy_vendor', `${path}/$&$1`)).headers.get('link')
    expect(odd).toBe('</api/v1/pos/transactions/%24%26%241>; rel="successor-version"')
  })

  test('are marked and described so in the contract document', () => {
    const { paths } = buildDocument(endpoints) as {
      paths: Record<string, { get: { deprecated?: true; responses: Record<string, { headers?: object }> } }>
    }
    for (const endpoint of posEndpoints) {
      const { deprecated, responses } = paths[endpoint.path]?.get ?? { responses: {} }
      expect(Object.keys(responses)).toEqual(['200', '400', '401', '404', '429', '500', '502'])
      expect(deprecated === true).toBe(endpoint.onlyFor !== null)
      for (const [status, { headers }] of Object.entries(responses)) {
        const says = Object.keys(headers ?? {}).join()
        const isSaid = deprecated === true && status !== '401'
        expect([status, says]).toEqual([
          status,
          isSaid ? expect.stringMatching(/(?:^|,)Deprecation,Link$/) : '',
        ])
      }
    }
  })
})

describe('rules that depend on the source', () => {
  const path = '/api/v1/pos/transactions?customerId=c'

  test('a customer needs a beginning at the ODBC sources and none at the legacy vendor', async () => {
    expect((await send('legacy_vendor', path)).status).toBe(200)
    expect((await send('legacy_vendor', path.replace('pos', 'pos/legacyvendor'))).status).toBe(200)
    for (const kind of ['odbc_shared', 'odbc_second']) {
      const refused = await send(kind, path)
      expect(refused.status).toBe(400)
      expect(refused.body.error).toContain('customerId needs completedAfter')
      expect((await send(kind, `${path}&completedBefore=2026-01-01T00:00:00Z`)).status).toBe(400)
      expect((await send(kind, `${path}&completedAfter=`)).status).toBe(400)
      expect((await send(kind, `${path}&completedAfter=2026-01-01T00:00:00Z`)).status).toBe(200)
      expect((await send(kind, path.replace('=c', '='))).status).toBe(200)
    }
  })

  test('active=false leaves out customers of unknown activity, at each source', async () => {
    for (const kind of kinds) {
      const rows = [
        customer('yes', { active: true }),
        customer('no', { active: false }),
        customer('unknown', { active: null }),
      ]
      await service.pos.writer(tie(kind)).upsert('pos-customers', rows)
      const found = await idsOf(kind, '/api/v1/pos/customers?active=false')
      expect(found).toEqual(['no'])
      expect(await idsOf(kind, '/api/v1/pos/customers?active=true')).not.toContain('unknown')
    }
  })

  test("phone filters take national and international forms, in the organization's country", async () => {
    const rows = [
      customer('british', { phone: '+442079460101' }),
      customer('american', { phone: '+12125550123' }),
    ]
    for (const kind of kinds) await service.pos.writer(tie(kind)).upsert('pos-customers', rows)
    for (const kind of kinds) {
      const by = (phone: string) => `/api/v1/pos/customers?phone=${encodeURIComponent(phone)}`
      expect(await idsOf(kind, by('020 7946 0101'))).toEqual(['british'])
      expect(await idsOf(kind, by('+44 20 7946 0101'))).toEqual(['british'])
      expect(await idsOf(kind, by('00 1 (212) 555-0123'))).toEqual(['american'])
      // A + that is not encoded arrives as a space, and a number from a table may begin with one.
      for (const spaced of [' 442079460101', ' 44 20 7946 0101', ' 020 7946 0101', ' 02079460101'])
        expect(await idsOf(kind, by(spaced)), spaced).toEqual(['british'])
      for (const odd of ['(212) 555-0123', '123', '+1', "'; DROP TABLE x", '\u0000', '9'.repeat(400)])
        expect((await send(kind, by(odd))).status, odd).toBe(400)
    }
  })
})

describe('a source in trouble', () => {
  /** A service whose organization reads from a source with these answers. Returns the organization's key. */
  function withSource(answers: Partial<Record<'page' | 'one', unknown>>): Promise<string> {
    return withOpenSource({
      capabilities: posSourceKinds.legacy_vendor.capabilities,
      page: async () => answers.page as Awaited<ReturnType<PosSource['page']>>,
      one: async () => answers.one as SourceRow,
    })
  }

  async function withOpenSource(source: PosSource): Promise<string> {
    service = await openTestService((clock) => createScratchStorage({ clock }), undefined, {
      sources: { links: null, pos: () => source },
    })
    return service.addOrganization('mine', { posSource: tie('legacy_vendor') })
  }

  const path = '/api/v1/pos/legacyvendor/transactions'
  const row = transaction('t')

  /** The errors that were logged. */
  const failures = () =>
    service.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ level }) => level === 'error')

  test('unavailable: 502 and a log line with the reason', async () => {
    const failure = { kind: 'unavailable', reason: 'not configured' }
    const key = await withSource({ page: failure, one: failure })
    for (const asked of [path, `${path}/t`]) {
      const { status, body, headers } = await send(key, asked)
      expect([status, Object.keys(body), headers.get('deprecation')]).toEqual([502, ['error'], '@1767225600'])
      expect(JSON.stringify(body)).not.toContain('configured')
    }
    expect(service.errors).toEqual(['source_unavailable', 'source_unavailable'])
  })

  test.each([
    ['a field of another type', { ...row, totalCents: '15.00' }],
    ['a fraction of a cent', { ...row, taxCents: 1.5 }],
    ['an unknown word', { ...row, type: 'SALE' }],
    ['a time in another form', { ...row, completedAt: '2026-03-01T10:00:00+02:00' }],
    ['no time', { ...row, completedAt: null }],
    ['no id', { ...row, transactionId: undefined }],
    ['an id beyond all measure', { ...row, transactionId: 'x'.repeat(201) }],
    ['a list that is none', { ...row, lineItems: { length: 1 } }],
    ['a line with something else in it', { ...row, lineItems: [{ lineId: '1', cardNumber: '4111' }] }],
    ['nothing', {}],
  ])('a row with %s: 502, never a wrong shape', async (_, given) => {
    const key = await withSource({
      page: { kind: 'page', rows: [given], next: null },
      one: { kind: 'row', row: given },
    })
    for (const asked of [path, `${path}/t`]) expect((await send(key, asked)).status).toBe(502)
    expect(service.errors).toEqual(['source_unavailable', 'source_unavailable'])
  })

  test('an id that no row can have is not even asked for', async () => {
    const key = await withSource({})
    expect((await send(key, `${path}/${'x'.repeat(201)}`)).status).toBe(404)
  })

  test('more rows than were asked for: 502', async () => {
    const key = await withSource({ page: { kind: 'page', rows: [row, row, row], next: null } })
    expect((await send(key, `${path}?limit=2`)).status).toBe(502)
  })

  test('what a row has beside its fields is not published', async () => {
    const given = { ...row, cardNumber: '4111', tenantId: 'north' }
    const key = await withSource({
      page: { kind: 'page', rows: [given], next: null },
      one: { kind: 'row', row: given },
    })
    const { body } = await send(key, path)
    expect(body.data).toEqual([row])
    expect((await send(key, `${path}/t`)).body).toEqual(row)
  })

  test('a sale without a total fails the request, and the log names it by its id alone', async () => {
    const given = { ...row, totalCents: null, paymentMethod: 'card of Ada' }
    const key = await withSource({
      page: { kind: 'page', rows: [row, given], next: null },
      one: { kind: 'row', row: given },
    })
    for (const asked of [path, `${path}/t`]) {
      const { status, body, headers } = await send(key, asked)
      expect([status, headers.get('deprecation')]).toEqual([500, '@1767225600'])
      expect(body.error).toMatch(/^The request could not be processed\. Request id: req_/)
    }
    const named = {
      event: 'request_failed',
      collection: 'pos-transactions',
      rowId: 't',
      missing: 'totalCents',
    }
    expect(failures()).toMatchObject([
      { ...named, endpointId: 'legacyVendorPosTransactions.list' },
      { ...named, endpointId: 'legacyVendorPosTransactions.get' },
    ])
    expect(service.logLines.join()).not.toContain('Ada')
  })

  test('what failed within an adapter is in the log by its name and place, and never by its message', async () => {
    const fetch = () => Promise.reject(new TypeError('planted beside ada@example.com'))
    const sources = createOdbcPosSources(gatewayOptions('https://gateway.example', { fetch }))
    const key = await withOpenSource(sources.open({ kind: 'odbc_second', tenant: 'north' }))
    const { status, body } = await send(key, `${path}/t`)
    expect([status, JSON.stringify(body).includes('planted')]).toEqual([502, false])
    expect(failures()).toMatchObject([
      {
        event: 'source_unavailable',
        reason: 'The POS gateway cannot be reached.',
        errorName: 'TypeError',
        errorAt: expect.stringContaining('pos.test.ts') as string,
      },
    ])
    expect(service.logLines.join()).not.toContain('planted')
  })

  test('a source that rejects although it must not: 500, deprecated as every answer', async () => {
    const key = await withSource({})
    const { status, headers } = await send(key, path)
    expect([status, headers.get('deprecation')]).toEqual([500, '@1767225600'])
  })
})

test('a source is asked for one page of exactly what is published, in its order', async () => {
  const asked: PageQuery[] = []
  service = await openTestService((clock) => createScratchStorage({ clock }), undefined, {
    sources: {
      links: null,
      pos: () => ({
        capabilities: posSourceKinds.odbc_shared.capabilities,
        page: async (query: PageQuery) => {
          asked.push(query)
          return { kind: 'page', rows: [], next: null }
        },
        one: async () => ({ kind: 'row', row: null }),
      }),
    },
  })
  const key = await service.addOrganization('mine', { posSource: tie('odbc_shared') })
  await send(key, '/api/v1/pos/customers?limit=7&email=%20Ada@Example.com&active=false&siteCode=RIV')
  expect(asked).toMatchObject([
    {
      collection: 'pos-customers',
      where: [
        { field: 'emailKey', operator: 'equals', value: 'ada@example.com' },
        { field: 'active', operator: 'equals', value: false },
        { field: 'homeSiteCode', operator: 'equals', value: 'RIV' },
      ],
      order: { field: 'createdAt', idField: 'customerId', direction: 'descending' },
      after: null,
      limit: 7,
    },
  ])
  expect(asked[0]?.select).not.toContain('emailKey')
})
