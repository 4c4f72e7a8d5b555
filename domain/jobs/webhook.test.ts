import { expect, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import {
  addPeople,
  openJobBench,
  type JobBench,
  type ReceivedCall,
} from '../../test/support/providers/jobs.ts'
import { fakeRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import type { WebhookSettings } from '../../ports/outbox.ts'
import { toInstant } from '../text/instant.ts'
import { sweepRetention } from '../organizations/retention.ts'
import { drawSecret, openSecret, sealSecret } from '../webhooks/signature.ts'
import { deliver, sweep } from './deliver.ts'
import type { JobWorld } from './work.ts'

const DAY_MS = 86_400_000
const owner = { organizationId: 'acme', webhookId: 'wh_1' }

/** A bench with a webhook; the secret that its receiver knows. */
async function hooked(settings: Partial<WebhookSettings> = {}) {
  const bench = await openJobBench()
  const secret = drawSecret(fakeRandom(5))
  const webhooks = bench.storage.webhooks('acme')
  await webhooks.create(
    {
      ...{ webhookId: 'wh_1', url: 'https://example.com/hook', events: ['submission.created'] },
      ...{ formIds: null, description: '', isOn: true, createdAt: toInstant(bench.clock.nowMs()) },
      secret: await sealSecret(secret, owner, await testSecrets(), fakeRandom(6)),
      ...settings,
    },
    20,
  )
  const delivery = (id = 'whd_sub-1_1') => webhooks.findDelivery(id)
  return { ...bench, secret, webhooks, delivery }
}

/** A message as the standard's library reads it. Throws when its signature does not fit. */
function verified({ body, headers }: ReceivedCall, secret: string, clock: JobBench['clock']): unknown {
  const realNow = Date.now
  Date.now = () => clock.nowMs()
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    Date.now = realNow
  }
}

const at = (ms: number) => toInstant(ms)

test('a webhook is told of a submission as the public API has it, signed by the standard', async () => {
  const { submit, world, receiver, secret, clock, delivery, storage } = await hooked()
  const happenedMs = clock.nowMs()
  const [ref] = await submit('sub-1', [])
  clock.advance(1_000)
  expect([ref?.outboxId, ref && (await deliver(ref, world))]).toEqual(['whd_sub-1_1', 'done'])
  const [call, ...more] = receiver.calls
  if (call === undefined) throw new Error('Nobody called')
  expect(more).toEqual([])
  expect(call).toMatchObject({ url: 'https://example.com/hook', redirect: 'manual' })
  expect(call.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'whd_sub-1_1' })
  expect(verified(call, secret, clock)).toEqual({
    type: 'submission.created',
    timestamp: at(happenedMs),
    data: {
      submissionId: 'sub-1',
      formId: 'form-1',
      formName: 'Form form-1',
      contactId: 'ada',
      answers: { question: 'answer' },
      attribution: {},
      source: 'headless',
      spam: false,
      submittedAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    },
  })
  expect(() => verified({ ...call, body: `${call.body} ` }, secret, clock)).toThrow('signature')
  expect(await delivery()).toMatchObject({ status: 'delivered', attempts: 1, subjectId: 'sub-1' })
  expect(await storage.outboxOf('acme')).toEqual([])
  if (ref !== undefined) expect(await deliver(ref, world)).toBe('idle')
})

test('after a rotation both secrets sign until a day is over', async () => {
  const { submit, receiver, secret, clock, webhooks, settle } = await hooked()
  const next = drawSecret(fakeRandom(9))
  const sealed = await sealSecret(next, owner, await testSecrets(), fakeRandom(10))
  await webhooks.rotate('wh_1', sealed, at(clock.nowMs() + DAY_MS), null)
  await submit('sub-1', [])
  await settle()
  clock.advance(DAY_MS)
  await submit('sub-2', [])
  await settle()
  const [both, one] = receiver.calls
  if (both === undefined || one === undefined) throw new Error('Nobody called')
  expect(both.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  clock.advance(-DAY_MS)
  for (const known of [secret, next])
    expect(verified(both, known, clock)).toMatchObject({ data: { submissionId: 'sub-1' } })
  clock.advance(DAY_MS)
  expect(verified(one, next, clock)).toMatchObject({ data: { submissionId: 'sub-2' } })
  expect(() => verified(one, secret, clock)).toThrow('signature')
})

test('a secret under the previous root secret signs, and moves to the current one', async () => {
  const { submit, receiver, secret, clock, webhooks, world } = await hooked()
  const rotated = await testSecrets(8, 7)
  const [ref] = await submit('sub-1', [])
  if (ref === undefined) throw new Error('There is no entry')
  await deliver(ref, { ...world, hooks: { ...world.hooks, secrets: async () => rotated } })
  const [call] = receiver.calls
  expect(call && verified(call, secret, clock)).toMatchObject({ type: 'submission.created' })
  const stored = (await webhooks.find('wh_1'))?.secret ?? ''
  expect(await openSecret(stored, owner, await testSecrets(8))).toEqual({ secret, isCurrent: true })
  expect(await openSecret(stored, owner, await testSecrets(7))).toBeNull()
  for (const other of [
    { ...owner, webhookId: 'wh_2' },
    { ...owner, organizationId: 'b' },
  ])
    expect(await openSecret(stored, other, rotated)).toBeNull()
  for (const odd of ['', '.', `${rotated.current.version}.`, `${rotated.current.version}.AAAA`, `${stored}A`])
    expect(await openSecret(odd, owner, rotated)).toBeNull()
})

test('a webhook that fails is tried again after 5 s without a sweep, and then later and later', async () => {
  const { submit, receiver, clock, world, delivery, storage } = await hooked()
  receiver.answers.push(...Array<() => Response>(20).fill(() => new Response('Busy.', { status: 503 })))
  const [ref] = await submit('sub-1', [])
  const triedMs: number[] = []
  const startMs = clock.nowMs()
  const waiting: JobWorld = {
    ...world,
    deadline: {
      // Whoever waits finds the time passed.
      after: (ms) => {
        if (ms < 6_000) clock.advance(ms)
        return AbortSignal.timeout(ms < 6_000 ? 0 : 1_000)
      },
    },
    hooks: {
      ...world.hooks,
      fetch: (url, init) => {
        triedMs.push(clock.nowMs() - startMs)
        return receiver.fetch(url, init)
      },
    },
  }
  if (ref === undefined) throw new Error('There is no entry')
  expect(await deliver(ref, waiting)).toBe('retry')
  expect(triedMs).toEqual([0, 5_050])
  for (
    let next = await storage.outboxOf('acme');
    next[0] !== undefined;
    next = await storage.outboxOf('acme')
  ) {
    clock.advance(Date.parse(next[0].nextAttemptAt) - clock.nowMs())
    await sweep(waiting)
  }
  const pausesMs = triedMs.slice(2).map((ms, index) => ms - (triedMs[index + 1] ?? 0))
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3_600_000)
  expect(pausesMs).toEqual([300_000, 1_800_000, ...hours])
  expect(await delivery()).toMatchObject({ status: 'failed', attempts: 10 })
  expect((await delivery())?.answers.at(-1)).toEqual({
    at: at(startMs + (triedMs.at(-1) ?? 0)),
    ...{ status: 503, durationMs: 0, text: 'Busy.', reason: 'It answered 503.' },
  })
})

test('where the service itself fails, a delivery keeps to the pauses of webhooks', async () => {
  const { submit, clock, world, storage } = await hooked()
  const broken: JobWorld = {
    ...world,
    hooks: { ...world.hooks, secrets: () => Promise.reject(new Error('The storage is away')) },
  }
  await submit('sub-1', [])
  const pausesMs: number[] = []
  for (let attempt = 0; attempt < 9; attempt += 1) {
    const [before] = await storage.outboxOf('acme')
    clock.advance(Math.max(0, Date.parse(before?.nextAttemptAt ?? '') - clock.nowMs()))
    await sweep(broken)
    const [after] = await storage.outboxOf('acme')
    expect(after).toMatchObject({ status: 'pending', lastError: 'Internal failure.' })
    pausesMs.push(Date.parse(after?.nextAttemptAt ?? '') - clock.nowMs())
    // A sweep waits for a pause of seconds itself.
    if (after?.attempts === 9) break
  }
  expect(pausesMs.at(-1)).toBe(DAY_MS)
  clock.advance(DAY_MS)
  await sweep(broken)
  expect((await storage.outboxOf('acme'))[0]).toMatchObject({ status: 'failed', attempts: 10 })
})

test.each([
  ['30', 300_000],
  ['3600', 3_600_000],
  ['999999999', DAY_MS],
  ['nonsense', 300_000],
])('Retry-After: %s is obeyed where it is longer', async (header, pauseMs) => {
  const { submit, receiver, clock, settle, storage, world } = await hooked()
  const [ref] = await submit('sub-1', [])
  receiver.answers.push(
    () => new Response(null, { status: 500 }),
    () => new Response(null, { status: 429, headers: { 'retry-after': header } }),
  )
  if (ref === undefined) throw new Error('There is no entry')
  await deliver(ref, world)
  clock.advance(5_000)
  await deliver(ref, world)
  const [entry] = await storage.outboxOf('acme')
  expect(Date.parse(entry?.nextAttemptAt ?? '') - clock.nowMs()).toBe(pauseMs)
  await settle()
  expect(receiver.calls).toHaveLength(3)
})

test.each([
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://10.0.0.1' } }), 302],
  ['a refusal', () => new Response('no', { status: 404 }), 404],
  [
    'no answer',
    () => {
      throw new TypeError('fetch failed: connect ECONNREFUSED 1.2.3.4')
    },
    null,
  ],
  ['an answer that never comes', () => new Promise<Response>((resolve) => setTimeout(resolve, 60)), null],
])(
  '%s is no success; what came of it is kept, without the words of the platform',
  async (_name, answer, status) => {
    const { submit, receiver, world, delivery } = await hooked()
    receiver.answers.push(answer)
    const [ref] = await submit('sub-1', [])
    if (ref === undefined) throw new Error('There is no entry')
    expect(await deliver(ref, world)).toBe('retry')
    expect(receiver.calls).toHaveLength(1)
    const kept = await delivery()
    expect(kept).toMatchObject({ status: 'waiting', answers: [{ status }] })
    expect(JSON.stringify(kept)).not.toContain('1.2.3.4')
  },
)

test('of an answer the first KiB is kept, and one that never ends or breaks off is a success all the same', async () => {
  const { submit, receiver, world, webhooks } = await hooked()
  const pulling = (pull: (controller: ReadableStreamDefaultController) => void) => () =>
    new Response(new ReadableStream({ pull }))
  const bytes = new TextEncoder().encode('é'.repeat(400))
  receiver.answers.push(
    pulling((controller) => {
      controller.enqueue(bytes)
    }),
    pulling(() => undefined),
    pulling((controller) => {
      controller.error(new Error('broken off'))
    }),
    () => new Response(new Uint8Array([0xff, 0x00, 0x41])),
  )
  const lengths: unknown[] = []
  for (const id of ['sub-1', 'sub-2', 'sub-3', 'sub-4']) {
    const [ref] = await submit(id, [])
    expect(ref && (await deliver(ref, world))).toBe('done')
    const found = await webhooks.findDelivery(`whd_${id}_1`)
    lengths.push(found?.answers.map(({ text }) => text))
  }
  expect(lengths).toEqual([['é'.repeat(512)], [''], [''], ['\ufffd\u0000A']])
})

test('a sweep tells two webhooks at once at most, and sends mail meanwhile', async () => {
  const { submit, world, email, receiver } = await hooked()
  for (let index = 0; index < 8; index += 1) await submit(`sub-${index}`, [])
  await submit('sub-8', ['office@example.com'])
  let [open, most, mailsBefore] = [0, 0, -1]
  const answer = async () => {
    open += 1
    most = Math.max(most, open)
    await new Promise((resolve) => setTimeout(resolve, 5))
    open -= 1
    mailsBefore = Math.max(mailsBefore, email.delivered.length)
    return new Response(null, { status: 204 })
  }
  receiver.answers.push(...Array<typeof answer>(8).fill(answer))
  await sweep(world)
  expect([receiver.calls.length, most, mailsBefore]).toEqual([9, 2, 1])
})

test('owners of the organization and admins of the service are told that a webhook was switched off, once, and nobody else is', async () => {
  const { submit, receiver, email, storage, world, settle, sends } = await hooked()
  await addPeople(
    storage,
    ['ada@example.com', 'acme', 'owner'],
    ['kim@example.com', 'acme', 'member'],
    ['eve@example.com', 'other', 'owner'],
    ['root@example.com', null, 'admin'],
    ['help@example.com', null, 'support'],
  )
  receiver.answers.push(() => new Response(null, { status: 410 }))
  await submit('sub-1', [])
  await submit('sub-2', [])
  await settle(world)
  expect(email.delivered.map(([, { to, subject }]) => [to, subject])).toEqual([
    ['ada@example.com', 'A webhook of Acme was switched off'],
    ['root@example.com', 'A webhook of Acme was switched off'],
  ])
  expect(email.delivered[0]?.[1]).toMatchObject({ isAutomatic: true, replyTo: null })
  expect(email.delivered[0]?.[1].text).toContain('https://example.com/hook')
  expect((await sends()).map(({ to, outcome }) => [to, outcome]).sort()).toEqual([
    ['ada@example.com', 'accepted'],
    ['an admin of the service', 'accepted'],
  ])
  expect(await storage.outboxOf('acme')).toEqual([])
})

test.each([
  ['dies before what it did is written', () => Promise.reject(new Error('Dead'))],
  ['has lost the entry meanwhile', () => Promise.resolve(false)],
])('that a webhook was switched off is told once, also when whoever did it %s', async (_how, settle) => {
  const bench = await hooked()
  const { submit, receiver, email, storage, world, clock, errors, webhooks } = bench
  await addPeople(storage, ['ada@example.com', 'acme', 'owner'])
  const told = () => email.delivered.map(([, { to, subject }]) => [to, subject])
  // One that is tried again on the next day (UTC), when the webhook is off.
  clock.advance(DAY_MS - (clock.nowMs() % DAY_MS) - 2_000)
  receiver.answers.push(() => new Response(null, { status: 500 }))
  const [waiting] = await submit('sub-1', [])
  await deliver(waiting ?? { organizationId: '', outboxId: '' }, world)
  receiver.answers.push(() => new Response(null, { status: 410 }))
  const [ref = { organizationId: '', outboxId: '' }] = await submit('sub-2', [])
  const open: JobWorld['outbox']['open'] = (id) =>
    new Proxy(storage.outbox.open(id), {
      get: (own, name) => (name === 'settle' ? settle : (Reflect.get(own, name) as unknown)),
    })
  await deliver(ref, { ...world, outbox: { ...world.outbox, open } }).catch(() => undefined)
  expect([await webhooks.find('wh_1'), told()]).toMatchObject([{ isOn: false, offReason: 'gone' }, []])
  await bench.settle()
  expect(told()).toEqual([['ada@example.com', 'A webhook of Acme was switched off']])
  expect(errors).toEqual(['webhook_switched_off'])
  expect(await storage.outboxOf('acme')).toEqual([])
  expect([await bench.delivery(), await bench.delivery('whd_sub-2_1')]).toMatchObject([
    { status: 'dropped' },
    { status: 'dropped' },
  ])
  // Somebody who switches it off is told nothing of it.
  await webhooks.update('wh_1', { isOn: true }, null)
  await submit('sub-3', [])
  await webhooks.update('wh_1', { isOn: false }, null)
  await bench.settle()
  expect(told()).toHaveLength(1)
})

test('what is dropped on the next day tells nobody again that the webhook was switched off', async () => {
  const { submit, receiver, email, storage, clock, settle, delivery, world } = await hooked()
  await addPeople(storage, ['ada@example.com', 'acme', 'owner'])
  clock.advance(DAY_MS - (clock.nowMs() % DAY_MS) - 3_600_000)
  const headers = { 'retry-after': '7200' }
  receiver.answers.push(() => new Response(null, { status: 503, headers }))
  await submit('sub-1', [])
  await sweep(world)
  receiver.answers.push(() => new Response(null, { status: 410 }))
  await submit('sub-2', [])
  const switchedOffAt = at(clock.nowMs()).slice(0, 10)
  await settle()
  expect(at(clock.nowMs()).slice(0, 10) > switchedOffAt).toBe(true)
  expect([receiver.calls.length, await delivery()]).toMatchObject([2, { status: 'dropped' }])
  expect(email.delivered.map(([, { to }]) => to)).toEqual(['ada@example.com'])
})

test('410 switches a webhook off; what waits is dropped, and can be sent when it is on again', async () => {
  const { submit, receiver, settle, webhooks, delivery, errors, storage, world } = await hooked()
  receiver.answers.push(() => new Response(null, { status: 410 }))
  const [ref] = await submit('sub-1', [])
  await submit('sub-2', [])
  expect(ref && (await deliver(ref, world))).toBe('done')
  await settle()
  expect(receiver.calls).toHaveLength(1)
  expect(await webhooks.find('wh_1')).toMatchObject({ isOn: false, offReason: 'gone' })
  expect(errors).toEqual(['webhook_switched_off'])
  const both = [await delivery(), await delivery('whd_sub-2_1')].map((one) => one?.status).sort()
  expect(both).toEqual(['dropped', 'failed'])
  await submit('sub-3', [])
  expect(await storage.outboxOf('acme')).toEqual([])
  await webhooks.update('wh_1', { isOn: true }, null)
  await webhooks.resend(['whd_sub-1_1', 'whd_sub-2_1'], toInstant(0))
  await settle()
  expect(
    receiver.calls
      .slice(1)
      .map(({ headers }) => headers['webhook-id'])
      .sort(),
  ).toEqual(['whd_sub-1_1', 'whd_sub-2_1'])
})

test('a webhook that has not succeeded for five days is switched off without another event, and owners are told once', async () => {
  const { submit, receiver, clock, settle, webhooks, errors, email, storage, world } = await hooked()
  await addPeople(storage, ['ada@example.com', 'acme', 'owner'])
  const retention = storage.retentionDirectory
  receiver.answers.push(...Array<() => Response>(500).fill(() => new Response(null, { status: 500 })))
  await submit('sub-1', [])
  await sweep(world)
  const failingMs = Date.parse((await webhooks.find('wh_1'))?.failingSince ?? '')
  await settle()
  expect(await retention.nextDue()).toBe(at(failingMs + 5 * DAY_MS))
  for (const [ms, isOn] of [
    [-1, true],
    [0, false],
    [60_000, false],
  ] as const) {
    clock.advance(failingMs + 5 * DAY_MS + ms - clock.nowMs())
    await sweepRetention({ ...world, retention })
    expect(await webhooks.find('wh_1')).toMatchObject({ isOn })
  }
  await settle()
  expect(await webhooks.find('wh_1')).toMatchObject({ isOn: false, offReason: 'failing' })
  expect(errors).toEqual(['webhook_switched_off'])
  expect(email.delivered.map(([, { to, subject }]) => [to, subject])).toEqual([
    ['ada@example.com', 'A webhook of Acme was switched off'],
  ])
  await webhooks.update('wh_1', { isOn: true }, null)
  expect(await webhooks.find('wh_1')).toMatchObject({ offReason: null, failingSince: null })
})

test('what failed and was deleted before it was tried again does not switch it off', async () => {
  const { submit, receiver, clock, settle, webhooks, storage, world } = await hooked()
  const retention = storage.retentionDirectory
  receiver.answers.push(() => new Response(null, { status: 500 }))
  await submit('sub-1', [])
  await sweep(world)
  expect((await webhooks.find('wh_1'))?.failingSince).not.toBeNull()
  await storage.organizationStore('acme').removeRows('form-submissions', [['sub-1']])
  clock.advance(5 * DAY_MS)
  await settle()
  await sweepRetention({ ...world, retention })
  expect(await webhooks.find('wh_1')).toMatchObject({ isOn: true, failingSince: null })
  expect(receiver.calls).toHaveLength(1)
})

test('a success in between keeps it on', async () => {
  const { submit, receiver, clock, settle, webhooks, world, storage } = await hooked()
  for (let day = 0; day < 8; day += 1) {
    receiver.answers.push(() => new Response(null, { status: 500 }))
    await submit(`sub-${day}`, [])
    clock.advance(DAY_MS - 60_000)
    await settle()
    await sweepRetention({ ...world, retention: storage.retentionDirectory })
  }
  expect(await webhooks.find('wh_1')).toMatchObject({ isOn: true, offReason: null })
})

test('an address that may not be called is not, whatever is stored', async () => {
  const { submit, receiver, world, delivery } = await hooked({ url: 'https://169.254.169.254/' })
  const [ref] = await submit('sub-1', [])
  expect(ref && (await deliver(ref, world))).toBe('retry')
  expect(receiver.calls).toEqual([])
  expect((await delivery())?.answers[0]?.reason).toMatch(/^The URL must be the address of a server/)
})

test('a payload that would be too large names the row alone', async () => {
  const { submit, receiver, settle } = await hooked()
  await submit('sub-1', [], { question: 'ü'.repeat(131_072) })
  await submit('sub-2', [], { question: 'u'.repeat(250_000) })
  await settle()
  const sent = receiver.calls.map(({ body }) => (JSON.parse(body) as { data: object }).data)
  expect(sent).toContainEqual({ submissionId: 'sub-1' })
  expect(sent.map((data) => Object.keys(data).length).sort()).toEqual([1, 10])
})

test('a contact is told of as it is when it is sent, without a word about who was erased', async () => {
  const { submit, receiver, settle, storage } = await hooked({
    events: ['contact.created', 'contact.updated', 'contact.removed'],
  })
  await submit('sub-1', [], { email: 'new@example.com' })
  await submit('sub-2', [], { email: 'gone@example.com' })
  const store = storage.organizationStore('acme')
  const named = { contactIds: ['new-sub-2'], emailKeys: [], phones: [] }
  const person = { ...(await store.findPerson(named)), numbers: [] }
  let position: string | null = null
  do position = (await store.eraseSome(person, position)).next
  while (position !== null)
  await settle()
  const sent = receiver.calls
    .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .map(({ type, data }) => [type, data.contactId, data.email, Object.keys(data).length])
  expect(sent).toHaveLength(2)
  expect(sent).toContainEqual(['contact.created', 'new-sub-1', 'new@example.com', 14])
  expect(sent).toContainEqual(['contact.removed', 'new-sub-2', undefined, 1])
  expect(receiver.calls.map(({ body }) => body).join()).not.toContain('gone@example.com')
})

test('what was deleted before it was sent is dropped; a webhook that is deleted meanwhile gets nothing', async () => {
  const { submit, receiver, settle, storage, delivery, webhooks } = await hooked()
  await submit('sub-1', [])
  await webhooks.resend([], toInstant(0))
  await storage.tenant('acme').upsert('forms', [])
  const event = {
    deliveryId: 'whd_x',
    webhookId: 'wh_1',
    event: 'contact.created',
    subjectId: 'nobody',
    at: toInstant(0),
  }
  await webhooks.announce(event, toInstant(0))
  await webhooks.announce({ ...event, deliveryId: 'whd_y', event: 'unknown.word' }, toInstant(0))
  await settle()
  expect([(await delivery('whd_x'))?.status, (await delivery('whd_y'))?.status]).toEqual([
    'dropped',
    'dropped',
  ])
  expect(receiver.calls).toHaveLength(1)
  await submit('sub-2', [])
  await webhooks.remove('wh_1')
  await settle()
  expect(receiver.calls).toHaveLength(1)
})

test('a test reaches a webhook that is off', async () => {
  const { receiver, settle, webhooks } = await hooked({ isOn: false })
  const event = { deliveryId: 'whd_t', webhookId: 'wh_1', event: 'test', subjectId: 'wh_1', at: toInstant(0) }
  await webhooks.announce(event, toInstant(0))
  await settle()
  expect(receiver.calls.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { type: 'test', timestamp: toInstant(0), data: { webhookId: 'acme:wh_1' } },
  ])
})

test('a webhook without a readable secret is not called', async () => {
  const { receiver, submit, world, delivery } = await hooked()
  const [ref] = await submit('sub-1', [])
  const hooks = { ...world.hooks, secrets: () => testSecrets(99) }
  expect(ref && (await deliver(ref, { ...world, hooks }))).toBe('retry')
  expect(receiver.calls).toEqual([])
  expect((await delivery())?.answers[0]?.reason).toMatch(/Rotate it/)
})

test('an answer that arrives when its person was erased is kept without its text', async () => {
  const { submit, receiver, storage, world, delivery, webhooks } = await hooked({
    events: ['submission.created', 'contact.updated'],
  })
  const erase = async () => {
    const store = storage.organizationStore('acme')
    const found = await store.findPerson({ contactIds: ['ada'], emailKeys: [], phones: [] })
    let position: string | null = null
    do position = (await store.eraseSome({ ...found, numbers: [] }, position)).next
    while (position !== null)
  }
  const echo = () => new Response(receiver.calls.at(-1)?.body ?? '', { status: 500 })
  const [ref] = await submit('sub-1', [], { question: 'Ada asks', email: 'ada@example.com' })
  if (ref === undefined) throw new Error('There is no entry')
  receiver.answers.push(echo)
  await deliver(ref, world)
  expect((await delivery())?.answers.at(-1)?.text).toContain('Ada asks')

  await webhooks.announce(
    {
      ...{ deliveryId: 'whd_2', webhookId: 'wh_1', event: 'contact.updated' },
      ...{ subjectId: 'ada', at: at(world.clock.nowMs()) },
    },
    at(world.clock.nowMs()),
  )
  receiver.answers.push(async () => {
    await erase()
    return echo()
  })
  await deliver({ organizationId: 'acme', outboxId: 'whd_2' }, world)
  expect(receiver.calls.at(-1)?.body).toContain('ada@example.com')
  expect((await delivery('whd_2'))?.answers.at(-1)).toMatchObject({ status: 500, text: '' })
  expect((await delivery())?.answers).toEqual([])
})
