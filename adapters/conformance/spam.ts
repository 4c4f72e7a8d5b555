import assert from 'node:assert/strict'
import { wordsOf } from '../../domain/spam/content.ts'
import type { StoredRow, SubmissionSign } from '../../ports/index.ts'
import {
  type MakeStorage,
  contact,
  form,
  readContact,
  submission,
  twoTenants,
  type TwoTenants,
} from './fixtures.ts'
import { automation } from './outbox.ts'
import { webhook } from './webhooks.ts'
import { casesFrom } from './cases.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

async function readSubmission({ read }: TwoTenants, id: string): Promise<StoredRow> {
  const select = ['submissionId', 'contactId', 'spam', 'spamReasons', 'held', 'updatedAt']
  const [rows] = await read('org-a', [{ kind: 'one', collection: 'form-submissions', select, id }])
  assert(rows?.[0] !== undefined)
  return rows[0]
}

/** Both organizations with two forms each; `org-a` has an automation and a webhook for the first. */
async function withForms(make: MakeStorage): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  for (const organizationId of ['org-a', 'org-b'])
    await storage
      .tenant(organizationId)
      .upsert('forms', [notifying(`${organizationId}-1`), form(`${organizationId}-2`)])
  await storage.tenant('org-a').upsert('automations', [automation('aut-1', { triggerFormId: 'org-a-1' })])
  assert(await storage.webhooks('org-a').create(webhook('hook-1'), 20))
  return storage
}

function notifying(formId: string): StoredRow {
  const definition = { formId, fields: [], notificationEmails: ['one@example.com', 'two@example.com'] }
  return form(formId, { definition })
}

const signed = (sign: string, keptMs: number, earlierMax: number, reason: string): SubmissionSign => ({
  sign,
  keptMs,
  earlierMax,
  reason,
})

/** The kinds of work that wait because of a submission, sorted. */
async function workOf(storage: TwoTenants, submissionId: string): Promise<readonly string[]> {
  const entries = (await storage.outboxOf('org-a')).filter((entry) => entry.submissionId === submissionId)
  return entries
    .map(({ kind, payload }) =>
      kind === 'webhook_delivery' ? (payload as { readonly event: string }).event : kind,
    )
    .sort()
}

const FOLLOWING = [
  'automation_run',
  'contact.created',
  'notification_email',
  'notification_email',
  'submission.created',
]

const work = (id: string) => [{ outboxId: `obx_${id}`, kind: 'notification_email', payload: null }]

const outbox = [{ outboxId: 'obx_sub_1', kind: 'notification_email', payload: { to: 'one@example.com' } }]
const ada = { email: 'ada@example.com', firstName: 'Ada' }
const spam = { reasons: ['words'], signs: [], words: [] }

export const spamCases = casesFrom(withForms, {
  async 'a submission is spam when as many came lately with a sign of it, as a naive count has it'(storage) {
    const random = drawing()
    const draw = (count: number) => Math.floor(random() * count)
    const came: { readonly form: string; readonly sign: string; readonly atMs: number }[] = []
    let found = 0
    for (let index = 0; index < 250; index += 1) {
      storage.clock.ms += [0, 1, SECOND_MS, 5 * SECOND_MS, draw(20) * SECOND_MS][draw(5)] ?? 0
      const organizationId = random() < 0.8 ? 'org-a' : 'org-b'
      const formId = `${organizationId}-${draw(2) + 1}`
      const given = [
        signed(`text-${draw(4)}`, 60 * SECOND_MS, 3, 'repeated'),
        signed(`network-${draw(3)}`, 20 * SECOND_MS, 2, 'flood'),
      ].slice(0, draw(4))
      const reasons = random() < 0.05 ? ['words', 'repeated'] : []
      const nowMs = storage.clock.nowMs()
      const expected = new Set([
        ...reasons,
        ...given
          .filter(
            ({ sign, keptMs, earlierMax }) =>
              came.filter((one) => one.form === formId && one.sign === sign && one.atMs + keptMs > nowMs)
                .length >= earlierMax,
          )
          .map(({ reason }) => reason),
      ])
      came.push(...given.map(({ sign }) => ({ form: formId, sign, atMs: nowMs })))
      const id = `sub-${index}`
      const of = submission(
        id,
        // Some have nothing but work that follows, which is remembered beside the signs of others.
        { formId, judged: { reasons, signs: given, words: [] }, outbox: index % 3 === 0 ? work(id) : [] },
        { email: `${index}@example.com` },
      )
      const outcome = await storage.tenant(organizationId).saveSubmission(of)
      // Saving it again counts nothing twice.
      if (random() < 0.2) await storage.tenant(organizationId).saveSubmission(of)
      const isSpam = expected.size > 0
      assert.equal(outcome.kind === 'saved' && outcome.contactId, isSpam ? null : `new-${id}`)
      if (organizationId === 'org-b') continue
      const row = await readSubmission(storage, id)
      assert.deepEqual(
        [row.spam, new Set((row.spamReasons ?? []) as readonly string[]), row.contactId, row.held !== null],
        [isSpam, expected, isSpam ? null : `new-${id}`, isSpam],
      )
      found += Number(isSpam)
    }
    assert(found > 25 && found < 150, String(found))
  },
  async 'nothing follows from spam until it is marked clean, and then all of it once'(storage) {
    const writer = storage.tenant('org-a')
    const of = submission('sub-1', { formId: 'org-a-1', judged: spam, outbox }, ada)
    assert.deepEqual(await writer.saveSubmission(of), { kind: 'saved', contactId: null, outboxIds: [] })
    assert.deepEqual(await writer.saveSubmission(of), { kind: 'saved', contactId: null, outboxIds: [] })
    assert.deepEqual(await storage.outboxOf('org-a'), [])
    assert.equal(await readContact(storage, 'new-sub-1'), undefined)
    assert.deepEqual(await writer.countUnread(null, 9), { unread: 0, isWhole: true })
    const held = await readSubmission(storage, 'sub-1')
    storage.clock.ms += SECOND_MS
    assert.deepEqual(await writer.markSubmissions(['sub-1'], { isSpam: true }), [])
    assert.deepEqual(await readSubmission(storage, 'sub-1'), held)
    assert.deepEqual(await writer.markSubmissions(['sub-1', 'none'], { isSpam: false }), ['none'])
    assert.deepEqual(await readSubmission(storage, 'sub-1'), held)
    assert.deepEqual(await storage.outboxOf('org-a'), [])

    assert.deepEqual(await writer.markSubmissions(['sub-1', 'sub-1'], { isSpam: false }), [])
    assert.deepEqual(await workOf(storage, 'sub-1'), FOLLOWING)
    const released = await readSubmission(storage, 'sub-1')
    assert.deepEqual(
      [released.spam, released.spamReasons, released.contactId, released.held],
      [false, null, 'new-sub-1', null],
    )
    assert(String(released.updatedAt) > String(held.updatedAt))
    assert.equal((await readContact(storage, 'new-sub-1'))?.firstName, 'Ada')
    assert.deepEqual(await writer.countUnread(null, 9), { unread: 1, isWhole: true })

    for (const isSpam of [false, true, true, false]) {
      storage.clock.ms += SECOND_MS
      await writer.markSubmissions(['sub-1'], { isSpam })
      const now = await readSubmission(storage, 'sub-1')
      assert.deepEqual(
        [now.spam, now.spamReasons, now.contactId],
        [isSpam, isSpam ? ['marked'] : null, 'new-sub-1'],
      )
      assert.deepEqual(await workOf(storage, 'sub-1'), FOLLOWING)
    }
    assert.deepEqual(await storage.outboxOf('org-b'), [])
  },
  async 'what is released finds its contact, however many are released at once, and nobody else is touched'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    await writer.upsert('contacts', [contact('con-1', { email: 'known@example.com' })])
    const ids = Array.from({ length: 120 }, (_, index) => `sub-${index}`)
    for (const [index, id] of ids.entries()) {
      const email = index % 3 === 0 ? 'known@example.com' : `${index % 5}@example.com`
      const who = index % 7 === 6 ? null : { email, firstName: `Name ${index}` }
      await writer.saveSubmission(
        submission(
          id,
          { formId: `org-a-${(index % 2) + 1}`, judged: spam, submittedAt: instant(index) },
          who,
        ),
      )
    }
    await storage
      .tenant('org-b')
      .saveSubmission(submission('sub-0', { formId: 'org-b-1', judged: spam }, ada))
    await writer.markSubmissions(ids, { isSpam: false, isRead: true })
    assert.deepEqual([...(await writer.findRead(ids))].sort(), [...ids].sort())
    const newest = new Map<string, string>()
    for (const [index, id] of ids.entries()) {
      const row = await readSubmission(storage, id)
      const email = index % 3 === 0 ? 'known@example.com' : `${index % 5}@example.com`
      if (email !== 'known@example.com' && index % 7 !== 6 && !newest.has(email))
        newest.set(email, `new-${id}`)
      const expected = index % 7 === 6 ? null : email === 'known@example.com' ? 'con-1' : newest.get(email)
      assert.deepEqual([row.spam, row.contactId, row.held], [false, expected, null], id)
      const kinds = await workOf(storage, id)
      // Of those beyond the first twenty of a form, a digest tells.
      const isTold = index % 2 === 0 && index / 2 < 20
      assert.equal(kinds.filter((kind) => kind === 'notification_email').length, isTold ? 2 : 0)
      assert.equal(kinds.filter((kind) => kind === 'submission.created').length, 1)
    }
    assert.equal((await readContact(storage, 'con-1'))?.firstName, 'Name 0')
    assert.deepEqual(await storage.outboxOf('org-b'), [])
  },
  async 'spam that is removed is held no more'(storage) {
    const writer = storage.tenant('org-a')
    const of = submission('sub-1', { formId: 'org-a-1', judged: spam, answers: {}, outbox }, ada)
    await writer.saveSubmission(of)
    await writer.upsert('contacts', [contact('con-1', { email: 'ada@example.com' })])
    const own = storage.organizationStore('org-a')
    const rows = await own.read('form_submissions', null)
    assert(JSON.stringify(rows).includes('ada@example.com'))
    await writer.markSubmissions(['sub-1'], { isSpam: true })
    await own.removeRows('form-submissions', [['sub-1']])
    assert.deepEqual(await writer.markSubmissions(['sub-1'], { isSpam: false }), ['sub-1'])
    assert.deepEqual(await storage.outboxOf('org-a'), [])
  },
  async 'what people mark is learned, each submission once, and by their organization alone'(storage) {
    const texts = {
      spam: 'cheap drone photography of your roof',
      clean: 'please call about my broken mirror',
    }
    const ids = (kind: string) => Array.from({ length: 6 }, (_, index) => `${kind}-${index}`)
    const save = async (id: string, text: string, organizationId = 'org-a') => {
      const judged = { reasons: [], signs: [], words: wordsOf({ text }) }
      // What was sent besides teaches as the answers do.
      const said = id.endsWith('1') ? { answers: {}, extra: { text } } : { answers: { text } }
      const of = { formId: `${organizationId}-2`, ...said, judged }
      await storage.tenant(organizationId).saveSubmission(submission(id, of))
    }
    for (const kind of ['spam', 'clean'] as const) for (const id of ids(kind)) await save(id, texts[kind])
    const writer = storage.tenant('org-a')
    let tried = 0
    const isTaken = async () => {
      tried += 1
      await save(`try-${tried}`, `${texts.spam} today`)
      await save(`other-${tried}`, `${texts.clean} today`)
      await save(`try-${tried}`, texts.spam, 'org-b')
      assert.equal((await readSubmission(storage, `other-${tried}`)).spam, false)
      return (await readSubmission(storage, `try-${tried}`)).spamReasons
    }
    const [first = ''] = ids('spam')
    // One that is marked again and again is one.
    for (let again = 0; again < 9; again += 1) await writer.markSubmissions([first, first], { isSpam: true })
    await writer.markSubmissions(ids('clean'), { isSpam: false })
    assert.equal(await isTaken(), null)
    // Those who mark at the same moment are both heard.
    await Promise.all(ids('spam').map((id) => writer.markSubmissions([id], { isSpam: true })))
    assert.deepEqual(await isTaken(), ['learned'])
    const [rows] = await storage.read('org-b', [
      { kind: 'one', collection: 'form-submissions', select: ['spam'], id: `try-${tried}` },
    ])
    assert.deepEqual(rows, [{ spam: false }])
    // What is taken back was never learned.
    await writer.markSubmissions(ids('spam'), { isSpam: false })
    assert.equal(await isTaken(), null)
  },
  async 'what is said of a submission says nothing of that of another organization with the same id'(
    storage,
  ) {
    const texts = ['cheap drone photography of your roof', 'please call about my broken mirror'] as const
    const save = (organizationId: string, id: string, text: string) => {
      const judged = { reasons: [], signs: [], words: wordsOf({ text }) }
      const of = { formId: `${organizationId}-2`, answers: { text }, judged }
      return storage.tenant(organizationId).saveSubmission(submission(id, of))
    }
    const ids = texts.map((_, kind) => Array.from({ length: 6 }, (__, index) => `sub-${kind}-${index}`))
    // As after a restoration under another id. The other one says it first, and of some the opposite.
    for (const organizationId of ['org-b', 'org-a'])
      for (const [kind, some] of ids.entries()) {
        for (const id of some) await save(organizationId, id, texts[kind] ?? '')
        await storage.tenant(organizationId).markSubmissions(some, { isSpam: kind === 0, isRead: true })
      }
    const [first = []] = ids
    await storage.tenant('org-b').markSubmissions(first.slice(0, 3), { isSpam: false, isRead: false })
    const isSpam = async (id: string) => (await readSubmission(storage, id)).spam
    await save('org-a', 'sub-try', `${texts[0]} today`)
    await save('org-a', 'sub-other', `${texts[1]} today`)
    assert.deepEqual([await isSpam('sub-try'), await isSpam('sub-other')], [true, false])
    assert.equal(await isSpam('sub-0-0'), true)
    const read = async (organizationId: string) =>
      [...(await storage.tenant(organizationId).findRead(ids.flat()))].sort()
    assert.deepEqual(await read('org-a'), ids.flat().sort())
    assert.deepEqual(await read('org-b'), [...first.slice(3), ...(ids[1] ?? [])].sort())
    const unread = async (organizationId: string) =>
      (await storage.tenant(organizationId).countUnread(null, 99)).unread
    assert.deepEqual([await unread('org-a'), await unread('org-b')], [1, 3])
  },
  async 'what came lately is forgotten within a day'(storage) {
    const flood = { reasons: [], words: [], signs: [signed('n', HOUR_MS, 1, 'flood')] }
    const save = (id: string) =>
      storage.tenant('org-a').saveSubmission(submission(id, { formId: 'org-a-1', judged: flood }))
    await save('sub-1')
    await save('sub-2')
    assert.equal((await readSubmission(storage, 'sub-2')).spam, true)
    const retention = storage.retentionDirectory
    const due = await retention.nextDue()
    assert(due !== null && Date.parse(due) <= storage.clock.nowMs() + 24 * HOUR_MS)
    assert.equal(await retention.forgetSigns(new Date(Date.parse(due) - 1).toISOString(), 9), 0)
    assert.equal(await retention.forgetSigns(due, 9), 1)
    assert.equal(await retention.nextDue(), null)
    await save('sub-3')
    assert.equal((await readSubmission(storage, 'sub-3')).spam, false)
    assert.equal(await retention.forgetSigns(due, 9), 1)
  },
})

function instant(second: number): string {
  return new Date(Date.parse('2026-06-15T12:00:00.000Z') + second * SECOND_MS).toISOString()
}

/** Numbers from 0 up to 1, the same ones each time. */
export function drawing(): () => number {
  let state = 46
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
