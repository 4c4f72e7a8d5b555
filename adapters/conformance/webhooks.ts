import assert from 'node:assert/strict'
import type { DeliveryAttempt, NewWebhook, WebhookAnswer } from '../../ports/index.ts'
import { at, contact, form, submission, twoTenants, type TwoTenants } from './fixtures.ts'
import { automation } from './outbox.ts'
import { casesFrom } from './cases.ts'

const ALL_EVENTS = ['submission.created', 'contact.created', 'contact.updated', 'contact.removed']

export function webhook(webhookId: string, changes: Partial<NewWebhook> = {}): NewWebhook {
  return {
    webhookId,
    url: 'https://example.com/hook',
    events: ALL_EVENTS,
    formIds: null,
    description: '',
    isOn: true,
    secret: 'v.sealed',
    createdAt: at(0),
    ...changes,
  }
}

/** Saves these webhooks of `org-a`, and a form of each organization. */
async function withWebhooks(storage: TwoTenants, ...webhooks: readonly NewWebhook[]): Promise<void> {
  for (const organizationId of ['org-a', 'org-b'])
    await storage.tenant(organizationId).upsert('forms', [form(`form-${organizationId}`)])
  for (const one of webhooks) assert(await storage.webhooks('org-a').create(one, 20))
}

/** What an organization's webhooks wait to be told, as `webhook event subject`, sorted. */
async function told(storage: TwoTenants, organizationId = 'org-a'): Promise<readonly string[]> {
  const entries = (await storage.outboxOf(organizationId)).filter(({ kind }) => kind === 'webhook_delivery')
  for (const { outboxId } of entries) assert.match(outboxId, /^whd_[\w-]{1,90}$/)
  assert.equal(new Set(entries.map(({ outboxId }) => outboxId)).size, entries.length)
  return entries
    .map(({ payload }) => payload as Record<string, string>)
    .map(({ webhookId, event, subjectId, at: when }) => {
      assert.match(String(when), /^20\d\d-\d\d-\d\dT.*Z$/)
      return `${webhookId} ${event} ${subjectId}`
    })
    .sort()
}

const fromA = (id: string, changes: object = {}, person: Parameters<typeof submission>[2] = {}) =>
  submission(id, { formId: 'form-org-a', ...changes }, person)

const answer = (seconds: number, changes: Partial<WebhookAnswer> = {}): WebhookAnswer => ({
  at: at(seconds),
  status: 500,
  durationMs: 12,
  text: 'No "thanks".\u0000\u{1f600}',
  reason: 'It answered 500.',
  ...changes,
})

const attempt = (deliveryId: string, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  deliveryId,
  webhookId: 'wh_1',
  event: 'test',
  subjectId: 'wh_1',
  at: at(1),
  status: 'waiting',
  answer: answer(2),
  ...changes,
})

/** Puts an event into the outbox, claims it and settles it as this attempt. */
async function tried(storage: TwoTenants, made: DeliveryAttempt, seconds = 2): Promise<boolean> {
  const { deliveryId, status } = made
  assert(await storage.webhooks('org-a').announce(made, at(seconds)))
  const outbox = storage.outbox.open('org-a')
  const lease = { token: `t-${deliveryId}-${seconds}`, until: at(seconds + 60) }
  assert((await outbox.claim(deliveryId, lease, at(seconds))) !== null)
  const more = { delivery: made }
  const settlement =
    status === 'waiting'
      ? ({ kind: 'retry', at: at(seconds + 5), reason: 'No.', counted: true, ...more } as const)
      : ({ kind: 'done', sends: [], ...more } as const)
  return outbox.settle(deliveryId, lease.token, settlement, at(seconds))
}

export const webhookCases = casesFrom(twoTenants, {
  async 'a webhook is stored, listed, changed by name, switched off, rotated and removed'(storage) {
    await withWebhooks(storage, webhook('wh_2'), webhook('wh_1', { formIds: ['f', 'g'] }))
    const webhooks = storage.webhooks('org-a')
    const fresh = {
      offReason: null,
      failingSince: null,
      previousSecret: null,
      previousUntil: null,
      version: 1,
    }
    assert.deepEqual(await webhooks.list(null, 10), [
      { ...webhook('wh_1', { formIds: ['f', 'g'] }), ...fresh },
      { ...webhook('wh_2'), ...fresh },
    ])
    assert.deepEqual(
      (await webhooks.list('wh_1', 1)).map(({ webhookId }) => webhookId),
      ['wh_2'],
    )
    assert.equal(await webhooks.create(webhook('wh_3'), 2), false)
    assert.equal(await storage.webhooks('nobody').create(webhook('wh_3'), 20), false)
    assert.equal(await storage.webhooks('org-b').find('wh_1'), null)
    assert.equal(await webhooks.update('wh_1', { description: 'x' }, 1), 'done')
    assert.equal(await webhooks.update('wh_1', { description: 'y' }, 1), 'changed')
    assert.equal(await webhooks.update('wh_9', { description: 'y' }, null), 'missing')
    assert.equal(await webhooks.update('wh_1', { formIds: null, url: 'https://b.example/' }, null), 'done')
    assert.equal(await webhooks.switchOff('wh_1', 'gone'), true)
    assert.equal(await webhooks.switchOff('wh_1', 'failing'), false)
    const off = { isOn: false, offReason: 'gone', description: 'x', formIds: null, version: 4 } as const
    const settled = { ...webhook('wh_1'), ...fresh, ...off, url: 'https://b.example/' }
    assert.deepEqual(await webhooks.find('wh_1'), settled)
    // What was read before the service switched it off is changed no more.
    assert.equal(await webhooks.update('wh_1', { isOn: true }, 3), 'changed')
    assert.equal(await webhooks.update('wh_1', { isOn: true }, 4), 'done')
    assert.equal(await webhooks.rotate('wh_1', 'v.next', at(9), 4), 'changed')
    assert.equal(await webhooks.rotate('wh_1', 'v.next', at(9), 5), 'done')
    const rotated = { secret: 'v.next', previousSecret: 'v.sealed', previousUntil: at(9), version: 6 }
    assert.deepEqual(await webhooks.find('wh_1'), { ...settled, isOn: true, offReason: null, ...rotated })
    await webhooks.replaceSecret('wh_1', 'v.sealed', 'w.sealed')
    await webhooks.replaceSecret('wh_1', 'v.other', 'w.other')
    const replaced = await webhooks.find('wh_1')
    assert.deepEqual(
      [replaced?.secret, replaced?.previousSecret, replaced?.version],
      ['v.next', 'w.sealed', 6],
    )
    assert.equal(await storage.webhooks('org-b').remove('wh_1'), false)
    assert.equal(await webhooks.remove('wh_1'), true)
    assert.equal(await webhooks.remove('wh_1'), false)
    assert.deepEqual(
      (await webhooks.list(null, 10)).map(({ webhookId }) => webhookId),
      ['wh_2'],
    )
  },
  async 'a submission tells webhooks of itself and of a new or changed contact, in the same step and once'(
    storage,
  ) {
    await withWebhooks(
      storage,
      webhook('wh_1'),
      webhook('wh_2', { events: ['submission.created'], formIds: ['form-org-a'] }),
      webhook('wh_3', { formIds: ['form-other'] }),
      webhook('wh_4', { isOn: false }),
      webhook('wh_5', { events: [] }),
    )
    const tenant = storage.tenant('org-a')
    const saved = fromA('sub-1', {}, { email: 'ada@example.com', firstName: null })
    const outcome = await tenant.saveSubmission(saved)
    assert(outcome.kind === 'saved')
    const first = [
      'wh_1 contact.created new-sub-1',
      'wh_1 submission.created sub-1',
      'wh_2 submission.created sub-1',
      'wh_3 contact.created new-sub-1',
    ]
    assert.deepEqual(await told(storage), first)
    assert.deepEqual([...outcome.outboxIds].sort(), [
      'whd_sub-1_1',
      'whd_sub-1_1_c',
      'whd_sub-1_2',
      'whd_sub-1_3_c',
    ])
    await tenant.saveSubmission(saved)
    assert.deepEqual(await told(storage), first)
    await tenant.saveSubmission(fromA('sub-2', {}, { email: 'ada@example.com', firstName: 'Ada' }))
    await tenant.saveSubmission(fromA('sub-3', {}, { email: 'ada@example.com', firstName: 'Bea' }))
    await tenant.saveSubmission({ ...fromA('sub-4'), contact: null })
    assert.deepEqual(
      await told(storage),
      [
        ...first,
        ...['wh_1', 'wh_3'].map((id) => `${id} contact.updated new-sub-1`),
        ...['sub-2', 'sub-3', 'sub-4'].flatMap((id) =>
          ['wh_1', 'wh_2'].map((hook) => `${hook} submission.created ${id}`),
        ),
      ].sort(),
    )
    await storage
      .tenant('org-b')
      .saveSubmission(submission('sub-b', { formId: 'form-org-b' }, { email: 'b@example.com' }))
    assert.deepEqual(await told(storage, 'org-b'), [])
  },
  async 'what is not saved, and what is imported, tells nobody'(storage) {
    await withWebhooks(storage, webhook('wh_1'))
    const tenant = storage.tenant('org-a')
    assert.equal((await tenant.saveSubmission(fromA('sub-1', { formVersion: 9 }))).kind, 'stale')
    await tenant.upsert('contacts', [contact('con-1', { firstName: 'Ada' })])
    await tenant.upsert('contacts', [contact('con-1', { firstName: 'Bea' })])
    assert.deepEqual(await told(storage), [])
  },
  async 'a tag that an automation adds, contacts that are deleted and persons who are erased are told of, once'(
    storage,
  ) {
    await withWebhooks(
      storage,
      webhook('wh_1'),
      webhook('wh_2', { events: ['contact.removed'] }),
      webhook('wh_3', { isOn: false }),
    )
    const tenant = storage.tenant('org-a')
    await tenant.upsert(
      'contacts',
      ['con-1', 'con-2', 'con-3', 'con-4'].map((id) => contact(id, { email: `${id}@example.com` })),
    )
    const store = storage.organizationStore('org-a')
    assert.equal((await store.removeRows('contacts', [['con-1'], ['con-9']])).kind, 'unknown')
    assert.deepEqual(await told(storage), [])
    assert.equal((await store.removeRows('contacts', [['con-1'], ['con-2'], ['con-1']])).kind, 'removed')
    const removed = (id: string) => ['wh_1', 'wh_2'].map((hook) => `${hook} contact.removed ${id}`)
    assert.deepEqual(await told(storage), [...removed('con-1'), ...removed('con-2')].sort())
    const named = { contactIds: ['con-3'], emailKeys: [], phones: [] }
    for (let time = 0; time < 2; time += 1) {
      const person = { ...(await store.findPerson(named)), numbers: [] }
      let position: string | null = null
      do position = (await store.eraseSome(person, position)).next
      while (position !== null)
    }
    assert.deepEqual(
      await told(storage),
      [...removed('con-1'), ...removed('con-2'), ...removed('con-3')].sort(),
    )
  },
  async 'a contact that an automation tags is told of with the step that tags it'(storage) {
    await withWebhooks(storage, webhook('wh_1', { events: ['contact.updated'] }))
    const tenant = storage.tenant('org-a')
    await tenant.upsert('contacts', [
      contact('con-1', { email: 'ada@example.com', firstName: 'Ada', lastName: 'L' }),
    ])
    const steps = [{ type: 'add_tag', tag: 'new' }]
    await tenant.upsert('automations', [
      {
        ...automation('auto', { steps }),
        trigger: { type: 'form_submission', formId: 'form-org-a' },
        triggerFormId: 'form-org-a',
      },
    ])
    await tenant.saveSubmission(fromA('sub-1', {}, { email: 'ada@example.com' }))
    assert.deepEqual(await told(storage), [])
    const outbox = storage.outbox.open('org-a')
    const token = 't'
    assert((await outbox.claim('run_sub-1_1', { token, until: at(60) }, at(2))) !== null)
    assert((await outbox.startRun('run_sub-1_1', token, 'auto', 'con-1', at(2))) !== null)
    const step = {
      ...{ runId: 'run_sub-1_1', step: 1, sends: [], leaseUntil: at(90) },
      effect: { kind: 'add_tag', tag: 'new', contactId: 'con-1' } as const,
    }
    for (let time = 0; time < 2; time += 1) assert.equal(await outbox.finishStep(token, step, at(3)), 'saved')
    assert.deepEqual(await told(storage), ['wh_1 contact.updated con-1'])
  },
  async 'an attempt is recorded with its outcome; the webhook knows since when it fails'(storage) {
    await withWebhooks(storage, webhook('wh_1'))
    const webhooks = storage.webhooks('org-a')
    assert(await tried(storage, attempt('whd_1')))
    const { status: _status, answer: _answer, ...event } = attempt('whd_1')
    const first = { ...event, status: 'waiting', attempts: 1, answers: [answer(2)] }
    assert.deepEqual(await webhooks.findDelivery('whd_1'), first)
    assert.equal((await webhooks.find('wh_1'))?.failingSince, at(2))
    assert(await tried(storage, attempt('whd_2', { at: at(2), answer: answer(3) }), 3))
    assert.equal((await webhooks.find('wh_1'))?.failingSince, at(2))
    const well = answer(9, { status: 204, text: '', reason: null })
    assert(await tried(storage, attempt('whd_1', { status: 'delivered', answer: well }), 9))
    const second = { ...event, status: 'delivered', attempts: 2, answers: [answer(2), well] }
    assert.deepEqual(await webhooks.findDelivery('whd_1'), second)
    assert.equal((await webhooks.find('wh_1'))?.failingSince, null)
    assert(await tried(storage, attempt('whd_3', { at: at(3), status: 'dropped', answer: null }), 9))
    const ids = async (isUndelivered: boolean, limit = 9) =>
      (await webhooks.deliveries('wh_1', isUndelivered, null, limit)).map(({ deliveryId }) => deliveryId)
    assert.deepEqual(await ids(false), ['whd_3', 'whd_2', 'whd_1'])
    assert.deepEqual(await ids(false, 1), ['whd_3'])
    assert.deepEqual(await ids(true), ['whd_3', 'whd_2'])
    const next = await webhooks.deliveries('wh_1', false, { value: at(2), id: 'whd_2' }, 9)
    assert.deepEqual(next, [second])
    assert.equal(await storage.webhooks('org-b').findDelivery('whd_1'), null)
    assert.deepEqual(await storage.webhooks('org-b').deliveries('wh_1', false, null, 9), [])
  },
  async 'a webhook that fails since an instant is found while it is on, and switched off with an alert, once'(
    storage,
  ) {
    await withWebhooks(storage, webhook('wh_1'), webhook('wh_2'), webhook('wh_3'))
    for (const [index, id] of ['wh_1', 'wh_2', 'wh_3'].entries())
      assert(await tried(storage, attempt(`whd_${index}`, { webhookId: id, status: 'failed' })))
    const [webhooks, retention] = [storage.webhooks('org-a'), storage.retentionDirectory]
    await webhooks.update('wh_3', { isOn: false }, null)
    const found = (seconds: number, limit = 9) => retention.failingWebhooks(at(seconds), limit)
    const failing = (webhookId: string) => ({
      ...{ organizationId: 'org-a', webhookId },
      ...{ url: 'https://example.com/hook', failingSince: at(2) },
    })
    assert.equal(await retention.nextDue(), at(2 + 5 * 86_400))
    assert.deepEqual(await found(1), [])
    assert.deepEqual(await found(2), [failing('wh_1'), failing('wh_2')])
    assert.equal((await found(2, 1)).length, 1)
    const alert = (id: string) => ({ outboxId: `alr_${id}`, payload: { kind: 'webhook_off' } })
    const switchOff = (id: string, changes = {}) =>
      retention.switchOffFailing({ ...failing(id), ...changes }, alert(id), at(9))
    // It has succeeded and failed again since it was found, or is another organization's.
    for (const [id, changes] of [
      ['wh_1', { failingSince: at(1) }],
      ['wh_1', { organizationId: 'org-b' }],
      ['wh_3', {}],
    ] as const)
      assert.equal(await switchOff(id, changes), false)
    assert.deepEqual(await storage.outboxOf('org-a'), [])
    assert.equal(await switchOff('wh_1'), true)
    assert.equal(await switchOff('wh_1'), false)
    const { isOn, offReason, version } = (await webhooks.find('wh_1')) ?? {}
    assert.deepEqual([isOn, offReason, version], [false, 'failing', 2])
    assert.deepEqual(
      (await storage.outboxOf('org-a')).map(({ outboxId, kind }) => [outboxId, kind]),
      [['alr_wh_1', 'alert_email']],
    )
    assert.deepEqual(await found(9), [failing('wh_2')])
    // While an organization is deleted, nothing is written for it.
    assert.equal(await storage.organizationStore('org-a').beginDeletion(at(10)), 'begun')
    assert.equal(await switchOff('wh_2'), false)
  },
  async 'a webhook fails no more when its address is another one, but when another thing is changed'(
    storage,
  ) {
    await withWebhooks(storage, webhook('wh_1'))
    assert(await tried(storage, attempt('whd_1', { status: 'failed' })))
    const webhooks = storage.webhooks('org-a')
    for (const [settings, failingSince] of [
      [{ description: 'x', url: webhook('wh_1').url }, at(2)],
      [{ url: 'https://b.example/' }, null],
    ] as const) {
      assert.equal(await webhooks.update('wh_1', settings, null), 'done')
      assert.equal((await webhooks.find('wh_1'))?.failingSince, failingSince)
    }
  },
  async 'of many answers the latest are kept, and none for longer than a month'(storage) {
    await withWebhooks(storage, webhook('wh_1'))
    for (let time = 0; time < 25; time += 1)
      assert(
        await tried(storage, attempt('whd_1', { answer: answer(time, { durationMs: time }) }), time * 10),
      )
    const found = await storage.webhooks('org-a').findDelivery('whd_1')
    assert.equal(found?.attempts, 25)
    assert.deepEqual(
      found.answers.map(({ durationMs }) => durationMs),
      Array.from({ length: 20 }, (_, index) => index + 5),
    )
    const month = 30 * 86_400
    assert(await tried(storage, attempt('whd_1', { answer: answer(month + 22) }), month + 22))
    const kept = await storage.webhooks('org-a').findDelivery('whd_1')
    assert.deepEqual(
      kept?.answers.map(({ at: when }) => when),
      [at(22), at(23), at(24), at(month + 22)].slice(0),
    )
    const { retentionDirectory: retention } = storage
    assert.equal(await retention.forgetDeliveries(at(month + 400), 9), 0)
    assert.equal(await retention.forgetDeliveries(at(2 * month + 22), 9), 1)
    assert.equal(await storage.webhooks('org-a').findDelivery('whd_1'), null)
  },
  async 'whoever has lost an entry records its call, and not what became of the delivery'(storage) {
    await withWebhooks(storage, webhook('wh_1'))
    const done = answer(2, { status: 200, reason: null })
    assert(await tried(storage, attempt('whd_1', { status: 'delivered', answer: done })))
    const late = {
      kind: 'retry',
      at: at(9),
      reason: 'No.',
      counted: true,
      delivery: attempt('whd_1', { answer: answer(5) }),
    } as const
    assert.equal(await storage.outbox.open('org-a').settle('whd_1', 'lost', late, at(5)), false)
    const found = await storage.webhooks('org-a').findDelivery('whd_1')
    assert.deepEqual([found?.status, found?.answers.length], ['delivered', 2])
  },
  async 'a webhook that is removed takes with it what waits for it, and nothing is recorded of it any more'(
    storage,
  ) {
    await withWebhooks(storage, webhook('wh_1'), webhook('wh_2'))
    const webhooks = storage.webhooks('org-a')
    await storage.tenant('org-a').saveSubmission({ ...fromA('sub-1'), contact: null })
    const outbox = storage.outbox.open('org-a')
    assert((await outbox.claim('whd_sub-1_1', { token: 't', until: at(60) }, at(2))) !== null)
    assert.equal(await webhooks.remove('wh_1'), true)
    assert.deepEqual(await told(storage), ['wh_2 submission.created sub-1'])
    const delivery = attempt('whd_sub-1_1', { status: 'delivered' })
    assert.equal(await outbox.settle('whd_sub-1_1', 't', { kind: 'done', sends: [], delivery }, at(3)), false)
    assert.equal(await webhooks.findDelivery('whd_sub-1_1'), null)
    assert.equal(await webhooks.announce(attempt('whd_9'), at(3)), false)
  },
  async 'webhooks, what waits for them and what they were told are apart although another organization has their ids'(
    storage,
  ) {
    await withWebhooks(storage, webhook('wh_1'))
    // As after a restoration under another id.
    const [own, other] = [storage.webhooks('org-a'), storage.webhooks('org-b')]
    assert(await other.create(webhook('wh_1'), 20))
    for (const organizationId of ['org-a', 'org-b']) {
      const of = submission('sub-1', { formId: `form-${organizationId}` })
      await storage.tenant(organizationId).saveSubmission({ ...of, contact: null })
      assert.deepEqual(await told(storage, organizationId), ['wh_1 submission.created sub-1'])
      assert(await storage.webhooks(organizationId).announce(attempt('whd_1'), at(2)))
      const outbox = storage.outbox.open(organizationId)
      assert((await outbox.claim('whd_1', { token: 't', until: at(60) }, at(2))) !== null)
      const failed = { kind: 'done', sends: [], delivery: attempt('whd_1', { status: 'failed' }) } as const
      assert.equal(await outbox.settle('whd_1', 't', failed, at(3)), true)
    }
    const state = async () => ({
      webhook: await other.find('wh_1'),
      deliveries: await other.deliveries('wh_1', false, null, 9),
      waiting: await storage.outboxOf('org-b'),
    })
    const before = await state()
    assert.deepEqual([before.webhook?.failingSince, before.deliveries.length], [at(2), 1])
    assert(await tried(storage, attempt('whd_1', { status: 'delivered', answer: answer(9) }), 9))
    assert.deepEqual(await own.resend(['whd_1'], at(10)), ['whd_1'])
    assert.equal(await own.update('wh_1', { description: 'x', isOn: true }, null), 'done')
    assert.equal(await own.rotate('wh_1', 'v.next', at(99), null), 'done')
    for (const secret of ['v.sealed', 'v.next']) await own.replaceSecret('wh_1', secret, 'w.sealed')
    assert.equal(await own.switchOff('wh_1', 'gone'), true)
    assert.equal(await own.remove('wh_1'), true)
    assert.deepEqual(await told(storage), [])
    assert.deepEqual(await state(), before)
  },
  async 'a delivery is sent again under its id with all attempts before it, unless it is worked on or gone'(
    storage,
  ) {
    await withWebhooks(storage, webhook('wh_1'), webhook('wh_2'))
    const webhooks = storage.webhooks('org-a')
    assert(await tried(storage, attempt('whd_1', { status: 'failed' })))
    assert(await tried(storage, attempt('whd_2')))
    assert(await tried(storage, attempt('whd_3', { webhookId: 'wh_2', status: 'failed' })))
    assert.equal(await webhooks.remove('wh_2'), true)
    const all = ['whd_1', 'whd_2', 'whd_3', 'whd_4']
    assert.deepEqual(await storage.webhooks('org-b').resend(all, at(4)), [])
    assert.deepEqual([...(await webhooks.resend(all, at(4)))].sort(), ['whd_1', 'whd_2'])
    const outbox = storage.outbox.open('org-a')
    const claimed = await outbox.claim('whd_2', { token: 'u', until: at(60) }, at(4))
    assert.equal(claimed?.attempts, 1)
    const { status: _status, answer: _answer, deliveryId: _id, ...payload } = attempt('whd_2')
    assert.deepEqual(claimed.payload, payload)
    assert.deepEqual(await webhooks.resend(all, at(5)), ['whd_1'])
  },
  async 'answers about a person who is erased are forgotten, those about others are kept'(storage) {
    await withWebhooks(storage, webhook('wh_1', { events: [] }))
    const tenant = storage.tenant('org-a')
    await tenant.saveSubmission(fromA('sub-1', {}, { email: 'ada@example.com' }))
    await tenant.saveSubmission(fromA('sub-2', {}, { email: 'bea@example.com' }))
    const texts = {
      whd_1: ['new-sub-1', 'x'],
      whd_2: ['sub-1', 'x'],
      whd_3: ['other', 'Hello ADA@example.com'],
      whd_4: ['sub-2', 'bea@example.com'],
    }
    for (const [id, [subjectId = '', text = '']] of Object.entries(texts))
      assert(await tried(storage, attempt(id, { subjectId, answer: answer(2, { text }) })))
    // Another organization has the same ids, and there the person is another submission's.
    const other = storage.tenant('org-b')
    await other.upsert('contacts', [contact('new-sub-1', { email: 'cid@example.com' })])
    await other.saveSubmission(submission('sub-2', { formId: 'form-org-b' }, { email: 'cid@example.com' }))
    const store = storage.organizationStore('org-a')
    const person = {
      ...(await store.findPerson({ contactIds: ['new-sub-1'], emailKeys: [], phones: [] })),
      numbers: [],
    }
    let position: string | null = null
    do position = (await store.eraseSome(person, position)).next
    while (position !== null)
    const counts = []
    for (const id of Object.keys(texts)) {
      const found = await storage.webhooks('org-a').findDelivery(id)
      counts.push(found?.answers.length)
    }
    assert.deepEqual(counts, [0, 0, 0, 1])
  },
})
