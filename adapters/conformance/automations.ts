import assert from 'node:assert/strict'
import type { FinishedStep, StoredRow, Admission, AutomationMessage } from '../../ports/index.ts'
import {
  type MakeStorage,
  at,
  form,
  readContact,
  submission,
  twoTenants,
  organization,
  pendingSend,
  type TwoTenants,
} from './fixtures.ts'
import { ada, automation } from './outbox.ts'
import { casesFrom } from './cases.ts'

const RUN = 'run_sub-1_1'

/** Saves the automations, and lets Ada submit `form-1` as `sub-1`. */
async function submitted(storage: TwoTenants, automations: readonly StoredRow[]): Promise<void> {
  const writer = storage.tenant('org-a')
  await writer.upsert('forms', [form('form-1')])
  await writer.upsert('contacts', [ada])
  await writer.upsert('automations', automations)
  storage.clock.ms += 10_000
  await writer.saveSubmission(submission('sub-1', {}, { email: 'ada@example.com' }))
}

const list = (listId: string, type: string): StoredRow => ({
  listId,
  name: listId,
  description: null,
  type,
  createdAt: at(0),
})

/** The stored row of that id in `org-a`; undefined when there is none. */
async function readRow({ read }: TwoTenants, collection: string, id: string, select: readonly string[]) {
  const [rows] = await read('org-a', [{ kind: 'one', collection, select, id }])
  return rows?.[0]
}

const runFields = ['status', 'currentStep', 'stepCount', 'failureReason', 'startedAt', 'completedAt']
const readRun = (storage: TwoTenants) => readRow(storage, 'automation-runs', RUN, runFields)

const step = (number: number, effect: FinishedStep['effect'] = { kind: 'none' }): FinishedStep => ({
  runId: RUN,
  step: number,
  effect,
  sends: [],
  leaseUntil: at(200),
})

const tag = (text: string) => ({ kind: 'add_tag', tag: text, contactId: 'ada' }) as const
const twoSteps = [
  { type: 'add_tag', tag: 'one' },
  { type: 'add_tag', tag: 'two' },
]

export const automationRunCases = casesFrom(twoTenants, {
  async 'a submission triggers each active automation of its form once'(storage) {
    await submitted(storage, [
      automation('z-active'),
      automation('a-active'),
      automation('paused', { status: 'paused' }),
      automation('other', { triggerFormId: 'form-2' }),
      automation('none', { triggerFormId: null }),
    ])
    await storage.tenant('org-b').upsert('automations', [automation('foreign')])
    const again = submission('sub-1', {}, { email: 'ada@example.com' })
    const outcome = await storage.tenant('org-a').saveSubmission(again)
    assert.deepEqual(outcome, { kind: 'saved', contactId: 'ada', outboxIds: [] })
    const seen = await storage.outboxOf('org-a')
    assert.deepEqual(seen.map(({ outboxId, kind, payload }) => [outboxId, kind, payload]).sort(), [
      [RUN, 'automation_run', { automationId: 'a-active' }],
      ['run_sub-1_2', 'automation_run', { automationId: 'z-active' }],
    ])
    // Runs of another submission, whose ids sort behind, are not among those of a later one.
    const later = await storage
      .tenant('org-a')
      .saveSubmission(submission('sub-0', {}, { email: 'ada@example.com' }))
    assert(later.kind === 'saved')
    assert.deepEqual([...later.outboxIds].sort(), ['run_sub-0_1', 'run_sub-0_2'])
  },
  async 'a run begins with the steps of that moment and is found as it was left'(storage) {
    await submitted(storage, [automation('auto', { steps: twoSteps })])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't', until: at(60) }, at(11))
    assert.equal(await mine.startRun(RUN, 't', 'missing', 'ada', at(12)), null)
    assert.equal(await mine.startRun(RUN, 'other', 'auto', 'ada', at(12)), null)
    const begun = { status: 'running', nextStep: 1, steps: twoSteps }
    assert.deepEqual(await mine.startRun(RUN, 't', 'auto', 'ada', at(12)), begun)
    await storage.tenant('org-a').upsert('automations', [automation('auto', { steps: [] })])
    assert.equal(await mine.finishStep('t', step(1, tag('one')), at(13)), 'saved')
    assert.deepEqual(await mine.startRun(RUN, 't', 'auto', 'ada', at(14)), { ...begun, nextStep: 2 })
    assert.deepEqual(await readRun(storage), {
      status: 'running',
      currentStep: 2,
      stepCount: 2,
      failureReason: null,
      startedAt: at(12),
      completedAt: null,
    })
  },
  async 'the last step completes the run; a step saved again changes nothing'(storage) {
    await submitted(storage, [automation('auto', { steps: twoSteps })])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't', until: at(60) }, at(11))
    await mine.startRun(RUN, 't', 'auto', 'ada', at(12))
    assert.equal(await mine.finishStep('t', step(2, tag('two')), at(13)), 'impossible')
    const untagged = await readContact(storage, 'ada')
    for (const seconds of [13, 14])
      assert.equal(await mine.finishStep('t', step(1, tag('one')), at(seconds)), 'saved')
    const before = await readContact(storage, 'ada')
    // A sync sees the tag.
    assert(String(before?.updatedAt) > String(untagged?.updatedAt))
    for (const seconds of [15, 16])
      assert.equal(await mine.finishStep('t', step(2, tag('old')), at(seconds)), 'saved')
    assert.deepEqual(before?.tags, ['old', 'one'])
    assert.deepEqual((await readContact(storage, 'ada'))?.tags, ['old', 'one'])
    const run = await readRun(storage)
    assert.deepEqual([run?.status, run?.currentStep, run?.completedAt], ['completed', 2, at(15)])
  },
  async 'an automation without steps completes as it begins'(storage) {
    await submitted(storage, [automation('auto', { steps: [] })])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't', until: at(60) }, at(11))
    assert.equal((await mine.startRun(RUN, 't', 'auto', 'ada', at(12)))?.status, 'completed')
    assert.deepEqual((await readRun(storage))?.completedAt, at(12))
  },
  async 'a contact is added to a static list once, and the list counts it'(storage) {
    await submitted(storage, [automation('auto', { steps: twoSteps })])
    await storage
      .tenant('org-a')
      .upsert('contact-lists', [list('static', 'static'), list('dynamic', 'dynamic')])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't', until: at(60) }, at(11))
    await mine.startRun(RUN, 't', 'auto', 'ada', at(12))
    const add = (listId: string, contactId = 'ada') => step(1, { kind: 'add_to_list', listId, contactId })
    assert.equal(await mine.finishStep('t', add('missing'), at(13)), 'impossible')
    assert.equal(await mine.finishStep('t', add('dynamic'), at(13)), 'impossible')
    assert.equal(await mine.finishStep('t', add('static', 'nobody'), at(13)), 'impossible')
    assert.equal(await mine.finishStep('t', add('static'), at(13)), 'saved')
    const again = { ...add('static'), step: 2 }
    assert.equal(await mine.finishStep('t', again, at(14)), 'saved')
    const counted = await readRow(storage, 'contact-lists', 'static', ['contactCount'])
    assert.deepEqual(counted, { contactCount: 1 })
    // A change of the list leaves the count alone.
    await storage.tenant('org-a').upsert('contact-lists', [{ ...list('static', 'static'), name: 'New' }])
    const renamed = await readRow(storage, 'contact-lists', 'static', ['name', 'contactCount'])
    assert.deepEqual(renamed, { name: 'New', contactCount: 1 })
  },
  async 'who has lost the lease finishes no step; finishing one renews it'(storage) {
    await submitted(storage, [automation('auto', { steps: twoSteps })])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't1', until: at(60) }, at(11))
    await mine.startRun(RUN, 't1', 'auto', 'ada', at(12))
    await mine.finishStep('t1', step(1, tag('one')), at(13))
    assert.equal(await mine.claim(RUN, { token: 't2', until: at(300) }, at(199)), null)
    assert.notEqual(await mine.claim(RUN, { token: 't2', until: at(300) }, at(200)), null)
    assert.equal(await mine.finishStep('t1', step(2, tag('two')), at(201)), 'lost')
    assert.deepEqual((await readContact(storage, 'ada'))?.tags, ['old', 'one'])
  },
  async 'a failed run says why, and goes on from its step when it is driven again'(storage) {
    await submitted(storage, [automation('auto', { steps: twoSteps })])
    const mine = storage.outbox.open('org-a')
    await mine.claim(RUN, { token: 't1', until: at(60) }, at(11))
    await mine.startRun(RUN, 't1', 'auto', 'ada', at(12))
    await mine.finishStep('t1', step(1, tag('one')), at(13))
    const stamp = async () =>
      String((await readRow(storage, 'automation-runs', RUN, ['updatedAt']))?.updatedAt)
    const stepped = await stamp()
    // A sync sees the failure, also when the clock of who reports it is behind.
    await mine.settle(RUN, 't1', { kind: 'failed', reason: 'Step 2: no.', sends: [] }, at(2))
    assert((await stamp()) > stepped)
    const run = await readRun(storage)
    assert.deepEqual([run?.status, run?.failureReason, run?.completedAt], ['failed', 'Step 2: no.', null])
    await storage.outbox.redrive(RUN, at(20))
    await mine.claim(RUN, { token: 't2', until: at(60) }, at(20))
    const resumed = await mine.startRun(RUN, 't2', 'auto', 'ada', at(21))
    assert.deepEqual([resumed?.status, resumed?.nextStep], ['running', 2])
    const after = await readRun(storage)
    assert.deepEqual([after?.status, after?.failureReason, after?.startedAt], ['running', null, at(12)])
  },
  async 'an automation counts its runs, imported ones too, whichever came first, and its change is seen by a sync'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    const run = (runId: string, automationId: string, seconds: number): StoredRow => ({
      runId,
      automationId,
      contactId: null,
      status: 'completed',
      currentStep: null,
      stepCount: 1,
      failureReason: null,
      startedAt: at(seconds),
      completedAt: null,
    })
    const select = ['runCount', 'lastRunAt', 'updatedAt']
    const counts = async (id: string) => {
      const row = await readRow(storage, 'automations', id, select)
      return [row?.runCount, row?.lastRunAt]
    }
    await writer.upsert('automation-runs', [run('r-1', 'early', 5)])
    await writer.upsert('automations', [automation('early'), automation('late')])
    assert.deepEqual(await counts('early'), [1, at(5)])
    assert.deepEqual(await counts('late'), [0, null])
    const before = (await readRow(storage, 'automations', 'late', select))?.updatedAt as string
    const more = [run('r-2', 'late', 9), run('r-3', 'late', 7), run('r-4', 'missing', 7)]
    await writer.upsert('automation-runs', more)
    await writer.upsert('automation-runs', more)
    await storage.tenant('org-b').upsert('automation-runs', [run('r-9', 'late', 99)])
    assert.deepEqual(await counts('late'), [2, at(9)])
    assert(before < ((await readRow(storage, 'automations', 'late', select))?.updatedAt as string))
    await writer.upsert('automation-runs', [run('r-2', 'early', 3)])
    assert.deepEqual(await counts('late'), [1, at(7)])
    assert.deepEqual(await counts('early'), [2, at(5)])
    await writer.upsert('automations', [automation('early', { name: 'Renamed' })])
    assert.deepEqual(await counts('early'), [2, at(5)])
  },
})

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

export const automationBoundCases = casesFrom(asking, {
  async 'one recipient gets so many messages within 24 hours; the others wait in turn, and overtake nobody'({
    ask,
  }) {
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
  async 'an organization sends so many messages within an hour, whoever waits for a recipient'({ ask }) {
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
  async 'of 22 messages that ask at once, as many are admitted as the bound allows'({ ask }) {
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
  async 'a message that is sent again counts once, as of the last time'({ ask }) {
    for (const seconds of [0, 30, 60]) assert.deepEqual(await ask(seconds, { messageId: 'm-1' }), admitted)
    assert.deepEqual(await ask(70, { messageId: 'm-2' }), admitted)
    assert.deepEqual(await ask(80, { messageId: 'm-1' }), admitted)
    assert.deepEqual(await ask(90, { messageId: 'm-3' }), over('recipient', DAY + 70))
  },
  async 'what an entry has sent counts besides what it sends when it is driven again'({ storage, ask }) {
    assert.deepEqual(await ask(0, { messageId: 'out-1-1' }), admitted)
    const failed = { kind: 'failed', reason: 'r', sends: [] } as const
    assert(await storage.outbox.open('org-a').settle('out-1', 't', failed, at(1)))
    assert.equal(await storage.outbox.redrive('out-1', at(2)), 'driven')
    const lease = { token: 't', until: at(DAY) }
    assert.notEqual(await storage.outbox.open('org-a').claim('out-1', lease, at(3)), null)
    assert.deepEqual(await ask(3, { messageId: 'out-1-1' }), admitted)
    assert.deepEqual(await ask(4, { messageId: 'out-1-2' }), over('recipient', DAY))
  },
  async "a message that cannot be sent in time, or without the lease, takes no other's place"({ ask }) {
    const waitsUntil = at(DAY - 1)
    for (const messageId of ['m-1', 'm-2']) assert.deepEqual(await ask(0, { messageId }), admitted)
    assert.deepEqual(await ask(0, { messageId: 'm-3', waitsUntil }), over(null))
    assert.deepEqual(await ask(0, { messageId: 'm-4' }, 'org-a', 'lost'), over(null))
    assert.deepEqual(await ask(0, { messageId: 'm-5' }), over('recipient', DAY))
    assert.deepEqual(await ask(0, { messageId: 'm-6' }), over('recipient', DAY))
  },
  async 'since when an entry waits is kept until it is tried for another reason, or driven again'({
    storage,
  }) {
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
  async 'with another bound of the organization, what waits asks again, oldest first'({ storage, ask }) {
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
})
