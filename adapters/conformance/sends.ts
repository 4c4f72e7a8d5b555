import assert from 'node:assert/strict'
import type { Claim, KeyedRequest, SendRecord, TenantSendLog } from '../../ports/index.ts'
import { at, form, organization, pendingSend, submission, twoTenants } from './fixtures.ts'
import { casesFrom } from './cases.ts'

const MINUTES = 60
const DAY = 24 * 60 * MINUTES

/** A request with the key `key` and the prefix `snd_NAME`, which comes `seconds` after the start. */
function request(name: string, seconds = 0, changes: Partial<KeyedRequest> = {}): KeyedRequest {
  return {
    requestKey: 'key',
    bodyHash: 'body',
    sendPrefix: `snd_${name}`,
    busyUntil: at(seconds + 10 * MINUTES),
    expiresAt: at(seconds + DAY),
    released: 2,
    ...changes,
  }
}

const three = (name: string, seconds = 0): readonly SendRecord[] =>
  [0, 1, 2].map((number) =>
    pendingSend(`snd_${name}_00${number}`, { at: at(seconds), to: `${number}@x.example` }),
  )

function claim(log: TenantSendLog, name: string, seconds = 0, changes: Partial<KeyedRequest> = {}) {
  return log.claim(three(name, seconds), request(name, seconds, changes), at(seconds))
}

const accepted = (send: SendRecord | undefined): SendRecord => {
  assert(send !== undefined)
  return { ...send, outcome: 'accepted', providerId: `p-${send.sendId}` }
}
const idsOf = (claimed: Claim) => (claimed.kind === 'known' ? claimed.sends.map(({ sendId }) => sendId) : [])
const outcomes = async (log: TenantSendLog) =>
  (await log.list(null, 99)).map(({ sendId, outcome, at: when }) => [sendId, outcome, when].join(' ')).sort()

export const sendCases = casesFrom(twoTenants, {
  async 'of 20 concurrent requests with one key one takes it, and its sends alone are recorded'(storage) {
    const log = storage.sends.open('org-a')
    const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(log, `r${index + 10}`)))
    assert.deepEqual(claims.map(({ kind }) => kind).sort(), [...Array<string>(19).fill('known'), 'taken'])
    const winner = claims.findIndex(({ kind }) => kind === 'taken') + 10
    assert.deepEqual(await log.list(null, 99), three(`r${winner}`).toReversed())
  },
  async 'a key is taken once, by organization; the same request may claim again'({ sends }) {
    const log = sends.open('org-a')
    assert.deepEqual(await claim(log, 'a'), { kind: 'taken' })
    assert.deepEqual(await claim(log, 'a'), { kind: 'taken' })
    for (const other of [sends.open('org-b'), sends.open(null)]) {
      assert.deepEqual(await claim(other, 'a'), { kind: 'taken' })
      assert.equal((await other.list(null, 99)).length, 3)
    }
    assert.deepEqual(await claim(log, 'b', 1, { requestKey: 'other' }), { kind: 'taken' })
    const busy = await claim(log, 'c', 599)
    const { requestKey: _key, expiresAt: _end, ...known } = request('a')
    const found = { ...known, holder: 'snd_a', isEnded: false }
    assert.deepEqual(busy, { kind: 'known', request: found, sends: [] })
    assert.deepEqual(await claim(log, 'd', 599, { bodyHash: 'other' }), busy)
    assert.equal((await log.list(null, 99)).length, 6)
  },
  async 'a request that has ended is told with its sends, to the same body alone, until the key is free'(
    storage,
  ) {
    const log = storage.sends.open('org-a')
    await claim(log, 'a')
    const ended = three('a').map(accepted)
    const progress = { requestKey: 'key', holder: 'snd_a', released: 2 }
    assert.equal(await log.end(ended.slice(0, 1), { ...progress, isEnded: false }), true)
    assert.equal(await log.end(ended.slice(1), { ...progress, isEnded: true }), true)
    const known = await claim(log, 'b', DAY - 1)
    assert(known.kind === 'known' && known.request.isEnded)
    assert.deepEqual(known.sends, ended)
    const other = await claim(log, 'c', DAY - 1, { bodyHash: 'other' })
    assert(other.kind === 'known' && other.request.bodyHash === 'body')
    assert.deepEqual(other.sends, [])
    assert.equal((await log.list(null, 99)).length, 3)
    assert.deepEqual(await claim(log, 'd', DAY, { bodyHash: 'other' }), { kind: 'taken' })
    assert.equal((await log.list(null, 99)).length, 6)
  },
  async 'a request that was cut off is taken over once; it releases nothing more, but its outcomes are recorded'(
    storage,
  ) {
    const log = storage.sends.open('org-a')
    const before = at(0)
    await claim(log, 'a')
    assert.deepEqual(idsOf(await claim(log, 'b', 599)), [])
    const stranger = await claim(log, 'z', 600, { bodyHash: 'other' })
    assert(stranger.kind === 'known' && stranger.request.holder === 'snd_a')
    assert.deepEqual([stranger.request.busyUntil, stranger.sends], [at(600), []])
    const later = await Promise.all(['c', 'd', 'e'].map((name) => claim(log, name, 600)))
    const [taken, ...more] = later.filter((one) => idsOf(one).length > 0)
    assert(taken?.kind === 'known' && more.length === 0)
    const { holder, ...rest } = taken.request
    const { requestKey: _key, expiresAt: _end, ...first } = request('a', 0, { busyUntil: at(1200) })
    assert.deepEqual(rest, { ...first, isEnded: false })
    assert.deepEqual(idsOf(taken), ['snd_a_000', 'snd_a_001', 'snd_a_002'])
    // Another body has taken nothing over before, however late it came.
    assert.deepEqual(await claim(log, 'h', 600, { bodyHash: 'other' }), {
      kind: 'known',
      request: taken.request,
      sends: [],
    })
    const begun = [`snd_a_000 pending ${before}`, `snd_a_001 pending ${before}`]
    assert.deepEqual(await outcomes(log), [...begun, `snd_a_002 pending ${at(600)}`])
    const progress = { requestKey: 'key', released: 3, isEnded: true }
    const [late] = three('a')
    assert.equal(await log.end([accepted(late)], { ...progress, holder: 'snd_a' }), false)
    assert.deepEqual(idsOf(await claim(log, 'f', 1199)), [])
    assert.equal(await log.end([accepted(taken.sends[2])], { ...progress, holder }), true)
    const again = await claim(log, 'g', 601)
    assert(again.kind === 'known' && again.request.isEnded && again.request.released === 3)
    assert.deepEqual(
      again.sends.map(({ outcome }) => outcome),
      ['accepted', 'pending', 'accepted'],
    )
  },
  async 'an outcome changes neither the time nor the recipient of a send, who may have been erased meanwhile'({
    sends,
    organizationStore,
  }) {
    const log = sends.open('org-a')
    await log.record([pendingSend('s-1', { at: at(1), to: 'Ada@example.com' })])
    const person = { contactIds: [], emailKeys: ['ada@example.com'], phones: [] }
    const known = await organizationStore('org-a').findPerson(person)
    for (let next: string | null | undefined; next !== null;)
      next = (await organizationStore('org-a').eraseSome({ ...known, numbers: [] }, next ?? null)).next
    const late = pendingSend('s-1', {
      at: at(2),
      to: 'Ada@example.com',
      outcome: 'accepted',
      providerId: 'p',
    })
    assert.equal(await log.end([late], null), true)
    assert.deepEqual(await log.list(null, 9), [{ ...late, at: at(1), to: 'erased' }])
  },
  async 'of all sends only an accepted email that is not known to be another one can be returned, once'(
    storage,
  ) {
    const log = storage.sends.open('org-a')
    const others = [storage.sends.open('org-b'), storage.sends.open(null)]
    const sent: SendRecord[] = []
    for (const channel of ['sms', 'mms', 'email'] as const)
      for (const outcome of ['pending', 'accepted', 'failed'] as const)
        for (const known of [null, 'ours', 'p', 'another']) {
          const sendId = `obx_${sent.length}_1`
          const providerId = known === 'ours' ? sendId : known
          const error = outcome === 'failed' ? 'busy' : null
          sent.push(pendingSend(sendId, { channel, outcome, providerId, error, at: at(sent.length) }))
        }
    for (const one of [log, ...others]) await one.record(sent)
    const news = (sendId: string) => ({ sendId, providerId: 'p', error: 'Returned.' })
    const alert = (sendId: string) => ({
      outboxId: `alr_${sendId}`,
      submissionId: 'sub',
      payload: { kind: 'x' },
    })
    const isReturned = ({ channel, outcome, providerId }: SendRecord) =>
      channel === 'email' && outcome === 'accepted' && providerId !== 'another'
    for (const send of sent) {
      const taken = await log.takeReturn(news(send.sendId), alert(send.sendId), at(99))
      const pendingSince = send.outcome === 'pending' ? send.at : null
      assert.deepEqual(taken, { isRecorded: isReturned(send), pendingSince })
      const again = await log.takeReturn(
        { ...news(send.sendId), error: 'Again.' },
        alert(`again_${send.sendId}`),
        at(100),
      )
      assert.deepEqual(again, { isRecorded: false, pendingSince })
    }
    assert.deepEqual(await log.takeReturn(news('none'), alert('none'), at(99)), {
      isRecorded: false,
      pendingSince: null,
    })
    const after = sent.map((send): SendRecord => {
      const ending = { outcome: 'failed', error: 'Returned.', providerId: 'p' } as const
      return isReturned(send) ? { ...send, ...ending } : send
    })
    assert.deepEqual((await log.list(null, 99)).toReversed(), after)
    for (const other of others) assert.deepEqual((await other.list(null, 99)).toReversed(), sent)
    const told = await storage.outbox.list('org-a', null, 99)
    assert.deepEqual(
      told.map(({ outboxId, kind, submissionId }) => [outboxId, kind, submissionId].join(' ')).sort(),
      sent
        .filter(isReturned)
        .map(({ sendId }) => `alr_${sendId} alert_email sub`)
        .sort(),
    )
    assert.deepEqual(await storage.outbox.list('org-b', null, 99), [])
    // What is written late of how it was handed over does not undo it.
    const returned = after.filter(({ error }) => error === 'Returned.')
    const late = returned.map(
      (send) => ({ ...send, outcome: 'accepted', providerId: 'q', error: null }) as const,
    )
    await log.end(late, null)
    await log.record(late)
    assert.deepEqual((await log.list(null, 99)).toReversed(), after)
  },
  async 'nothing is recorded of an organization that is being deleted, and no key is taken'({
    sends,
    organizationStore,
  }) {
    await organizationStore('org-a').beginDeletion(at(0))
    const log = sends.open('org-a')
    assert.equal(await log.record(three('a')), false)
    assert.deepEqual(await claim(log, 'a'), { kind: 'gone' })
    assert.deepEqual(await log.list(null, 9), [])
  },
  async 'keys that are free again are forgotten in steps, and their sends stay'({
    sends,
    retentionDirectory,
  }) {
    const log = sends.open('org-a')
    for (const [index, name] of ['a', 'b', 'c'].entries()) await claim(log, name, index, { requestKey: name })
    assert.equal(await retentionDirectory.nextDue(), at(DAY))
    assert.equal(await retentionDirectory.forgetSendKeys(at(DAY - 1), 9), 0)
    assert.equal(await retentionDirectory.forgetSendKeys(at(DAY + 1), 1), 1)
    assert.equal(await retentionDirectory.forgetSendKeys(at(DAY + 1), 9), 1)
    assert.equal(await retentionDirectory.nextDue(), at(DAY + 2))
    assert.equal((await log.list(null, 99)).length, 9)
  },
  async 'the message of an entry is recorded before it is handed over, by whoever holds the lease alone'(
    storage,
  ) {
    await storage.tenant('org-a').upsert('forms', [form('form-1')])
    const entry = { outboxId: 'out-1', kind: 'notification_email', payload: {} }
    await storage.tenant('org-a').saveSubmission(submission('sub-1', { outbox: [entry] }))
    const outbox = storage.outbox.open('org-a')
    const log = storage.sends.open('org-a')
    await outbox.claim('out-1', { token: 't', until: at(60) }, at(0))
    const send = pendingSend('out-1')
    assert.equal(await outbox.begin('out-1', 'other', send), false)
    assert.equal(await outbox.begin('out-2', 't', send), false)
    assert.deepEqual(await log.list(null, 9), [])
    assert.equal(await outbox.begin('out-1', 't', send), true)
    assert.deepEqual(await log.list(null, 9), [send])
    const failed = { ...send, outcome: 'failed', error: 'busy' } as const
    const retry = { kind: 'retry', at: at(30), reason: 'busy', counted: true, sends: [failed] } as const
    assert.equal(await outbox.settle('out-1', 't', retry, at(9)), true)
    assert.deepEqual(await log.list(null, 9), [failed])
    await outbox.claim('out-1', { token: 't2', until: at(90) }, at(30))
    const again = pendingSend('out-1', { at: at(31) })
    assert.equal(await outbox.begin('out-1', 't2', again), true)
    assert.deepEqual(await log.list(null, 9), [again])
  },
  async 'a message of an automation is recorded when it is admitted, and not while it waits'(storage) {
    await storage.administration.saveOrganization(organization('org-a'))
    await storage.tenant('org-a').upsert('forms', [form('form-1')])
    const entry = { outboxId: 'out-1', kind: 'automation_run', payload: {} }
    await storage.tenant('org-a').saveSubmission(submission('sub-1', { outbox: [entry] }))
    const outbox = storage.outbox.open('org-a')
    await outbox.claim('out-1', { token: 't', until: at(60) }, at(0))
    const ask = (messageId: string, token = 't') =>
      outbox.admit(
        'out-1',
        token,
        {
          messageId,
          recipient: 'ada@example.com',
          recipientMax: 1,
          organizationMax: 9,
          waitsUntil: at(3 * DAY),
          leaseUntil: at(60),
          send: pendingSend(messageId),
        },
        at(0),
      )
    assert.equal((await ask('m-0', 'other')).kind, 'over')
    assert.equal((await ask('m-1')).kind, 'admitted')
    assert.equal((await ask('m-2')).kind, 'over')
    assert.deepEqual(await storage.sends.open('org-a').list(null, 9), [pendingSend('m-1')])
  },
})
