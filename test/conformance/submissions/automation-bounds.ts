import assert from 'node:assert/strict'
import type { Admission, AutomationMessage } from '../../../ports/index.ts'
import type { MakeStorage, StorageCase } from '../case.ts'
import { at, form, organization, pendingSend, submission, twoTenants, type TwoTenants } from '../fixtures.ts'

const HOUR = 3600
const DAY = 24 * HOUR

type Asked = Partial<AutomationMessage> & { readonly messageId: string }

/** A store in which `org-a` and `org-b` each have a claimed entry, and a function that asks to send a message. */
async function asking(make: MakeStorage) {
  const storage = await twoTenants(make)
  for (const id of ['org-a', 'org-b']) {
    await storage.tenant(id).upsert('forms', [form(`form-${id}`)])
    const entry = { outboxId: 'out-1', kind: 'notification_email', payload: {} }
    await storage.tenant(id).saveSubmission(submission('sub', { formId: `form-${id}`, outbox: [entry] }))
    const lease = { token: 't', until: at(30 * DAY) }
    assert.notEqual(await storage.outbox.open(id).claim('out-1', lease, at(0)), null)
  }
  const ask = (seconds: number, asked: Asked, id = 'org-a', token = 't'): Promise<Admission> =>
    storage.outbox.open(id).admit(
      'out-1',
      token,
      {
        recipient: 'ada@example.com',
        recipientMax: 2,
        organizationMax: 3,
        waitsUntil: at(seconds + 3 * DAY),
        leaseUntil: at(30 * DAY),
        send: pendingSend(asked.messageId, { at: at(seconds) }),
        ...asked,
      },
      at(seconds),
    )
  return { storage, ask }
}

const admitted: Admission = { kind: 'admitted' }
const over = (bound: 'recipient' | 'organization' | null, seconds?: number): Admission => ({
  kind: 'over',
  bound,
  until: seconds === undefined ? null : at(seconds),
})

/** Whether the entry of `org-a` was told that it waits. */
async function waitingSince({ outbox }: TwoTenants, seconds: number): Promise<string | null | undefined> {
  const lease = { token: 't2', until: at(seconds + 60) }
  return (await outbox.open('org-a').claim('out-1', lease, at(seconds)))?.waitingSince
}

export const automationBoundCases: readonly StorageCase[] = [
  {
    name: 'one recipient gets so many messages within 24 hours; the others wait in turn, and overtake nobody',
    async run(make) {
      const { ask } = await asking(make)
      assert.deepEqual(await ask(0, { messageId: 'm-1' }), admitted)
      assert.deepEqual(await ask(10, { messageId: 'm-2' }), admitted)
      assert.deepEqual(await ask(20, { messageId: 'm-3' }), over('recipient', DAY))
      assert.deepEqual(await ask(30, { messageId: 'm-4' }), over('recipient', DAY + 10))
      assert.deepEqual(await ask(40, { messageId: 'm-5' }), over('recipient', 2 * DAY))
      // Other recipients, and other organizations, do not wait for that.
      assert.deepEqual(await ask(40, { messageId: 'm-6', recipient: '+12125550123' }), admitted)
      assert.deepEqual(await ask(40, { messageId: 'm-1' }, 'org-b'), admitted)
      assert.deepEqual(await ask(DAY - 1, { messageId: 'm-3' }), over('recipient', DAY))
      assert.deepEqual(await ask(DAY + 1, { messageId: 'm-7' }), over('recipient', 2 * DAY + 10))
      assert.deepEqual(await ask(DAY + 1, { messageId: 'm-3' }), admitted)
      assert.deepEqual(await ask(DAY + 10, { messageId: 'm-4' }), admitted)
    },
  },
  {
    name: 'an organization sends so many messages within an hour, whoever waits for a recipient',
    async run(make) {
      const { ask } = await asking(make)
      const to = (recipient: string) => ({ messageId: `to ${recipient}`, recipient })
      const [first, second] = [to('a'), { ...to('a'), messageId: 'again to a' }]
      for (const message of [first, second, to('b')]) assert.deepEqual(await ask(0, message), admitted)
      for (const number of [1, 2, 3, 4])
        assert.deepEqual((await ask(1, { ...first, messageId: `later ${number}` })).kind, 'over')
      assert.deepEqual(await ask(60, to('c')), over('organization', HOUR))
      assert.deepEqual(await ask(60, to('d')), over('organization', HOUR))
      assert.deepEqual(await ask(60, to('e')), over('organization', HOUR))
      assert.deepEqual(await ask(60, to('f')), over('organization', 2 * HOUR))
      assert.deepEqual(await ask(HOUR, to('d')), admitted)
      assert.deepEqual(await ask(HOUR, { ...to('f'), organizationMax: 9 }), admitted)
      assert.deepEqual(await ask(0, to('c'), 'org-b'), admitted)
    },
  },
  {
    name: 'of 22 messages that ask at once, as many are admitted as the bound allows',
    async run(make) {
      const { ask } = await asking(make)
      const all = Array.from({ length: 22 }, (_, index) =>
        ask(0, { messageId: `m-${index}`, recipientMax: 5, organizationMax: 500 }),
      )
      const answers = await Promise.all(all)
      assert.equal(answers.filter(({ kind }) => kind === 'admitted').length, 5)
      // Five go out each day, and the last two would have to wait for longer than they may.
      const waits = answers.flatMap((answer) => (answer.kind === 'over' ? [answer.until] : []))
      const expected = [1, 2, 3].flatMap((day) => Array<string>(5).fill(at(day * DAY)))
      assert.deepEqual(waits.sort(), [...expected, null, null])
    },
  },
  {
    name: 'a message that is sent again counts once, as of the last time',
    async run(make) {
      const { ask } = await asking(make)
      for (const seconds of [0, 30, 60]) assert.deepEqual(await ask(seconds, { messageId: 'm-1' }), admitted)
      assert.deepEqual(await ask(70, { messageId: 'm-2' }), admitted)
      assert.deepEqual(await ask(80, { messageId: 'm-1' }), admitted)
      assert.deepEqual(await ask(90, { messageId: 'm-3' }), over('recipient', DAY + 70))
    },
  },
  {
    name: 'what an entry has sent counts besides what it sends when it is driven again',
    async run(make) {
      const { storage, ask } = await asking(make)
      assert.deepEqual(await ask(0, { messageId: 'out-1-1' }), admitted)
      const failed = { kind: 'failed', reason: 'r', sends: [] } as const
      assert(await storage.outbox.open('org-a').settle('out-1', 't', failed, at(1)))
      assert.equal(await storage.outbox.redrive('out-1', at(2)), 'driven')
      const lease = { token: 't', until: at(DAY) }
      assert.notEqual(await storage.outbox.open('org-a').claim('out-1', lease, at(3)), null)
      assert.deepEqual(await ask(3, { messageId: 'out-1-1' }), admitted)
      assert.deepEqual(await ask(4, { messageId: 'out-1-2' }), over('recipient', DAY))
    },
  },
  {
    name: "a message that cannot be sent in time, or without the lease, takes no other's place",
    async run(make) {
      const { ask } = await asking(make)
      const waitsUntil = at(DAY - 1)
      for (const messageId of ['m-1', 'm-2']) assert.deepEqual(await ask(0, { messageId }), admitted)
      assert.deepEqual(await ask(0, { messageId: 'm-3', waitsUntil }), over(null))
      assert.deepEqual(await ask(0, { messageId: 'm-4' }, 'org-a', 'lost'), over(null))
      assert.deepEqual(await ask(0, { messageId: 'm-5' }), over('recipient', DAY))
      assert.deepEqual(await ask(0, { messageId: 'm-6' }), over('recipient', DAY))
    },
  },
  {
    name: 'since when an entry waits is kept until it is tried for another reason, or driven again',
    async run(make) {
      const { storage } = await asking(make)
      const mine = storage.outbox.open('org-a')
      const retry = { kind: 'retry', reason: 'r', counted: false } as const
      await mine.settle('out-1', 't', { ...retry, at: at(10), waitingSince: at(1) }, at(1))
      assert.equal(await waitingSince(storage, 10), at(1))
      await mine.settle('out-1', 't2', { ...retry, at: at(20) }, at(11))
      assert.equal(await waitingSince(storage, 20), null)
      await mine.settle('out-1', 't2', { ...retry, at: at(30), waitingSince: at(1) }, at(21))
      assert.equal(await storage.outbox.redrive('out-1', at(25)), 'driven')
      assert.equal(await waitingSince(storage, 26), null)
    },
  },
  {
    name: 'with another bound of the organization, what waits asks again, oldest first',
    async run(make) {
      const { storage, ask } = await asking(make)
      const to = (recipient: string, organizationMax: number) => ({
        messageId: recipient,
        recipient,
        organizationMax,
      })
      assert.deepEqual(await ask(0, to('a', 1)), admitted)
      assert.deepEqual(await ask(1, to('b', 1)), over('organization', HOUR))
      assert.deepEqual(await ask(1, to('c', 1)), over('organization', 2 * HOUR))
      const retry = { kind: 'retry', reason: 'r', counted: false, waitingSince: at(1) } as const
      await storage.outbox.open('org-a').settle('out-1', 't', { ...retry, at: at(2 * HOUR) }, at(2))
      assert.deepEqual(await storage.outbox.due(at(3), 10), [])
      const save = (automationHourly: number, slug: string | null = null) =>
        storage.administration.saveOrganization(organization('org-a', { automationHourly, slug }))
      storage.clock.ms += 4000
      assert.equal(await save(500, 'another-setting'), 'saved')
      assert.deepEqual(await storage.outbox.due(at(4), 10), [])
      assert.equal(await save(2), 'saved')
      assert.deepEqual(await storage.outbox.due(at(4), 10), [{ organizationId: 'org-a', outboxId: 'out-1' }])
      const lease = { token: 't', until: at(DAY) }
      assert.notEqual(await storage.outbox.open('org-a').claim('out-1', lease, at(4)), null)
      assert.deepEqual(await ask(4, to('c', 2)), admitted)
      assert.deepEqual(await ask(4, to('b', 2)), over('organization', HOUR))
    },
  },
]
