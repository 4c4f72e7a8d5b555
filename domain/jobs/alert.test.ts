import { describe, expect, test } from 'vitest'
import { addPeople, openJobBench } from '../../test/support/providers/jobs.ts'
import type { EmailSender, SendResult } from '../../ports/messaging.ts'
import { alertAbout } from './alert.ts'
import { sweep } from './deliver.ts'

const DAY_MS = 86_400_000
const REFUSED: SendResult = { kind: 'refused', reason: 'The provider refused the message.' }
const DOWN: SendResult = {
  ...{ kind: 'unavailable', reason: 'The provider did not answer.' },
  ...{ throttled: false, retryAfterMs: null },
}

async function bench(steps: readonly unknown[] = []) {
  const made = await openJobBench(steps)
  await addPeople(
    made.storage,
    ['owner@acme.example', 'acme', 'owner'],
    ['member@acme.example', 'acme', 'member'],
    ['owner@other.example', 'other', 'owner'],
    ['root@service.example', null, 'admin'],
    ['owner@acme.example', null, 'admin'],
  )
  const told = () =>
    made.email.delivered.filter(([key]) => key.startsWith('alr_')).map(([, { to, subject }]) => [to, subject])
  return { ...made, told }
}

const NOTIFIED = [
  ['owner@acme.example', 'Notifications of Acme failed'],
  ['root@service.example', 'Notifications of Acme failed'],
]

test('who answers for an organization is told once a day that notifications fail, and nothing of a visitor', async () => {
  const { email, submit, settle, told, clock, storage, sends } = await bench()
  email.answers.push(REFUSED)
  await submit('sub-1', ['staff@acme.example'], { question: 'My secret answer' })
  await settle()
  expect(told()).toEqual(NOTIFIED)
  const [, message] = email.delivered.find(([key]) => key.startsWith('alr_')) ?? []
  expect(message).toMatchObject({ isAutomatic: true, replyTo: null, attachments: [] })
  expect(message?.text).toContain(
    'form "Form form-1" of Acme could not be delivered. The provider refused the message.',
  )
  expect(message?.text).toContain('outbox summary --org acme')
  expect(JSON.stringify(message)).not.toMatch(/secret answer|staff@|ada@/)
  // A hundred more of that day cause none.
  for (let index = 0; index < 100; index += 1) {
    email.answers.push(REFUSED)
    await submit(`more-${index}`, ['staff@acme.example'])
    await settle()
  }
  expect(told()).toEqual(NOTIFIED)
  clock.advance(DAY_MS)
  email.answers.push(REFUSED, REFUSED)
  await submit('next-1', ['staff@acme.example', 'other@acme.example'])
  await settle()
  expect(told()).toEqual([...NOTIFIED, ...NOTIFIED])
  // An owner may read the log of sends in an archive, which does not name who runs the service.
  expect(JSON.stringify(await sends())).not.toContain('root@service.example')
  expect(
    (await storage.outboxOf('acme')).every(
      ({ kind, status }) => kind === 'notification_email' && status === 'failed',
    ),
  ).toBe(true)
})

test('an automation and a notification are told of apart; a text message and a gone submission are not', async () => {
  const { email, sms, submit, settle, told } = await bench([
    { type: 'send_email', to: 'contact', subject: 'Hi', html: '<p>Hi</p>' },
  ])
  email.answers.push(REFUSED, REFUSED)
  await submit('sub-1', ['staff@acme.example'])
  await settle()
  expect(told().toSorted()).toEqual(
    [
      ['owner@acme.example', 'Automatic emails of Acme failed'],
      ...NOTIFIED,
      ['root@service.example', 'Automatic emails of Acme failed'],
    ].toSorted(),
  )
  const texts = await bench([{ type: 'send_sms', body: 'Hi' }])
  texts.sms.answers.push(REFUSED)
  await texts.submit('sub-1', [])
  await texts.settle()
  expect([texts.told(), sms.delivered]).toEqual([[], []])
})

test('attempts that are used up are told of when the provider answers again', async () => {
  const { email, submit, settle, told, storage } = await bench()
  email.answers.push(...Array<SendResult>(8).fill(DOWN))
  await submit('sub-1', ['staff@acme.example'])
  await settle()
  expect(told()).toEqual(NOTIFIED)
  expect(await storage.outboxOf('acme')).toMatchObject([
    { status: 'failed', lastError: 'Given up: The provider did not answer.' },
  ])
})

describe('an alert never causes another one', () => {
  test.each([
    ['is refused', REFUSED, 2, 'The provider refused the alert.'],
    ['finds no provider that answers', DOWN, 40, 'Given up: The provider did not answer.'],
  ])('when it %s', async (_what, answer, count, reason) => {
    const { email, submit, settle, told, storage } = await bench()
    email.answers.push(REFUSED, ...Array<SendResult>(count).fill(answer))
    await submit('sub-1', ['staff@acme.example'])
    for (let times = 0; times < 3; times += 1) await settle()
    const alerts = (await storage.outboxOf('acme')).filter(({ kind }) => kind === 'alert_email')
    expect(alerts).toMatchObject([{ status: 'failed', lastError: reason }])
    expect(told()).toEqual([])
  })

  test('when an address is its own', async () => {
    const { email, submit, settle, told } = await bench()
    email.answers.push(REFUSED)
    await submit('sub-1', ['owner@acme.example'])
    await settle()
    expect(told()).toEqual(NOTIFIED)
  })
})

test('one whose first recipient is refused reaches the others; one that is interrupted reaches nobody twice', async () => {
  const { email, submit, settle, told, sends, storage } = await bench()
  email.answers.push(REFUSED, REFUSED)
  await submit('sub-1', ['staff@acme.example'])
  await settle()
  expect(told()).toEqual(NOTIFIED.slice(1))
  // It did its work, so nothing waits for an operator but the notification.
  expect((await storage.outboxOf('acme')).map(({ kind }) => kind)).toEqual(['notification_email'])
  const again = await bench()
  again.email.answers.push(REFUSED)
  await again.submit('sub-1', ['staff@acme.example'])
  // The notification fails, and then the first recipient is reached and the second is not.
  await sweep(again.world)
  const { sender } = again.email
  let calls = 0
  const flaky: EmailSender['send'] = async (message, key, recorded) =>
    (calls += 1) === 2 ? DOWN : sender.send(message, key, recorded)
  await again.settle({ ...again.world, email: { ...sender, send: flaky } })
  expect(again.told()).toEqual(NOTIFIED)
  expect(
    (await again.sends()).filter(({ sendId }) => sendId.startsWith('alr_')).map(({ outcome }) => outcome),
  ).toEqual(['accepted', 'accepted'])
  expect((await sends()).length).toBe(3)
})

test('without a provider, and without people, nothing waits', async () => {
  const { submit, settle, storage, email, world } = await openJobBench()
  email.answers.push(REFUSED)
  await submit('sub-1', ['staff@acme.example'])
  await settle()
  expect((await storage.outboxOf('acme')).map(({ kind }) => kind)).toEqual(['notification_email'])
  const other = await bench()
  other.email.answers.push(REFUSED)
  await other.submit('sub-1', ['staff@acme.example'])
  await sweep(other.world)
  await other.settle({ ...other.world, email: null, mail: null })
  expect((await other.storage.outboxOf('acme')).map(({ kind }) => kind)).toEqual(['notification_email'])
  expect(world.email).not.toBeNull()
})

test('an alert is of its kind and day, and holds no more than it may', () => {
  const failure = { kind: 'notification', about: `${'x'.repeat(2_047)}\u{1f600}`, reason: 'No.' } as const
  const { outboxId, payload } = alertAbout(failure, '2026-06-15T23:59:59.999Z')
  expect(outboxId).toBe('alr_notification_20260615')
  expect(payload.about?.isWellFormed()).toBe(true)
  expect(alertAbout({ ...failure, of: 'wh_1' }, '2026-06-16T00:00:00.000Z').outboxId).toBe(
    'alr_notification_20260616_wh_1',
  )
})
