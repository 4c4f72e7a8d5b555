import assert from 'node:assert/strict'
import type { Lease, OutboxRef, SendRecord, StoredRow } from '../../ports/index.ts'
import {
  at,
  contact,
  form,
  organization,
  pendingSend,
  readContact,
  submission,
  twoTenants,
  type TwoTenants,
} from './fixtures.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { casesFrom } from './cases.ts'

const entry = (outboxId: string) => ({
  outboxId,
  kind: 'notification_email',
  payload: { to: 'a@example.com' },
})

/** Saves Ada's submission `sub-1` of `org-a` with outbox entries of these ids. */
async function withEntries(storage: TwoTenants, ...ids: readonly string[]): Promise<void> {
  await storage
    .tenant('org-a')
    .upsert('forms', [form('form-1', { definition: { formId: 'form-1', fields: [1] } })])
  const saved = submission('sub-1', { outbox: ids.map(entry) }, { email: 'ada@example.com' })
  const outcome = await storage.tenant('org-a').saveSubmission(saved)
  assert(outcome.kind === 'saved')
  assert.deepEqual([...outcome.outboxIds].sort(), [...ids].sort())
}

/** A lease of one minute that starts `seconds` after the start, with the instant at which it starts. */
function lease(token: string, seconds = 0): readonly [Lease, string] {
  return [{ token, until: at(seconds + 60) }, at(seconds)]
}

function send(sendId: string, changes: Partial<SendRecord> = {}): SendRecord {
  return pendingSend(sendId, { providerId: `p-${sendId}`, outcome: 'accepted', ...changes })
}

const idsOf = (refs: readonly OutboxRef[]) => refs.map(({ outboxId }) => outboxId)

export const outboxCases = casesFrom(twoTenants, {
  async 'a claim reads the entry with its organization, submission, form and contact'(storage) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    await storage.tenant('org-b').upsert('forms', [form('form-b')])
    const typed = { phone: '+49 761 2345678' }
    const extra = { _subject: 'Hello', company: 'Acme' }
    const other = submission('sub-b', { formId: 'form-b', typed, extra, outbox: [entry('out-b')] })
    await storage.tenant('org-b').saveSubmission(other)
    const claimedOther = await outbox.open('org-b').claim('out-b', ...lease('t0', 2))
    assert.equal(claimedOther?.organization.organizationId, 'org-b')
    assert.equal(claimedOther.submission?.submissionId, 'sub-b')
    assert.deepEqual(claimedOther.submission.typed, typed)
    assert.deepEqual(claimedOther.submission.extra, extra)
    const claimed = await outbox.open('org-a').claim('out-1', ...lease('t1', 2))
    assert(claimed !== null)
    const { organization, ...rest } = claimed
    assert.equal(organization.organizationId, 'org-a')
    assert.deepEqual(rest, {
      outboxId: 'out-1',
      kind: 'notification_email',
      payload: { to: 'a@example.com' },
      attempts: 1,
      waitingSince: null,
      submission: {
        submissionId: 'sub-1',
        formId: 'form-1',
        answers: { question: 'answer' },
        typed: null,
        extra: null,
        submittedAt: at(1),
        contactId: 'new-sub-1',
      },
      form: { name: 'Form form-1', definition: { formId: 'form-1', fields: [1] } },
      contact: {
        contactId: 'new-sub-1',
        email: 'ada@example.com',
        phone: null,
        emailConsent: 'unknown',
        smsConsent: 'unknown',
      },
    })
  },
  async 'whoever holds an entry reads anew what it needs, and nobody else does'(storage) {
    await withEntries(storage, 'out-1')
    const mine = storage.outbox.open('org-a')
    const claimed = await mine.claim('out-1', ...lease('t1'))
    assert(claimed !== null)
    const { submission: first, form: asked, contact } = claimed
    assert.deepEqual(await mine.readAgain('out-1', 't1'), { submission: first, form: asked, contact })
    await storage.tenant('org-a').upsert('forms', [form('form-1', { name: 'Renamed' })])
    assert.equal((await mine.readAgain('out-1', 't1'))?.form?.name, 'Renamed')
    assert.equal(await mine.readAgain('out-1', 't2'), null)
    assert.equal(await mine.readAgain('out-2', 't1'), null)
    assert.equal(await storage.outbox.open('org-b').readAgain('out-1', 't1'), null)
    assert.equal(await mine.settle('out-1', 't1', { kind: 'done', sends: [] }, at(1)), true)
    assert.equal(await mine.readAgain('out-1', 't1'), null)
  },
  async 'of 20 concurrent claims one gets the entry'(storage) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    const claims = Array.from({ length: 20 }, (_, index) =>
      outbox.open('org-a').claim('out-1', ...lease(`t${index}`)),
    )
    const won = (await Promise.all(claims)).filter((claim) => claim !== null)
    assert.equal(won.length, 1)
  },
  async 'an entry is claimed through its own organization only, and a missing one never'(storage) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    assert.equal(await outbox.open('org-b').claim('out-1', ...lease('t')), null)
    assert.equal(await outbox.open('org-none').claim('out-1', ...lease('t')), null)
    assert.equal(await outbox.open('org-a').claim('out-2', ...lease('t')), null)
  },
  async 'a lease keeps others away until it runs out; then the late holder can settle nothing'(storage) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    const mine = outbox.open('org-a')
    assert.equal((await mine.claim('out-1', ...lease('t1', 10)))?.attempts, 1)
    assert.equal(await mine.claim('out-1', ...lease('t2', 69)), null)
    assert.deepEqual(await outbox.due(at(69), 10), [])
    assert.deepEqual(idsOf(await outbox.due(at(70), 10)), ['out-1'])
    assert.equal((await mine.claim('out-1', ...lease('t2', 70)))?.attempts, 2)
    const retry = { kind: 'retry', at: at(71), reason: 'r', counted: true } as const
    for (const settlement of [
      retry,
      { kind: 'done', sends: [] },
      { kind: 'failed', reason: 'r', sends: [] },
    ] as const)
      assert.equal(await mine.settle('out-1', 't1', settlement, at(71)), false)
    assert.equal(await mine.settle('out-1', 't2', { kind: 'done', sends: [] }, at(72)), true)
  },
  async 'an entry never claimed before may be claimed at once, whatever the clock says'(storage) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    assert.notEqual(await outbox.open('org-a').claim('out-1', ...lease('t', -3600)), null)
  },
  async 'what is done leaves the outbox, with its sends recorded in the same step'(storage) {
    await withEntries(storage, 'out-1', 'out-2')
    const mine = storage.outbox.open('org-a')
    await mine.claim('out-1', ...lease('t'))
    const done = { kind: 'done', sends: [send('out-1')] } as const
    assert.equal(await mine.settle('out-1', 't', done, at(5)), true)
    assert.equal(await mine.settle('out-1', 't', done, at(6)), false)
    assert.deepEqual(idsOf(await storage.outbox.list(null, null, 10)), ['out-2'])
    assert.equal(await mine.claim('out-1', ...lease('t2', 3600)), null)
    assert.deepEqual(await storage.sends.open('org-a').list(null, 10), [send('out-1')])
    assert.deepEqual(await storage.sends.open('org-b').list(null, 10), [])
  },
  async 'an entry to be tried again is due then, and not before; an uncounted attempt is given back'(
    storage,
  ) {
    await withEntries(storage, 'out-1')
    const { outbox } = storage
    const mine = outbox.open('org-a')
    await mine.claim('out-1', ...lease('t1'))
    await mine.settle('out-1', 't1', { kind: 'retry', at: at(30), reason: 'busy', counted: true }, at(1))
    assert.equal(await mine.claim('out-1', ...lease('t2', 29)), null)
    assert.equal((await mine.claim('out-1', ...lease('t2', 30)))?.attempts, 2)
    await mine.settle('out-1', 't2', { kind: 'retry', at: at(40), reason: 'wait', counted: false }, at(31))
    const [listed] = await outbox.list('org-a', null, 10)
    assert.deepEqual(
      [listed?.status, listed?.attempts, listed?.nextAttemptAt, listed?.lastError, listed?.kind],
      ['pending', 1, at(40), 'wait', 'notification_email'],
    )
    assert.equal((await mine.claim('out-1', ...lease('t3', 40)))?.attempts, 2)
  },
  async 'what failed stays with its reason, is no longer due, and can be driven again'(storage) {
    await withEntries(storage, 'out-1')
    const mine = storage.outbox.open('org-a')
    await mine.claim('out-1', ...lease('t1'))
    const failed = send('out-1', { outcome: 'failed', error: 'refused', providerId: null })
    await mine.settle('out-1', 't1', { kind: 'failed', reason: 'refused', sends: [failed] }, at(1))
    assert.deepEqual(await storage.outbox.due(at(99_999), 10), [])
    assert.equal(await mine.claim('out-1', ...lease('t2', 99_999)), null)
    const [listed] = await storage.outbox.list('org-a', null, 10)
    assert.deepEqual([listed?.status, listed?.lastError], ['failed', 'refused'])
    assert.equal(await storage.outbox.redrive('out-none', at(100)), 'missing')
    assert.equal(await storage.outbox.redrive('out-1', at(100)), 'driven')
    assert.deepEqual(idsOf(await storage.outbox.due(at(100), 10)), ['out-1'])
    assert.equal((await mine.claim('out-1', ...lease('t3', 100)))?.attempts, 1)
    assert.equal(await storage.outbox.redrive('out-1', at(101)), 'leased')
    assert.equal(await mine.begin('out-1', 't3', pendingSend('out-1', { at: at(102) })), true)
    await mine.settle('out-1', 't3', { kind: 'done', sends: [send('out-1', { at: at(103) })] }, at(103))
    assert.deepEqual(await storage.sends.open('org-a').list(null, 10), [send('out-1', { at: at(102) })])
  },
  async 'organizations take turns: what is due is one entry of each, longest due first, then another of each'(
    storage,
  ) {
    await withEntries(storage, 'out-1', 'out-2', 'out-3')
    await storage.tenant('org-b').upsert('forms', [form('form-b')])
    storage.clock.ms += 60_000
    const late = submission('sub-b', { formId: 'form-b', outbox: [entry('out-4')] })
    await storage.tenant('org-b').saveSubmission(late)
    const again = submission('sub-2', { outbox: [entry('out-0')] })
    await storage.tenant('org-a').saveSubmission(again)
    assert.deepEqual(await storage.outbox.due(at(-1), 10), [])
    assert.deepEqual(idsOf(await storage.outbox.due(at(59), 10)), ['out-1', 'out-2', 'out-3'])
    const due = idsOf(await storage.outbox.due(at(120), 10))
    assert.deepEqual(due.slice(0, 2).sort(), ['out-1', 'out-4'])
    assert.deepEqual(due.slice(2), ['out-2', 'out-3', 'out-0'])
    assert.deepEqual(idsOf(await storage.outbox.due(at(120), 2)).sort(), ['out-1', 'out-4'])
    assert.equal((await storage.outbox.due(at(120), 4)).length, 4)
    const all = await storage.outbox.list(null, null, 10)
    assert.deepEqual(idsOf(all).slice(0, 3), ['out-1', 'out-2', 'out-3'])
    assert.equal(all.length, 5)
    assert.deepEqual(idsOf(await storage.outbox.list('org-b', null, 10)), ['out-4'])
    assert.deepEqual(idsOf(await storage.outbox.list(null, null, 1)), ['out-1'])
    const [first = null, second = null] = all.map(({ createdAt, outboxId }) => ({
      value: createdAt,
      id: outboxId,
    }))
    assert.deepEqual(idsOf(await storage.outbox.list(null, first, 1)), ['out-2'])
    assert.deepEqual(idsOf(await storage.outbox.list('org-a', second, 10)), ['out-3', 'out-0'])
    assert.equal(await storage.outbox.ownerOf('out-4'), 'org-b')
    assert.equal(await storage.outbox.ownerOf('out-none'), null)
  },
  async 'what follows a submission is found among what follows others'(storage) {
    await withEntries(storage, 'obx_sub-1_1', 'run_sub-1_1', 'dig_sub-1', 'obx_dig_sub-1_1', 'alr_a_1')
    const others = ['obx_sub-10_1', 'obx_sub-1-0_1', 'dig_sub-10', 'alr_a_2'].map((id) => entry(id))
    await storage.tenant('org-a').saveSubmission(submission('sub-10', { outbox: others }))
    const found = await storage.outbox.ofSubmission('org-a', 'sub-1')
    assert.deepEqual(idsOf(found), ['alr_a_1', 'dig_sub-1', 'obx_dig_sub-1_1', 'obx_sub-1_1', 'run_sub-1_1'])
    assert.deepEqual(await storage.outbox.ofSubmission('org-b', 'sub-1'), [])
    assert.deepEqual(await storage.outbox.ofSubmission('org-a', 'sub'), [])
  },
  async 'an alert is written once by whoever holds the entry that failed, in each organization for itself'(
    storage,
  ) {
    await withEntries(storage, 'out-1', 'out-2', 'out-3')
    await storage.tenant('org-b').upsert('forms', [form('form-b')])
    const other = submission('sub-b', { formId: 'form-b', outbox: [entry('out-b')] })
    await storage.tenant('org-b').saveSubmission(other)
    const alert = { outboxId: 'alr_notification_20260615', payload: { kind: 'notification' } }
    const failed = { kind: 'failed', reason: 'No.', sends: [], alert } as const
    const alertsOf = async (organizationId: string) =>
      (await storage.outboxOf(organizationId))
        .filter(({ kind }) => kind === 'alert_email')
        .map(({ outboxId, payload, status }) => [outboxId, payload, status])
    const written = [[alert.outboxId, alert.payload, 'pending']]
    const fail = async (organizationId: string, outboxId: string, token = outboxId) => {
      const outbox = storage.outbox.open(organizationId)
      assert((await outbox.claim(outboxId, ...lease(outboxId, 2))) !== null)
      return outbox.settle(outboxId, token, failed, at(3))
    }
    assert.equal(await fail('org-a', 'out-1', 'lost'), false)
    assert.deepEqual(await alertsOf('org-a'), [])
    assert.equal(await fail('org-a', 'out-2'), true)
    assert.deepEqual(await alertsOf('org-a'), written)
    // Once it is under way, another failure of that day is told of by it.
    const mine = storage.outbox.open('org-a')
    assert((await mine.claim(alert.outboxId, ...lease('t', 4))) !== null)
    const sends = [send(`${alert.outboxId}-x`)]
    assert.equal(await mine.settle(alert.outboxId, 't', { kind: 'done', sends }, at(5)), true)
    assert.equal(await fail('org-a', 'out-3'), true)
    assert.deepEqual(await alertsOf('org-a'), [])
    assert.equal(await fail('org-b', 'out-b'), true)
    assert.deepEqual(await alertsOf('org-b'), written)
  },
  async 'of more organizations than may be asked for at once, each has its turn within some minutes'(
    storage,
  ) {
    const ids = Array.from({ length: 7 }, (_, index) => `org-${index}`)
    for (const id of ids) {
      await storage.administration.saveOrganization(organization(id))
      await storage.tenant(id).upsert('forms', [form(`form-${id}`)])
      const saved = submission('sub', { formId: `form-${id}`, outbox: [entry('out-1'), entry('out-2')] })
      await storage.tenant(id).saveSubmission(saved)
    }
    // Which organization has the first turn may depend on the time. Sweeps must reach all of them all the same, at
    // whatever regular interval they come.
    for (const strideSeconds of [60, 120, 300]) {
      const served = new Set<string>()
      for (let sweep = 1; sweep <= 7; sweep += 1) {
        const due = await storage.outbox.due(at(sweep * strideSeconds), 3)
        assert.equal(new Set(due.map(({ organizationId }) => organizationId)).size, 3)
        for (const { organizationId } of due) served.add(organizationId)
      }
      assert.deepEqual([...served].sort(), ids)
    }
  },
  async "a writer's clock that runs ahead moves neither the order of writes nor when work is due"(storage) {
    const nowMs = Date.now()
    storage.clock.ms = nowMs + 6 * 3_600_000
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [form('form-1')])
    await writer.upsert('contacts', [contact('c-1')])
    const changedAtMs = Date.parse(String((await readContact(storage, 'c-1'))?.updatedAt))
    assert(Math.abs(changedAtMs - nowMs) < 60_000, `changed ${changedAtMs - nowMs} ms from now`)
    storage.clock.ms = nowMs
    await writer.saveSubmission(submission('sub-1', { outbox: [entry('out-1')] }))
    assert.deepEqual(idsOf(await storage.outbox.due(toInstant(nowMs), 10)), ['out-1'])
    const lease = { token: 't', until: toInstant(nowMs + 60_000) }
    assert(await storage.outbox.open('org-a').claim('out-1', lease, toInstant(nowMs)))
    // An operator whose clock runs ahead redrives the entry, first while the lease holds and then after it.
    const ahead = toInstant(nowMs + 6 * 3_600_000)
    assert.equal(await storage.outbox.redrive('out-1', ahead), 'leased')
    const failed = { kind: 'failed', reason: 'r', sends: [] } as const
    assert(await storage.outbox.open('org-a').settle('out-1', 't', failed, toInstant(nowMs)))
    assert.equal(await storage.outbox.redrive('out-1', ahead), 'driven')
    assert.deepEqual(idsOf(await storage.outbox.due(toInstant(nowMs + 60_000), 10)), ['out-1'])
  },
  async 'work is due at the time of the receipt, however far ahead the order of writes is'(storage) {
    storage.clock.ms += 6 * 3_600_000
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [form('form-1')])
    storage.clock.ms -= 6 * 3_600_000
    await writer.saveSubmission(submission('sub-1', { outbox: [entry('out-1')] }, {}))
    assert.deepEqual(idsOf(await storage.outbox.due(at(0), 10)), ['out-1'])
    const changedAt = (await readContact(storage, 'new-sub-1'))?.updatedAt
    assert(String(changedAt) > at(6 * 3600))
  },
  async 'sends are listed newest first, page by page; an accepted one stays so'({ sends }) {
    const log = sends.open('org-a')
    const own = sends.open(null)
    const three = [
      send('s-1'),
      send('s-2'),
      send('s-3', { at: at(9), error: 'e', outcome: 'failed', providerId: null }),
    ]
    await log.record(three)
    await log.record([])
    await own.record([send('s-1', { channel: 'mms', providerId: null })])
    await log.record([send('s-1', { outcome: 'failed' }), send('s-3', { at: at(1) })])
    const firsts = await log.list(null, 2)
    const others = await log.list({ value: firsts.at(-1)?.at ?? '', id: firsts.at(-1)?.sendId ?? '' }, 2)
    assert.deepEqual([...firsts, ...others], [send('s-2'), send('s-1'), send('s-3', { at: at(1) })])
    assert.deepEqual(await own.list(null, 9), [send('s-1', { channel: 'mms', providerId: null })])
  },
})

/** An automation of `form-1`, as an import brings it. */
export function automation(automationId: string, changes: StoredRow = {}): StoredRow {
  const steps = (changes.steps ?? [{ type: 'add_tag', tag: 'vip' }]) as readonly unknown[]
  return {
    automationId,
    name: automationId,
    description: null,
    status: 'active',
    trigger: { type: 'form_submission', formId: 'form-1' },
    stepCount: steps.length,
    createdAt: at(0),
    triggerFormId: 'form-1',
    ...changes,
    steps,
  }
}

/** A contact of `org-a` to which Ada's submissions are assigned. */
export const ada = contact('ada', { email: 'ada@example.com', tags: ['old'] })
