import { beforeEach, describe, expect, test, vi } from 'vitest'
import { hashFormPassword } from '../../../domain/forms/password.ts'
import type { SendRecord } from '../../../ports/messaging.ts'
import { automation } from '../../../adapters/conformance/outbox.ts'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { fakeRandom, testSecrets } from '../../support/runner/fakes.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService, type TestStorage } from '../../support/services/service.ts'

let service: TestService
let support: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  support = await openOperatorClient(service, 'support')
  await service.addOrganization('acme')
  await service.addOrganization('other')
})

/** The id under which an entry is listed. In a database of a family's own, the id names the organization too. */
const entryId = (organizationId: string, outboxId: string) =>
  service.storage.choice?.kind === 'own' ? `${organizationId}:${outboxId}` : outboxId

const pagination = { limit: 100, hasMore: false, nextCursor: null }

test('health says who asks, and that the storage answers', async () => {
  expect(await support.get('/health')).toEqual({
    status: 200,
    body: {
      status: 'ok',
      at: '2026-06-15T12:00:00.000Z',
      operatorKeyId: support.key.slice('ok_live_'.length, 'ok_live_'.length + 12),
      operator: 'support',
      role: 'support',
    },
  })
})

describe('the outbox', () => {
  async function withEntries(organizationId: string, ...ids: readonly string[]) {
    const tenant = service.storage.tenant(organizationId)
    await tenant.upsert('forms', [form(`form-${organizationId}`)])
    for (const outboxId of ids) {
      service.clock.advance(1000)
      const outbox = [{ outboxId, kind: 'notification_email', payload: {} }]
      await tenant.saveSubmission(submission(`sub-${outboxId}`, { formId: `form-${organizationId}`, outbox }))
    }
  }

  test('is listed oldest first, of one organization or of all, in pages', async () => {
    await withEntries('acme', 'out-3', 'out-1')
    await withEntries('other', 'out-2')
    const idsOf = (body: { readonly data: readonly { readonly outboxId: string }[] }) =>
      body.data.map(({ outboxId }) => outboxId)
    const first = (await support.get('/outbox?limit=2')).body
    expect(idsOf(first)).toEqual([entryId('acme', 'out-3'), entryId('acme', 'out-1')])
    const next = `&cursor=${first.pagination.nextCursor}`
    expect(idsOf((await support.get(`/outbox?limit=2${next}`)).body)).toEqual([entryId('other', 'out-2')])
    expect((await support.get(`/outbox?organizationId=acme${next}`)).status).toBe(400)
    expect((await support.get('/outbox?organizationId=other')).body).toEqual({
      data: [
        {
          outboxId: entryId('other', 'out-2'),
          organizationId: 'other',
          kind: 'notification_email',
          submissionId: 'sub-out-2',
          status: 'pending',
          attempts: 0,
          nextAttemptAt: expect.any(String) as unknown,
          lastError: null,
          createdAt: '2026-06-15T12:00:03.000Z',
        },
      ],
      pagination,
    })
  })

  test('is retried by its entries, unless somebody works on one', async () => {
    await withEntries('acme', 'out-1')
    const now = '2026-06-15T12:00:01.000Z'
    const mine = service.storage.outbox.open('acme')
    await mine.claim('out-1', { token: 't', until: '2026-06-15T12:10:00.000Z' }, now)
    const id = entryId('acme', 'out-1')
    expect(await support.post(`/outbox/${id}/retry`)).toEqual({
      status: 409,
      body: { error: `${id} is being worked on. Look again in a minute.` },
    })
    await mine.settle('out-1', 't', { kind: 'failed', reason: 'refused', sends: [] }, now)
    expect((await support.post(`/outbox/${id}/retry`)).status).toBe(204)
    expect((await support.get('/outbox')).body.data).toMatchObject([{ status: 'pending', attempts: 0 }])
    expect(await support.post('/outbox/none/retry')).toEqual({
      status: 404,
      body: { error: 'There is no entry none that waits or failed.' },
    })
    const records = await service.storage.audit.list({ organizationId: 'acme' }, null, 10)
    expect(records.map(({ action, outcome }) => [action, outcome]).sort()).toEqual([
      ['outbox.retry', 'done'],
      ['outbox.retry', 'refused'],
    ])
  })
})

test('sends are listed newest first, of an organization and of the platform, in pages', async () => {
  const send = (sendId: string, seconds: number): SendRecord => ({
    sendId,
    channel: 'sms',
    from: '+12125550100',
    to: '+12125550123',
    providerId: `SM${sendId}`,
    outcome: 'accepted',
    error: null,
    at: `2026-06-15T12:00:0${seconds}.000Z`,
  })
  await service.storage.sends.open('acme').record([send('1', 1), send('2', 2)])
  await service.storage.sends.open(null).record([send('3', 3)])
  const first = (await support.get('/organizations/acme/sends?limit=1')).body
  expect([{ sendId: '2', ...first.data[0] }]).toEqual([send('2', 2)])
  const next = first.pagination.nextCursor
  expect((await support.get(`/organizations/acme/sends?cursor=${next}`)).body.data).toMatchObject([
    { providerId: 'SM1' },
  ])
  expect((await support.get(`/organizations/other/sends?cursor=${next}`)).status).toBe(400)
  expect((await support.get('/organizations/other/sends')).body).toEqual({ data: [], pagination })
  expect((await support.get('/platform-sends')).body.data).toMatchObject([{ providerId: 'SM3' }])
  expect((await support.get('/organizations/nobody/sends')).status).toBe(404)
})

test('a send without an outcome is pending, and unknown after ten minutes', async () => {
  const at = new Date(service.clock.nowMs()).toISOString()
  const told = {
    channel: 'email',
    from: 'acme@mail.example.com',
    to: 'ada@example.com',
    providerId: null,
  } as const
  for (const owner of ['acme', null])
    await service.storage.sends
      .open(owner)
      .record([{ ...told, sendId: 'pending', outcome: 'pending', error: null, at }])
  const shown = async () =>
    Promise.all(
      ['/organizations/acme/sends', '/platform-sends'].map(
        async (path) => (await support.get(path)).body.data[0],
      ),
    )
  service.clock.advance(599_999)
  const pending = { ...told, outcome: 'pending', error: null, at }
  expect(await shown()).toEqual([pending, pending])
  service.clock.advance(1)
  const error = 'Unknown: the request was cut off, and the message may or may not have been sent.'
  expect(await shown()).toEqual([
    { ...pending, outcome: 'unknown', error },
    { ...pending, outcome: 'unknown', error },
  ])
})

describe('the check of forms', () => {
  const line = form('contact')
  const { formId, name, isPublished } = line
  const checked = { formId, name, isPublished, notificationEmails: [], fields: [] }

  test('says whether each can be submitted here, and if not, why', async () => {
    const hosted = { ...checked, formId: 'hosted', fields: [{ id: 'f', type: 'file', label: 'F' }] }
    const { status, body } = await support.post('/forms/check', {
      forms: [{ ...checked, organizationId: 'acme', password: 'short' }, hosted, { formId: 7, extra: 1 }],
    })
    expect([status, body.data]).toEqual([
      200,
      [
        {
          formId: 'contact',
          supported: true,
          reasons: [],
          warnings: ['The password has fewer than 10 characters.'],
          problems: [],
          findings: [
            { kind: 'warning', place: 'password', sentence: 'The password has fewer than 10 characters.' },
          ],
        },
        {
          formId: 'hosted',
          supported: false,
          reasons: [expect.stringContaining('file')],
          warnings: [],
          problems: [],
          findings: [
            {
              kind: 'hosted',
              place: 'fields[0].type',
              sentence: expect.stringContaining('file') as unknown,
            },
          ],
        },
        {
          ...{ formId: null, supported: false, reasons: [], warnings: [] },
          problems: expect.any(Array) as unknown,
          findings: expect.any(Array) as unknown,
        },
      ],
    ])
    const places = body.data[2]?.findings.map(({ kind, place }) => [kind, place])
    expect(places).toEqual(
      expect.arrayContaining([
        ['refused', 'formId'],
        ['refused', 'fields'],
        ['refused', 'extra'],
      ]),
    )
    expect(body.data[2]?.problems.map(({ field }: { readonly field: string }) => field)).toContain('extra')
  })

  test('looks at the stored automations of an organization', async () => {
    const texting = automation('a-1', {
      triggerFormId: 'contact',
      steps: [
        { type: 'send_email', to: 'contact', subject: 'Thank you', html: 'Thank you' },
        { type: 'send_sms', body: 'Thank you' },
      ],
    })
    await service.storage.tenant('acme').upsert('automations', [texting])
    const warningsFor = async (organization: object) =>
      (await support.post('/forms/check', { forms: [checked], ...organization })).body.data[0]?.warnings
    expect(await warningsFor({ organizationId: 'acme' })).toEqual([
      expect.stringContaining('sends an email to the contact'),
      expect.stringContaining('sends a text message'),
    ])
    expect(await warningsFor({ organizationId: 'other' })).toEqual([])
    expect(await warningsFor({})).toEqual([])
    const unknown = await support.post('/forms/check', { forms: [], organizationId: 'nobody' })
    expect(unknown.status).toBe(404)
  })

  test.each([{}, { forms: {} }, { forms: [1] }, { forms: Array.from({ length: 101 }, () => checked) }])(
    'refuses another body',
    async (body) => {
      expect((await support.post('/forms/check', body)).status).toBe(400)
    },
  )
})

test('the counts by root secret show when a rotation can be ended, operator keys among them', async () => {
  let storage: TestStorage | undefined
  const open = (secrets: Awaited<ReturnType<typeof testSecrets>>) =>
    openTestService((clock) => (storage ??= createScratchStorage({ clock })), secrets)
  const first = await testSecrets(7)
  const before = await open(first)
  const tenantKey = await before.addOrganization('acme')
  const operatorKey = await before.addOperatorKey('admin')
  const passwordHash = await hashFormPassword('a long password', first, fakeRandom())
  await before.storage.tenant('acme').upsert('forms', [form('f-1', { passwordHash, isPublished: true })])

  const during = await open(await testSecrets(8, 7))
  const status = async (): Promise<unknown> =>
    (await during.send('/operator/v1/secrets', { key: operatorKey })).json()
  expect(await status()).toMatchObject({
    current: { keys: 0, formPasswords: 0 },
    previous: { keys: 2, formPasswords: 1 },
    lost: { keys: 0, formPasswords: 0 },
    underPrevious: [{ kind: 'key' }, { kind: 'operator key' }, { kind: 'form', id: 'f-1' }],
  })
  await during.settled()
  await during.send('/api/v1/sites', { key: tenantKey })
  await during.settled()
  expect(await status()).toEqual({
    current: { keys: 2, formPasswords: 0 },
    previous: { keys: 0, formPasswords: 1 },
    lost: { keys: 0, formPasswords: 0 },
    underPrevious: [{ kind: 'form', id: 'f-1', organizationId: 'acme' }],
  })
  const after = await open(await testSecrets(8))
  const last = await after.send('/operator/v1/secrets', { key: operatorKey })
  expect(await last.json()).toMatchObject({ current: { keys: 2 }, lost: { keys: 0, formPasswords: 1 } })
})

test('the document of the operator interface is another one, with its own ETag', async () => {
  const path = '/operator/v1/openapi.json'
  const { status, headers } = await service.send(path)
  expect(status).toBe(200)
  const etag = String(headers.get('etag'))
  const ifNoneMatch = { headers: { 'if-none-match': etag } }
  expect((await service.send(path, ifNoneMatch)).status).toBe(304)
  expect((await service.send('/api/v1/openapi.json', ifNoneMatch)).status).toBe(200)
})

test('the document says of each parameter in a path what it names', async () => {
  const response = await service.send('/operator/v1/openapi.json')
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  interface Operation {
    readonly parameters?: readonly { readonly name: string; readonly description: string }[]
  }
  const given = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ parameters = [] }) => parameters)
  expect(given.map(({ name }) => name)).toContain('importId')
  expect(given.filter(({ description }) => description.startsWith('The identifier.'))).toEqual([])
})

test('the document answers 500 when it cannot be made, and recovers', async () => {
  vi.resetModules()
  const { openTestService: openFresh } = await import('../../support/services/service.ts')
  const fresh = await openFresh((clock) => createScratchStorage({ clock }))
  vi.spyOn(crypto.subtle, 'digest').mockRejectedValueOnce(new Error('busy'))
  expect((await fresh.send('/operator/v1/openapi.json')).status).toBe(500)
  expect((await fresh.send('/operator/v1/openapi.json')).status).toBe(200)
  vi.restoreAllMocks()
})
