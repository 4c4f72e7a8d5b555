import { describe, expect, test } from 'vitest'
import { form } from '../../adapters/conformance/fixtures.ts'
import { openJobBench, type JobBench } from '../../test/support/providers/jobs.ts'
import type { EmailSender, SendResult } from '../../ports/messaging.ts'
import { toInstant } from '../text/instant.ts'
import { deliver, sweep } from './deliver.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const mail = { type: 'send_email', to: 'contact', subject: 'S', html: 'H' }
const text = { type: 'send_sms', body: 'x' }
const lost: SendResult = {
  kind: 'unavailable',
  reason: 'No answer.',
  throttled: false,
  retryAfterMs: null,
}

/** Saves and works off submissions, a second apart. */
async function submitted(bench: JobBench, count: number, first = 1): Promise<void> {
  for (let number = first; number < first + count; number += 1) {
    for (const ref of await bench.submit(`sub-${number}`, [])) await deliver(ref, bench.world)
    bench.clock.advance(1000)
  }
}

/** Fires the cron trigger at once, and then once a minute for so long. */
async function swept({ clock, world }: JobBench, durationMs: number): Promise<number> {
  let worked = 0
  for (let passedMs = 0; passedMs <= durationMs; passedMs += MINUTE_MS) {
    worked += (await sweep(world)).worked
    clock.advance(MINUTE_MS)
  }
  return worked
}

/** The submissions whose messages were delivered, in order. */
function delivered({ email, sms }: JobBench): readonly string[] {
  return [...email.delivered, ...sms.delivered].map(([key]) => /^run_(.*)_1-1$/.exec(key)?.[1] ?? key)
}

const waiting = async ({ storage }: JobBench) =>
  (await storage.outboxOf('acme')).filter(({ status }) => status === 'pending')

test.each([
  ['email', mail],
  ['text messages', text],
  ['email to an address of the automation', { ...mail, to: 'Boss@EXAMPLE.com' }],
])('one recipient gets five a day: %s', async (_, step) => {
  const bench = await openJobBench([step])
  await submitted(bench, 12)
  expect(delivered(bench)).toEqual(['sub-1', 'sub-2', 'sub-3', 'sub-4', 'sub-5'])
  expect(await waiting(bench)).toHaveLength(7)
  expect((await waiting(bench))[0]).toMatchObject({
    outboxId: 'run_sub-6_1',
    attempts: 0,
    nextAttemptAt: toInstant(bench.clock.nowMs() - 12_000 + DAY_MS),
    lastError: 'Step 1: Waits: automations send at most 5 messages a day to one recipient.',
  })
  // Whoever waits is not tried before its time: the sweep finds nothing to do.
  expect(await swept(bench, 23 * HOUR_MS)).toBe(0)
  expect(await swept(bench, 2 * HOUR_MS)).toBe(5)
  expect(delivered(bench).slice(5)).toEqual(['sub-6', 'sub-7', 'sub-8', 'sub-9', 'sub-10'])
  await bench.settle()
  expect(delivered(bench).slice(10)).toEqual(['sub-11', 'sub-12'])
  expect(await bench.sends()).toHaveLength(12)
})

test('notifications are not bounded, and do not count', async () => {
  const bench = await openJobBench([mail])
  for (let number = 1; number <= 8; number += 1) await bench.submit(`sub-${number}`, ['ada@example.com'])
  await sweep(bench.world)
  expect(bench.email.delivered).toHaveLength(8 + 5)
  expect(await waiting(bench)).toHaveLength(3)
})

test('an organization sends so many an hour, to whomever', async () => {
  const bench = await openJobBench([mail], { automationHourly: 3 })
  for (let number = 1; number <= 8; number += 1)
    await bench.submit(`sub-${number}`, [], { email: `guest-${number}@example.com` })
  await sweep(bench.world)
  expect(delivered(bench)).toHaveLength(3)
  expect((await waiting(bench)).map(({ lastError }) => lastError)).toEqual(
    Array(5).fill("Step 1: Waits: the organization's automations send at most 3 messages an hour."),
  )
  expect(await swept(bench, HOUR_MS - 2 * MINUTE_MS)).toBe(0)
  await swept(bench, 3 * MINUTE_MS)
  expect(delivered(bench)).toHaveLength(6)
  await bench.settle()
  expect(delivered(bench)).toHaveLength(8)
})

test('a message that waits for three days fails, and is tried again when an operator asks for it', async () => {
  const bench = await openJobBench([mail])
  await submitted(bench, 30)
  await swept(bench, 3 * DAY_MS - 5 * MINUTE_MS)
  expect(delivered(bench)).toHaveLength(15)
  expect(await waiting(bench)).toHaveLength(15)
  await swept(bench, 10 * MINUTE_MS)
  const failed = (await bench.storage.outboxOf('acme')).filter(({ status }) => status === 'failed')
  expect(failed).toHaveLength(15)
  expect(new Set(failed.map(({ lastError }) => lastError))).toEqual(
    new Set([
      'Step 1: Given up after 3 days: automations send at most 5 messages a day to one recipient, and 500 an hour in all.',
    ]),
  )
  const runs = async () => {
    const ids = failed.map(({ outboxId }) => outboxId)
    const found = await bench.storage.tenant('acme').findMany('automation-runs', ['status'], ids)
    return found.map(({ status }) => status).sort()
  }
  expect(await runs()).toEqual(Array(15).fill('failed'))
  for (const { outboxId } of failed)
    expect(await bench.storage.outbox.redrive(outboxId, toInstant(bench.clock.nowMs()))).toBe('driven')
  await swept(bench, 0)
  expect(await runs()).toEqual([...Array<string>(5).fill('completed'), ...Array<string>(10).fill('running')])
  await swept(bench, 2 * DAY_MS + HOUR_MS)
  expect(await runs()).toEqual(Array(15).fill('completed'))
})

test('a text message counts with each attempt that may have reached its recipient, an email once', async () => {
  const texts = await openJobBench([text])
  texts.sms.answers.push(lost, { ...lost, throttled: true }, lost, lost, lost, lost)
  await texts.submit('sub-1', [])
  await swept(texts, 23 * HOUR_MS)
  expect([delivered(texts), (await waiting(texts))[0]?.lastError]).toEqual([
    [],
    'Step 1: Waits: automations send at most 5 messages a day to one recipient.',
  ])
  await swept(texts, 2 * HOUR_MS)
  expect(delivered(texts)).toEqual(['sub-1'])

  const emails = await openJobBench([mail])
  emails.email.answers.push(lost, lost, lost, lost)
  await submitted(emails, 1)
  await swept(emails, 3 * HOUR_MS)
  await submitted(emails, 5, 2)
  expect(delivered(emails)).toHaveLength(5)
  expect(await waiting(emails)).toHaveLength(1)
})

test('a step that waits does not repeat the ones before it, and each step may wait for as long', async () => {
  const bench = await openJobBench([{ type: 'add_tag', tag: 'vip' }, ...Array<object>(22).fill(mail)])
  await submitted(bench, 1)
  for (const sent of [5, 10, 15, 20, 22]) {
    expect(bench.email.delivered).toHaveLength(sent)
    bench.clock.advance(DAY_MS)
    await sweep(bench.world)
  }
  expect(await bench.storage.outboxOf('acme')).toEqual([])
})

test('a message for which there is no provider uses up no place', async () => {
  const bench = await openJobBench([mail])
  const [ref] = await bench.submit('sub-1', [])
  if (ref === undefined) throw new Error('There is no entry')
  for (let round = 0; round < 9; round += 1) {
    expect(await deliver(ref, { ...bench.world, email: null, mail: null })).toBe('retry')
    bench.clock.advance(HOUR_MS)
  }
  expect(await deliver(ref, bench.world)).toBe('done')
  await submitted(bench, 4, 2)
  expect(delivered(bench)).toHaveLength(5)
})

describe('answers in messages', () => {
  const asks = {
    type: 'send_email',
    to: 'contact',
    subject: 'Hi {{question}}',
    html: '<p>{{ question }}</p>{{email}}',
  }
  const tells = { type: 'send_sms', body: 'Thanks, {{question}}!' }
  const given = { question: 'A <b>\r\nBcc: x', email: 'ada@example.com' }

  test('are those of the submission, written as each part needs it', async () => {
    const bench = await openJobBench([asks, tells])
    await bench.submit('sub-1', [], given)
    await bench.settle()
    expect(bench.email.delivered.map(([, { subject, html }]) => [subject, html])).toEqual([
      ['Hi A <b> Bcc: x', '<p>A &lt;b&gt;<br>Bcc: x</p>ada@example.com'],
    ])
    expect(bench.sms.delivered.map(([, { body }]) => body)).toEqual(['Thanks, A <b>\nBcc: x!'])
    const [run] = await bench.storage.tenant('acme').findMany('automation-runs', ['steps'], ['run_sub-1_1'])
    expect(run?.steps).toEqual([asks, tells])
  })

  test('yes and no are in the language of the form', async () => {
    const bench = await openJobBench([{ type: 'send_sms', body: '{{agreed}} {{other}}' }])
    const answers = { agreed: true, other: false }
    await bench.submit('sub-1', [], {}, { answers })
    const fields = Object.keys(answers).map((id) => ({ id, type: 'boolean', label: id }))
    const save = (more: object) =>
      bench.storage
        .tenant('acme')
        .upsert('forms', [form('form-1', { definition: { formId: 'form-1', fields, ...more } })])
    await save({ language: 'fr', texts: { no: 'Pas du tout' } })
    await bench.settle()
    expect(bench.sms.delivered.map(([, { body }]) => body)).toEqual(['Oui Pas du tout'])
  })

  test('are empty when the form has the field no longer; an empty subject is the name of the organization', async () => {
    const bench = await openJobBench([{ ...asks, subject: '{{question}}' }])
    await bench.submit('sub-1', [], given)
    const tenant = bench.storage.tenant('acme')
    const definition = { formId: 'form-1', fields: [{ id: 'email', type: 'email', label: 'Email' }] }
    await tenant.upsert('forms', [form('form-1', { definition })])
    await bench.settle()
    expect(bench.email.delivered.map(([, { subject, html }]) => [subject, html])).toEqual([
      ['Acme', '<p></p>ada@example.com'],
    ])
  })

  test('fields may have any id, also one with braces', async () => {
    const bench = await openJobBench([{ type: 'send_sms', body: '{{a{b}} {{ }}}} {{toString}}' }])
    await bench.submit('sub-1', [], { 'a{b': '1', '}}': '2', toString: '3' })
    const ids = ['a{b', '}}', 'toString', 'email']
    const fields = ids.map((id) => ({ id, type: 'short_text', label: id }))
    await bench.storage
      .tenant('acme')
      .upsert('forms', [form('form-1', { definition: { formId: 'form-1', fields } })])
    await bench.settle()
    expect(bench.sms.delivered.map(([, { body }]) => body)).toEqual(['1 2 3'])
  })

  test('a message of which nothing is left is not sent, and the steps after it are done', async () => {
    const bench = await openJobBench([
      { type: 'send_sms', body: ' {{email}}' },
      { ...asks, html: '{{email}}\n' },
      tells,
    ])
    await bench.submit('sub-1', [])
    await bench.settle()
    expect(bench.email.delivered).toEqual([])
    expect(bench.sms.delivered.map(([, { body }]) => body)).toEqual(['Thanks, answer!'])
  })

  test('nothing of a submission goes out once it is gone or erased, whenever that was', async () => {
    const boss = { ...asks, to: 'boss@example.com' }
    const erase = "update form_submissions set answers = '{}', typed = null, updated_at = updated_at"
    for (const [change, expected] of [
      ['delete from form_submissions', []],
      [erase, [['Hi ', '<p></p>']]],
    ] as const) {
      const bench = await openJobBench([boss])
      await bench.submit('sub-1', [], given)
      await (await bench.storage.databaseOf('acme')).batch([{ sql: change, parameters: [] }])
      await bench.settle()
      expect(bench.email.delivered.map(([, { subject, html }]) => [subject, html])).toEqual(expected)
    }
    // While the first message was on its way.
    const bench = await openJobBench([boss, boss])
    const [ref] = await bench.submit('sub-1', [], given)
    if (ref === undefined) throw new Error('There is no entry')
    const email: EmailSender = {
      ...bench.email.sender,
      send: async (...call) => {
        await (await bench.storage.databaseOf('acme')).batch([{ sql: erase, parameters: [] }])
        return bench.email.sender.send(...call)
      },
    }
    expect(await deliver(ref, { ...bench.world, email })).toBe('done')
    expect(bench.email.delivered.map(([, { subject }]) => subject)).toEqual(['Hi A <b> Bcc: x', 'Hi '])
  })
})
