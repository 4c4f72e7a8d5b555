import { afterEach, describe, expect, test, vi } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import { hashFormPassword } from '../../domain/forms/password.ts'
import type { SourceFailure } from '../../ports/records.ts'
import { plainForm } from '../bench/seed.ts'
import { fakeRandom, testSecrets } from '../support/runner/fakes.ts'
import { openTestService, type TestStorage } from '../support/services/service.ts'

// Statuses that follow from the records alone. `send` checks each answer against the document.
const keyed = endpoints.filter(({ access }) => access !== 'public')
const LOST = 'D1_ERROR: Network connection lost while reading ck_live_secret.'

function pathOf({ path }: Endpoint): string {
  return path.replaceAll(/\{\w+\}/g, 'some-id')
}

/** Storage that becomes unreachable once its organizations and keys are stored. */
function lost(storage: TestStorage): TestStorage {
  const fail = () => Promise.reject(new Error(LOST))
  return {
    ...storage,
    keyed: { ...storage.keyed, open: () => ({ read: fail }), findPlatformKey: fail },
    forms: { ...storage.forms, find: fail },
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(keyed)('$id', (endpoint) => {
  test('answers 500 when storage is lost: one sentence with the request id', async () => {
    const service = await openTestService((clock) => lost(createScratchStorage({ clock })))
    const key = await service.addOrganization('acme')
    const response = await service.send(pathOf(endpoint), { method: endpoint.method, key })
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).toContain(String(response.headers.get('x-request-id')))
    expect(text).not.toMatch(/D1_ERROR|ck_live/)
    expect(service.errors).toHaveLength(1)
  })
})

const elsewhere = keyed.filter((endpoint) => endpoint.kind !== 'operation' && endpoint.rowsFrom === 'pos')

function eventsOf(logLines: readonly string[]): readonly unknown[] {
  return logLines
    .map((line) => JSON.parse(line) as { readonly level: string; readonly event: string })
    .flatMap(({ level, event }) => (level === 'error' ? [event] : []))
}

describe.each(elsewhere)('$id', (endpoint) => {
  const statusWith = async (answer: () => Promise<SourceFailure>) => {
    const source = { page: answer, one: answer }
    const service = await openTestService((clock) => createScratchStorage({ clock }), undefined, {
      sources: { links: null, pos: () => source },
    })
    const key = await service.addOrganization('acme', {
      posSource: { kind: 'legacy_vendor', tenant: 'acme' },
    })
    const response = await service.send(pathOf(endpoint), { method: endpoint.method, key })
    return [response.status, eventsOf(service.logLines)]
  }

  test('answers 502 when its rows cannot be had, and logs it', async () => {
    const failure = { kind: 'unavailable', reason: 'out of order' } as const
    expect(await statusWith(async () => failure)).toEqual([502, ['source_unavailable']])
  })

  test('answers 500 when what its rows are read from breaks its promise never to reject', async () => {
    const broken = () => Promise.reject(new Error(LOST))
    expect(await statusWith(broken)).toEqual([500, ['request_failed']])
  })
})

test('the contract document answers 500 when it cannot be made, and recovers', async () => {
  vi.resetModules()
  const { openTestService: openFresh } = await import('../support/services/service.ts')
  const service = await openFresh((clock) => createScratchStorage({ clock }))
  vi.spyOn(crypto.subtle, 'digest').mockRejectedValueOnce(new Error('busy'))
  expect((await service.send('/api/v1/openapi.json')).status).toBe(500)
  const { status, headers } = await service.send('/api/v1/openapi.json')
  expect(status).toBe(200)
  const ifNoneMatch = { 'if-none-match': String(headers.get('etag')) }
  expect((await service.send('/api/v1/openapi.json', { headers: ifNoneMatch })).status).toBe(304)
})

test('what is submitted to a form gets the status of its fault, in JSON and as a page', async () => {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  const hosted = [{ id: 'file', type: 'file', label: 'File' }]
  await service.storage
    .tenant('acme')
    .upsert('forms', [plainForm, { ...plainForm, formId: 'hosted', definition: { fields: hosted } }])
  const good = { _gotcha: '', full_name: 'Ada', email: 'ada@example.com' }
  const submit = async (formId: string, accept: string, contentType: string, body: string) => {
    const headers = { accept, 'content-type': contentType, origin: 'https://wash.example' }
    const response = await service.send(`/api/forms/${formId}/submissions`, { method: 'POST', headers, body })
    return response.status
  }
  const asJson = (body: unknown, formId = 'bench-form') =>
    submit(formId, '*/*', 'application/json', JSON.stringify(body))
  const asPage = (body: Record<string, string>, formId = 'bench-form') =>
    submit(formId, 'text/html', 'application/x-www-form-urlencoded', String(new URLSearchParams(body)))
  const tooLarge = { ...good, message: 'x'.repeat(70_000) }
  expect([await asJson([]), await asJson(tooLarge), await asJson(good, 'hosted')]).toEqual([400, 413, 409])
  expect([await asPage(tooLarge), await asPage(good, 'hosted')]).toEqual([413, 409])
  expect(await asPage({ ...good, _redirect: '/thanks' })).toBe(303)
  expect(await asJson(good)).toBe(200)
})

test('a form with a password answers 401 without it', async () => {
  const secrets = await testSecrets()
  const service = await openTestService((clock) => createScratchStorage({ clock }), secrets)
  await service.addOrganization('acme')
  const passwordHash = await hashFormPassword('hunter2', secrets, fakeRandom())
  await service.storage.tenant('acme').upsert('forms', [{ ...plainForm, passwordHash }])
  const codes = []
  for (const password of [{}, { _password: 'wrong' }]) {
    const response = await service.send('/api/forms/bench-form/submissions', {
      json: { _gotcha: '', full_name: 'Ada', email: 'ada@example.com', ...password },
    })
    const { code } = (await response.json()) as { readonly code: string }
    codes.push([response.status, code])
  }
  expect(codes).toEqual([
    [401, 'password_required'],
    [401, 'invalid_password'],
  ])
})
