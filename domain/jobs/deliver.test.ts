import { describe, expect, test } from 'vitest'
import type { SendResult } from '../../ports/messaging.ts'
import { form } from '../../adapters/conformance/fixtures.ts'
import { openJobBench } from '../../test/support/providers/jobs.ts'
import { toInstant } from '../text/instant.ts'
import { pauseAfter } from '../limits/waiting.ts'
import { deliver } from './deliver.ts'
import { BACKOFF } from './work.ts'
import { portWith } from '../../test/support/runner/port-with.ts'

const busy: SendResult = { kind: 'unavailable', reason: 'Busy.', throttled: false, retryAfterMs: null }
const refused: SendResult = { kind: 'refused', reason: 'No such recipient.' }

/** A bench with one submission and the first outbox entry of that submission. */
async function one(steps: readonly unknown[] = [], settings: object = {}) {
  const bench = await openJobBench(steps, settings)
  const refs = await bench.submit('sub-1', steps.length > 0 ? [] : ['office@example.com'])
  const [ref] = refs
  if (ref === undefined) throw new Error('There is no entry')
  const entry = async () =>
    (await bench.storage.outboxOf('acme')).find(({ outboxId }) => outboxId === ref.outboxId)
  const run = async () => {
    const fields = ['status', 'currentStep', 'failureReason']
    return (await bench.storage.tenant('acme').findMany('automation-runs', fields, [ref.outboxId]))[0]
  }
  return { ...bench, ref, entry, run }
}

describe('a notification', () => {
  test('is sent once, from the tenant, and recorded', async () => {
    const { world, ref, email, sends, clock } = await one()
    expect([await deliver(ref, world), await deliver(ref, world)]).toEqual(['done', 'idle'])
    expect(email.delivered.map(([key, { from, to }]) => [key, from, to])).toEqual([
      [ref.outboxId, { name: 'Acme', address: 'acme@mail.example.com' }, 'office@example.com'],
    ])
    expect(await sends()).toEqual([
      {
        sendId: ref.outboxId,
        channel: 'email',
        from: 'Acme <acme@mail.example.com>',
        to: 'office@example.com',
        providerId: `re_${ref.outboxId}`,
        outcome: 'accepted',
        error: null,
        at: toInstant(clock.nowMs()),
      },
    ])
  })

  test('comes from the service when the organization has no slug', async () => {
    const { world, ref, email } = await one([], { slug: null })
    await deliver(ref, world)
    expect(email.delivered[0]?.[1].from).toEqual({ name: 'Platform', address: 'contact@mail.example.com' })
  })

  test('that is refused is kept with its reason, and recorded as failed', async () => {
    const { world, ref, email, entry, sends, settle } = await one()
    email.answers.push(refused)
    expect(await deliver(ref, world)).toBe('failed')
    await settle()
    expect(await entry()).toMatchObject({ status: 'failed', lastError: 'No such recipient.', attempts: 1 })
    expect(await sends()).toMatchObject([
      { outcome: 'failed', error: 'No such recipient.', providerId: null },
    ])
    expect(email.delivered).toEqual([])
  })

  test('goes out without an address for replies that the provider refuses, under a key of its own', async () => {
    const { world, submit, email, sends, clock } = await openJobBench()
    const [ref] = await submit('sub-1', ['office@example.com'], { email: 'ada@nowhere.invalid' })
    if (ref === undefined) throw new Error('There is no entry')
    expect(await deliver(ref, world)).toBe('done')
    expect(email.delivered.map(([key, { to, replyTo }]) => [key, to, replyTo])).toEqual([
      [`${ref.outboxId}-without-reply-to`, 'office@example.com', null],
    ])
    expect(await sends()).toMatchObject([
      { sendId: ref.outboxId, outcome: 'accepted', at: toInstant(clock.nowMs()) },
    ])
  })

  test('with a reply address is sent once where the provider takes it, also after a try that got no answer', async () => {
    const { world, submit, email, settle } = await openJobBench()
    const [ref] = await submit('sub-1', ['office@example.com'], { email: 'ada@example.com' })
    email.answers.push(busy)
    if (ref === undefined) throw new Error('There is no entry')
    await deliver(ref, world)
    expect([email.answers, email.delivered]).toEqual([[], []])
    await settle()
    expect(email.delivered.map(([key, { replyTo }]) => [key, replyTo])).toEqual([
      [ref.outboxId, 'ada@example.com'],
    ])
  })

  test('that is refused for another reason too is tried without that address once, and kept', async () => {
    const { world, submit, email, sends } = await openJobBench()
    const [ref] = await submit('sub-1', ['office@example.com'], { email: 'ada@example.com' })
    email.answers.push(refused, refused)
    if (ref === undefined) throw new Error('There is no entry')
    expect(await deliver(ref, world)).toBe('failed')
    expect([email.answers, email.delivered]).toEqual([[], []])
    expect(await sends()).toMatchObject([{ sendId: ref.outboxId, outcome: 'failed' }])
  })

  test('is not sent once its form is unpublished, and then nothing waits of it', async () => {
    const { world, ref, email, entry, storage } = await one()
    const definition = (isPublished: boolean) => ({
      definition: { formId: 'form-1', isPublished, notificationEmails: [], fields: [] },
      isPublished,
    })
    await storage.tenant('acme').upsert('forms', [form('form-1', definition(false))])
    expect([await deliver(ref, world), email.delivered, await entry()]).toEqual(['done', [], undefined])
    // To publish it again brings nothing back.
    await storage.tenant('acme').upsert('forms', [form('form-1', definition(true))])
    expect(await deliver(ref, world)).toBe('idle')
  })

  test('is tried eight times within a day, then left to the operator, and driven again by him', async () => {
    const { world, ref, email, entry, settle, clock, storage, sends } = await one()
    email.answers.push(...Array<SendResult>(8).fill(busy))
    const startMs = clock.nowMs()
    await deliver(ref, world)
    expect(await entry()).toMatchObject({ status: 'pending', attempts: 1, lastError: 'Busy.' })
    await settle()
    expect(await entry()).toMatchObject({
      status: 'failed',
      attempts: 8,
      lastError: 'Given up: Busy.',
    })
    expect(clock.nowMs() - startMs).toBeGreaterThan(15 * 3_600_000)
    expect(clock.nowMs() - startMs).toBeLessThan(24 * 3_600_000)
    expect(await sends()).toMatchObject([{ outcome: 'failed' }])
    expect(await storage.outbox.redrive(ref.outboxId, toInstant(clock.nowMs()))).toBe('driven')
    await settle()
    expect(await entry()).toBeUndefined()
    expect(await sends()).toMatchObject([{ outcome: 'accepted', error: null }])
  })

  test('waits as long as a throttled provider asks, and that costs no attempt', async () => {
    const { world, ref, email, entry, clock, settle } = await one()
    const throttled = { ...busy, throttled: true }
    email.answers.push({ ...throttled, retryAfterMs: 300_000 }, ...Array<SendResult>(20).fill(throttled))
    expect(await deliver(ref, world)).toBe('retry')
    expect(await entry()).toMatchObject({ attempts: 0, nextAttemptAt: toInstant(clock.nowMs() + 300_000) })
    await settle()
    expect([await entry(), email.delivered.length]).toEqual([undefined, 1])
  })

  const HOUR_MS = 3_600_000
  test.each([
    ['a throttled provider that names no time', { throttled: true, retryAfterMs: null }, 60_000, 0],
    [
      'a throttled provider that asks for less than a minute',
      { throttled: true, retryAfterMs: 1_000 },
      60_000,
      0,
    ],
    [
      'a throttled provider that asks for days',
      { throttled: true, retryAfterMs: 48 * HOUR_MS },
      6 * HOUR_MS,
      0,
    ],
    ['a broken provider that asks for an hour', { throttled: false, retryAfterMs: HOUR_MS }, HOUR_MS, 1],
    [
      'a broken provider that asks for days',
      { throttled: false, retryAfterMs: 48 * HOUR_MS },
      6 * HOUR_MS,
      1,
    ],
  ])('waits at least a minute, at most six hours: %s', async (_name, asked, waitMs, attempts) => {
    const { world, ref, email, entry, clock } = await one()
    email.answers.push({ ...busy, ...asked })
    expect(await deliver(ref, world)).toBe('retry')
    expect(await entry()).toMatchObject({ attempts, nextAttemptAt: toInstant(clock.nowMs() + waitMs) })
  })

  test('waits for a provider to be configured, and says so', async () => {
    const { world, ref, entry, settle, clock } = await one()
    expect(await deliver(ref, { ...world, email: null, mail: null })).toBe('retry')
    expect(await entry()).toMatchObject({
      status: 'pending',
      attempts: 0,
      nextAttemptAt: toInstant(clock.nowMs() + 600_000),
      lastError: 'No email provider is configured.',
    })
    await settle()
    expect(await entry()).toBeUndefined()
  })
})

describe('an automation', () => {
  const tag = { type: 'add_tag', tag: 'vip' }

  test('executes its steps in order and shows how far it came', async () => {
    const welcome = { type: 'send_email', to: 'contact', subject: 'Hi', html: '<p>Hi</p>' }
    const { world, ref, email, sms, run } = await one([tag, welcome, { type: 'send_sms', body: 'Hi' }])
    expect(await deliver(ref, world)).toBe('done')
    expect(email.delivered.map(([key, { to, html }]) => [key, to, html])).toEqual([
      [`${ref.outboxId}-2`, 'ada@example.com', '<p>Hi</p>'],
    ])
    expect(sms.delivered.map(([, { from, to }]) => [from, to])).toEqual([
      [{ kind: 'number', number: '+12125550100' }, '+12125550123'],
    ])
    expect(await run()).toEqual({ status: 'completed', currentStep: 3, failureReason: null })
  })

  test.each([
    [
      'a list that does not exist',
      { type: 'add_to_list', listId: 'none' },
      {},
      'Step 2: There is no static list',
    ],
    [
      'no number of the tenant',
      { type: 'send_sms', body: 'x' },
      { smsNumber: null },
      'Step 2: The organization has no number to send SMS from.',
    ],
    [
      'no slug of the tenant',
      { type: 'send_email', to: 'contact', subject: 's', html: 'h' },
      { slug: null },
      'Step 2: The organization has no slug to send email from.',
    ],
  ])('fails at a step for good: %s', async (_, step, settings, reason) => {
    const { world, ref, run, entry } = await one([tag, step], settings)
    expect(await deliver(ref, world)).toBe('failed')
    const expected = expect.stringContaining(reason) as unknown
    expect(await run()).toEqual({ status: 'failed', currentStep: 2, failureReason: expected })
    expect(await entry()).toMatchObject({ status: 'failed', lastError: expected })
  })

  test.each([
    [tag, 'Step 1: The contact is gone.'],
    [
      { type: 'add_to_list', listId: 'list' },
      'Step 1: There is no static list of that id, or the contact is gone.',
    ],
  ])('fails when the contact of %j is removed while it runs', async (step, reason) => {
    const { world, ref, storage, run } = await one([step])
    const { outbox } = world
    const open: typeof outbox.open = (id) =>
      portWith(outbox.open(id), {
        finishStep: async (...call) => {
          await storage.database.batch([{ sql: 'delete from contacts', parameters: [] }])
          return outbox.open(id).finishStep(...call)
        },
      })
    expect(await deliver(ref, { ...world, outbox: { ...outbox, open } })).toBe('failed')
    expect(await run()).toEqual({ status: 'failed', currentStep: 1, failureReason: reason })
  })

  test('goes on from the step that could not be done', async () => {
    const mail = { type: 'send_email', to: 'boss@example.com', subject: 'S', html: 'H' }
    const { world, ref, email, run, settle } = await one([mail, mail])
    email.answers.push({ kind: 'accepted', providerId: 'x' }, busy)
    expect(await deliver(ref, world)).toBe('retry')
    expect(await run()).toEqual({ status: 'running', currentStep: 2, failureReason: null })
    await settle()
    expect(email.delivered.map(([key]) => key)).toEqual([`${ref.outboxId}-2`])
    expect(await run()).toEqual({ status: 'completed', currentStep: 2, failureReason: null })
  })

  test('sends to an international domain in its ASCII form', async () => {
    const mail = { type: 'send_email', to: 'boss@bücher.example', subject: 'S', html: 'H' }
    const { world, ref, email } = await one([mail])
    expect(await deliver(ref, world)).toBe('done')
    expect(email.delivered.map(([, { to }]) => to)).toEqual(['boss@xn--bcher-kva.example'])
  })

  test('passes over a channel that the contact has unsubscribed from, but not over other addresses', async () => {
    const to = (address: string) => ({ type: 'send_email', to: address, subject: 'S', html: 'H' })
    const bench = await openJobBench([to('contact'), to('boss@example.com'), { type: 'send_sms', body: 'x' }])
    const tenant = bench.storage.tenant('acme')
    const [ada] = await tenant.findMany('contacts', contactFields, ['ada'])
    await tenant.upsert('contacts', [{ ...ada, emailConsent: 'unsubscribed', smsConsent: 'unsubscribed' }])
    await bench.submit('sub-1', [])
    await bench.settle()
    expect(bench.email.delivered.map(([, message]) => message.to)).toEqual(['boss@example.com'])
    expect(bench.sms.delivered).toEqual([])
  })
})

const contactFields = [
  'contactId',
  'firstName',
  'lastName',
  'email',
  'emailKey',
  'phone',
  'licensePlate',
  'tags',
  'source',
  'siteId',
  'createdAt',
]

test('what is of no known kind fails at once, and says so', async () => {
  const { world, ref, entry } = await one()
  const { outbox } = world
  const open: typeof outbox.open = (id) => {
    const tenant = outbox.open(id)
    return portWith(tenant, {
      claim: async (...call) => {
        const claimed = await tenant.claim(...call)
        return claimed === null ? null : { ...claimed, kind: 'fax' }
      },
    })
  }
  expect(await deliver(ref, { ...world, outbox: { ...outbox, open } })).toBe('failed')
  expect((await entry())?.lastError).toBe('There is no work of kind fax.')
})

test('pauses double and more, and jitter only shortens them', () => {
  const longest = Array.from({ length: 7 }, (_, index) => pauseAfter(BACKOFF, index + 1, 0))
  expect(longest).toEqual([30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000])
  expect(pauseAfter(BACKOFF, 1, 1)).toBe(22_500)
})

test('work that breaks is reported, and tried again as an internal failure', async () => {
  const bench = await one([{ type: 'add_tag', tag: 'vip' }])
  const logged: unknown[] = []
  const { outbox } = bench.world
  const world: typeof bench.world = {
    ...bench.world,
    log: { info: () => undefined, error: (...line) => logged.push(line) },
    outbox: {
      ...outbox,
      open: (id) =>
        portWith(outbox.open(id), { startRun: () => Promise.reject(new Error('The disk is full')) }),
    },
  }
  expect(await deliver(bench.ref, world)).toBe('retry')
  expect(await bench.entry()).toMatchObject({
    status: 'pending',
    attempts: 1,
    lastError: 'Internal failure.',
  })
  const { outboxId } = bench.ref
  const fields = { outboxId, kind: 'automation_run' }
  expect(logged).toEqual([['outbox_attempt_broke', fields, new Error('The disk is full')]])
})

test('each attempt is a line of the log', async () => {
  const bench = await one()
  bench.email.answers.push(busy)
  const lines: unknown[] = []
  const log = { info: (...line: unknown[]) => lines.push(line), error: () => undefined }
  await deliver(bench.ref, { ...bench.world, log })
  bench.clock.advance(30_000)
  await deliver(bench.ref, { ...bench.world, log })
  const { outboxId } = bench.ref
  const entry = { outboxId, kind: 'notification_email', isHeld: true }
  expect(lines).toEqual([
    ['outbox_settled', { ...entry, attempts: 1, outcome: 'retry', reason: 'Busy.' }],
    ['outbox_settled', { ...entry, attempts: 2, outcome: 'done', reason: null }],
  ])
})

test('an automation has a hundred steps at most', async () => {
  for (const [count, status] of [
    [100, 'done'],
    [101, 'failed'],
  ] as const) {
    const { world, ref, run } = await one(Array<unknown>(count).fill({ type: 'add_tag', tag: 'vip' }))
    expect(await deliver(ref, world)).toBe(status)
    if (status === 'done') expect(await run()).toMatchObject({ status: 'completed', currentStep: 100 })
  }
})
