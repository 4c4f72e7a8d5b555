import { beforeEach, describe, expect, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { sweep } from '../../../domain/jobs/deliver.ts'
import { fakeReceiver, hooksOf, type FakeReceiver } from '../../support/providers/jobs.ts'
import { fakeRandom } from '../../support/runner/fakes.ts'
import { OWN } from '../../support/scratch/scratch-places.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { answerOf, openTestService, type TestService } from '../../support/services/service.ts'

/** The fields of answers that tests read, all in one type. Each test knows which of them its answer has. */
interface Body {
  readonly data: readonly Pick<Body, 'webhookId' | 'deliveryId'>[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly error: string
  readonly webhookId: string
  readonly events: readonly string[]
  readonly deliveryId: string
  readonly secret: string
  readonly previousUntil: string | null
}

describe.each([
  ['the shared database', undefined],
  ['databases of their own', OWN],
])('webhooks of organizations in %s', (_name, choice) => {
  let service: TestService
  let storage: ScratchStorage
  let receiver: FakeReceiver
  let admin: string
  let support: string

  beforeEach(async () => {
    service = await openTestService((clock) => {
      storage = createScratchStorage({ clock, ...(choice === undefined ? {} : { choice }) })
      return storage
    })
    receiver = fakeReceiver()
    for (const organizationId of ['acme', 'other']) {
      await service.addOrganization(organizationId)
      await storage.tenant(organizationId).upsert('forms', [form(`form-${organizationId}`)])
    }
    admin = await service.addOperatorKey('admin')
    support = await service.addOperatorKey('support')
  })

  const ask = async (
    method: string,
    path: string,
    json?: object,
    { key = admin, ...headers }: Readonly<Record<string, string>> = {},
  ) => answerOf<Body>(await service.send(`/operator/v1${path}`, { method, key, json, headers }))

  const create = (body: object = {}, organizationId = 'acme') =>
    ask('POST', `/organizations/${organizationId}/webhooks`, { url: 'https://example.com/hook', ...body })
  const made = async (body: object = {}, organizationId = 'acme') => {
    const { status, body: webhook } = await create(body, organizationId)
    expect(status).toBe(201)
    return webhook
  }

  /** Does all that waits, of every database. */
  async function work(minutes = 1) {
    const world = {
      ...{ outbox: storage.outbox, email: null, sms: null, mail: null, clock: service.clock },
      hooks: hooksOf(storage, receiver.fetch),
      ...{ deadline: { after: () => AbortSignal.timeout(25) }, random: fakeRandom(3) },
      log: { info: () => undefined, error: () => undefined },
    }
    for (let minute = 0; minute < minutes; minute += 1) {
      service.clock.advance(60_000)
      for (const organizationId of ['acme', 'other']) {
        const due = (await storage.outboxOf(organizationId)).map(({ outboxId }) => ({
          organizationId,
          outboxId,
        }))
        await sweep(world, { due: async () => due })
      }
    }
  }

  const submit = (id: string, organizationId = 'acme') =>
    storage
      .tenant(organizationId)
      .saveSubmission(submission(id, { formId: `form-${organizationId}` }, { email: `${id}@example.com` }))

  test('one may list the event of tests, which comes listed or not', async () => {
    expect(await made({ events: ['test'] })).toMatchObject({ events: ['test'] })
    expect((await made()).events).not.toContain('test')
  })

  test('one is made, shown without its secret, changed over the state that was seen, and deleted', async () => {
    const webhook = await made({ events: ['submission.created'], formIds: ['form-acme'], description: 'CRM' })
    const { secret, ...shown } = webhook
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      webhookId: expect.stringMatching(/^acme:wh_\w{16}$/) as string,
      organizationId: 'acme',
      url: 'https://example.com/hook',
      events: ['submission.created'],
      formIds: ['form-acme'],
      description: 'CRM',
      isOn: true,
      offReason: null,
      failingSince: null,
      hasSecret: true,
      previousUntil: null,
      createdAt: expect.any(String) as string,
    })
    const path = `/webhooks/${shown.webhookId}`
    const got = await ask('GET', path, undefined, { key: support })
    expect([got.status, got.body]).toEqual([200, shown])
    expect((await ask('GET', '/organizations/acme/webhooks')).body.data).toEqual([shown])
    const seen = { 'if-match': got.etag ?? '' }
    const changed = await ask('POST', path, { url: 'https://b.example/', isOn: false }, seen)
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...shown, url: 'https://b.example/', isOn: false },
    ])
    expect((await ask('POST', path, { isOn: true }, seen)).status).toBe(412)
    expect((await ask('POST', `${path}/rotate`, undefined, seen)).status).toBe(412)
    expect((await ask('POST', path, { isOn: true }, { 'if-match': changed.etag ?? '' })).status).toBe(200)
    const rotated = await ask('POST', `${path}/rotate`)
    expect(rotated.body.secret).not.toBe(secret)
    expect(rotated.body.previousUntil).toBe(new Date(service.clock.nowMs() + 86_400_000).toISOString())
    expect((await ask('POST', `${path}/delete`)).status).toBe(200)
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/delete'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/rotate'],
    ])
      expect((await ask(method ?? '', path + (end ?? ''))).status).toBe(404)
    expect((await ask('POST', path, { isOn: true })).status).toBe(404)
    const stored = JSON.stringify(
      await (await storage.databaseOf('acme')).batch([{ sql: 'select * from audit', parameters: [] }]),
    )
    expect(stored).not.toContain('whsec_')
  })

  test('no secret is stored or listed as it is shown', async () => {
    const { secret } = await made()
    const database = await storage.databaseOf('acme')
    const [rows] = await database.batch([{ sql: 'select * from webhooks', parameters: [] }])
    const text = JSON.stringify(rows)
    expect(text).not.toContain(secret.slice(6, 30))
  })

  // As after a restoration that was cut off when its organization was just open.
  test('one without a secret is neither switched on nor tried until it is rotated', async () => {
    const { webhookId } = await made({ isOn: false })
    const database = await storage.databaseOf('acme')
    await database.batch([{ sql: 'update webhooks set secret = null', parameters: [] }])
    const calls = [
      () => ask('POST', `/webhooks/${webhookId}`, { isOn: true }),
      () => ask('POST', `/webhooks/${webhookId}/test`),
    ]
    for (const call of calls)
      expect(await call()).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('has no secret') as unknown },
      })
    expect((await ask('POST', `/webhooks/${webhookId}/rotate`)).status).toBe(200)
    for (const call of calls) expect((await call()).status).toBeLessThan(300)
  })

  test.each([
    [{ url: 'http://example.com' }, 'url: must be an https URL.'],
    [{ url: 'https://10.1/' }, 'url: must be the address of a server on the internet.'],
    [{ url: 'http://127.0.0.1:8080/' }, 'url: must be an https URL.'],
    [{ url: 7 }, /^url/],
    [{ events: [] }, /^events/],
    [{ events: ['submission.deleted'] }, /^events/],
    [{ formIds: [] }, /^formIds/],
    [{ formIds: ['form-other'] }, 'formIds: acme has no form form-other.'],
    [{ description: 'a\nb' }, 'description: must not contain control characters.'],
    [{ description: 'a'.repeat(201) }, /^description/],
    [{ isOn: 'yes' }, /^isOn/],
    [{ secret: 'whsec_x' }, /^secret/],
  ])('%j is refused, when it is made and when it is changed', async (given, problem) => {
    const refusal = typeof problem === 'string' ? problem : (expect.stringMatching(problem) as string)
    const { webhookId } = await made()
    for (const { status, body } of [
      await create(given),
      await ask('POST', `/webhooks/${webhookId}`, given),
    ]) {
      expect(status).toBe(400)
      expect(body.error).toEqual(refusal)
    }
    expect((await ask('GET', '/organizations/acme/webhooks')).body.data).toHaveLength(1)
  })

  test('an organization has twenty at most; one that is not there has none', async () => {
    for (let index = 0; index < 20; index += 1) await made()
    expect((await create()).status).toBe(409)
    expect((await create({}, 'nobody')).status).toBe(404)
    expect((await ask('GET', '/organizations/nobody/webhooks')).status).toBe(404)
    const first = await ask('GET', '/organizations/acme/webhooks?limit=15')
    const second = await ask(
      'GET',
      `/organizations/acme/webhooks?limit=15&cursor=${String(first.body.pagination.nextCursor)}`,
    )
    const ids = [...first.body.data, ...second.body.data].map(({ webhookId }) => webhookId)
    expect(new Set(ids).size).toBe(20)
  })

  test.each([
    'wh_1',
    'acme',
    'acme:',
    ':wh_1',
    'acme:wh_1',
    'nobody:wh_1',
    'acme:wh_1:x',
    'acme:obx_1',
    '%00',
    'acme%3Awh_1%2F..',
  ])('the id %s is none', async (id) => {
    for (const path of [`/webhooks/${id}`, `/webhooks/${id}/deliveries`])
      expect((await ask('GET', path)).status).toBe(404)
    for (const path of [`/webhooks/${id}/test`, `/webhook-deliveries/${id}/resend`])
      expect((await ask('POST', path)).status).toBe(404)
  })

  test('support tests and resends, and changes nothing', async () => {
    const { webhookId } = await made()
    const path = `/webhooks/${webhookId}`
    const as = { key: support }
    const tested = await ask('POST', `${path}/test`, undefined, as)
    expect(tested.status).toBe(202)
    await work()
    const { body } = await ask('GET', `${path}/deliveries`, undefined, as)
    expect(body.data).toMatchObject([
      { deliveryId: tested.body.deliveryId, event: 'test', status: 'delivered' },
    ])
    expect(
      (await ask('POST', `/webhook-deliveries/${tested.body.deliveryId}/resend`, undefined, as)).status,
    ).toBe(202)
    expect((await ask('POST', `${path}/resend`, { since: '2026-01-01' }, as)).status).toBe(202)
    for (const [end, given] of [
      ['', { isOn: false }],
      ['/rotate', undefined],
      ['/delete', undefined],
    ] as const)
      expect((await ask('POST', path + end, given, as)).status).toBe(403)
    const refused = (await ask('GET', '/audit?action=webhook.rotate')).body.data
    const subject = { type: 'webhook', id: webhookId }
    expect(refused).toMatchObject([{ outcome: 'forbidden', organizationId: 'acme', subject }])
    expect((await ask('POST', '/organizations/acme/webhooks', { url: 'https://a.example' }, as)).status).toBe(
      403,
    )
  })

  test('deliveries are listed with what was answered, and those that did not succeed alone', async () => {
    const { webhookId, secret } = await made({ events: ['submission.created'] })
    receiver.answers.push(() => new Response('<b>no</b>', { status: 500 }))
    await submit('sub-1')
    await work()
    service.clock.advance(1_000)
    await submit('sub-2')
    await work()
    const path = `/webhooks/${webhookId}/deliveries`
    const { body } = await ask('GET', `${path}?status=failed&limit=1`)
    expect(body.data).toEqual([])
    const all = (await ask('GET', path)).body.data
    const own = webhookId.slice('acme:wh_'.length)
    expect(all).toMatchObject([
      {
        deliveryId: `acme:whd_sub-2_${own}`,
        status: 'delivered',
        answers: [{ status: 204, text: '', reason: null }],
      },
      {
        deliveryId: `acme:whd_sub-1_${own}`,
        attempts: 2,
        answers: [{ status: 500, text: '<b>no</b>' }, { status: 204 }],
      },
    ])
    const page = await ask('GET', `${path}?limit=1`)
    const next = await ask('GET', `${path}?limit=1&cursor=${String(page.body.pagination.nextCursor)}`)
    expect([...page.body.data, ...next.body.data]).toEqual(all)
    expect((await ask('GET', `${path}?status=odd`)).status).toBe(400)
    for (const { body: sent, headers } of receiver.calls) {
      const realNow = Date.now
      Date.now = () => service.clock.nowMs()
      expect(new Webhook(secret).verify(sent, headers)).toMatchObject({ type: 'submission.created' })
      Date.now = realNow
    }
  })

  test('all since an instant is sent again, some at a time, each under its id', async () => {
    const { webhookId } = await made({ events: ['submission.created'] })
    const times: string[] = []
    for (let index = 0; index < 7; index += 1) {
      service.clock.advance(1_000)
      times.push(new Date(service.clock.nowMs()).toISOString())
      await submit(`sub-${index}`)
    }
    await work(3)
    const before = receiver.calls.map(({ headers }) => headers['webhook-id'])
    expect(new Set(before).size).toBe(7)
    const path = `/webhooks/${webhookId}`
    const again = await ask('POST', `${path}/resend`, { since: times[3] })
    expect([again.status, again.body]).toEqual([202, { resent: 4, next: null }])
    await work(3)
    const after = receiver.calls.slice(7).map(({ headers }) => headers['webhook-id'])
    expect(after.sort()).toEqual(before.slice().sort().slice(3))
    for (const since of ['', 'yesterday', '2026-13-01', 7])
      expect((await ask('POST', `${path}/resend`, { since })).status).toBe(400)
    expect((await ask('POST', `${path}/resend`, { since: '2026-01-01', next: 'x' })).status).toBe(400)
    await ask('POST', path, { isOn: false })
    expect((await ask('POST', `${path}/resend`, { since: '2026-01-01' })).status).toBe(409)
    expect((await ask('POST', `/webhook-deliveries/acme:${String(before[0])}/resend`)).status).toBe(409)
  })

  test('all of very many are sent again, each once, also those of one instant', async () => {
    const { webhookId } = await made({ events: ['submission.created'] })
    const [, id = ''] = webhookId.split(':')
    const outbox = storage.outbox.open('acme')
    const startMs = service.clock.nowMs()
    const instant = (index: number) => new Date(startMs + Math.floor(index / 100) * 1_000).toISOString()
    for (let index = 0; index < 510; index += 1) {
      const of = { event: 'submission.created', subjectId: `sub-${index}`, at: instant(index) }
      const event = { ...of, deliveryId: `whd_${index}`, webhookId: id }
      const answer = { at: instant(index), status: 204, durationMs: 1, text: '', reason: null }
      await storage.webhooks('acme').announce(event, instant(0))
      await outbox.claim(event.deliveryId, { token: 't', until: instant(9_000) }, instant(0))
      const delivery = { ...event, status: 'delivered', answer } as const
      await outbox.settle(event.deliveryId, 't', { kind: 'done', sends: [], delivery }, instant(0))
    }
    expect(await storage.outboxOf('acme')).toEqual([])
    const counts: unknown[] = []
    let next: string | null | undefined
    do {
      const body = { since: instant(100), ...(next === undefined ? {} : { next }) }
      const answered = (await ask('POST', `/webhooks/${webhookId}/resend`, body)).body as unknown as {
        readonly resent: number
        readonly next: string | null
      }
      counts.push(answered.resent)
      next = answered.next
    } while (typeof next === 'string' && counts.length < 9)
    expect(counts).toEqual([200, 200, 10])
    const waiting = (await storage.outboxOf('acme')).map(({ outboxId }) => outboxId).sort()
    expect(waiting).toEqual(Array.from({ length: 410 }, (_, index) => `whd_${index + 100}`).sort())
    await service.settled()
  })

  test('another organization is told of nothing, and its webhooks show nothing', async () => {
    await made({ url: 'https://acme.example/' })
    const other = await made({ url: 'https://other.example/' }, 'other')
    await submit('sub-1')
    await work()
    expect(receiver.calls.length).toBeGreaterThan(0)
    expect(receiver.calls.filter(({ url }) => url !== 'https://acme.example/')).toEqual([])
    expect((await ask('GET', `/webhooks/${other.webhookId}/deliveries`)).body.data).toEqual([])
    const local = other.webhookId.split(':')[1] ?? ''
    expect((await ask('GET', `/webhooks/acme:${local}`)).status).toBe(404)
    expect(
      (
        await ask(
          'POST',
          `/webhook-deliveries/other:${String(receiver.calls[0]?.headers['webhook-id'])}/resend`,
        )
      ).status,
    ).toBe(404)
  })
})
