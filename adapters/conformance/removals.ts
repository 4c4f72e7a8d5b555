import assert from 'node:assert/strict'
import type { Person, StoredRow, ErasureLedger, ErasureMark, RecordedErasure } from '../../ports/index.ts'
import {
  at,
  contact,
  form,
  readContact,
  submission,
  submissionRow,
  twoTenants,
  type TwoTenants,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'
import { automation } from './outbox.ts'

/** What was removed from an organization, oldest first: the collection and the id. */
async function removed({ read }: TwoTenants, since = at(-1000)): Promise<readonly (readonly unknown[])[]> {
  const [rows = []] = await read('org-a', [
    {
      kind: 'page',
      collection: 'removals',
      select: ['collection', 'id', 'updatedAt'],
      where: [{ field: 'updatedAt', operator: 'atLeast', value: since }],
      order: { field: 'updatedAt', idField: 'removalId', direction: 'ascending' },
      after: null,
      limit: 100,
    },
  ])
  return rows.map(({ collection, id }) => [collection, id])
}

const list: StoredRow = { listId: 'l-1', name: 'List', description: null, type: 'static', createdAt: at(0) }
const member = (contactId: string): StoredRow => ({ listId: 'l-1', contactId, addedAt: at(0) })

async function countOf({ tenant }: TwoTenants): Promise<unknown> {
  const [row] = await tenant('org-a').findMany('contact-lists', ['contactCount'], ['l-1'])
  return row?.contactCount
}

async function erase({ organizationStore }: TwoTenants, named: Partial<Person>): Promise<number> {
  const store = organizationStore('org-a')
  const person = await store.findPerson({ contactIds: [], emailKeys: [], phones: [], ...named })
  let rows = 0
  let position: string | null = null
  do {
    const step = await store.eraseSome({ ...person, numbers: [] }, position)
    rows += step.rows
    position = step.next
  } while (position !== null)
  return rows
}

export const removalCases = casesFrom(twoTenants, {
  async 'rows are removed all or none, not below others, and leave removals in the order of their time'(
    storage,
  ) {
    const { tenant, organizationStore, clock } = storage
    await tenant('org-a').upsert('contacts', [contact('c-1'), contact('c-2'), contact('c-3')])
    await tenant('org-b').upsert('contacts', [contact('c-1')])
    await tenant('org-a').upsert('contact-lists', [list])
    await tenant('org-a').upsert('list-members', [member('c-1'), member('c-2')])
    const store = organizationStore('org-a')
    assert.deepEqual(await store.removeRows('contacts', [['c-3'], ['none']]), {
      kind: 'unknown',
      keys: [['none']],
    })
    assert.deepEqual(await store.removeRows('contact-lists', [['l-1']]), {
      kind: 'needed',
      by: [{ collection: 'list-members', rows: 2 }],
    })
    assert.deepEqual(await removed(storage), [])
    clock.ms += 1000
    assert.deepEqual(await store.removeRows('list-members', [['l-1', 'c-1']]), { kind: 'removed', rows: 1 })
    assert.equal(await countOf(storage), 1)
    assert.deepEqual(await store.removeRows('contact-lists', [['l-1']]), {
      kind: 'needed',
      by: [{ collection: 'list-members', rows: 1 }],
    })
    assert.deepEqual(await store.removeRows('contacts', [['c-3'], ['c-1'], ['c-3']]), {
      kind: 'removed',
      rows: 2,
    })
    assert.deepEqual((await removed(storage)).toSorted(), [
      ['contacts', 'c-1'],
      ['contacts', 'c-3'],
      ['list-members', 'c-1'],
    ])
    assert.notEqual(await readContact(storage, 'c-1', 'org-b'), undefined)
    // Removed again after it came again, it is the latest.
    await tenant('org-a').upsert('list-members', [member('c-1')])
    clock.ms += 1000
    await store.removeRows('list-members', [['l-1', 'c-1']])
    assert.deepEqual((await removed(storage)).at(-1), ['list-members', 'c-1'])
    assert.equal((await removed(storage)).length, 3)
  },
  async 'forms and lists are not removed while an automation needs them'({ tenant, organizationStore }) {
    const steps = [
      { type: 'add_tag', tag: 'l-2' },
      { type: 'add_to_list', listId: 'l-1' },
    ]
    await tenant('org-a').upsert('forms', [form('form-1'), form('form-2')])
    await tenant('org-a').upsert('contact-lists', [list, { ...list, listId: 'l-2' }])
    await tenant('org-a').upsert('automations', [automation('a-1', { steps })])
    const store = organizationStore('org-a')
    const needed = { kind: 'needed', by: [{ collection: 'automations', rows: 1 }] }
    assert.deepEqual(await store.removeRows('forms', [['form-1'], ['form-2']]), needed)
    assert.deepEqual(await store.removeRows('contact-lists', [['l-1'], ['l-2']]), needed)
    const removed = { kind: 'removed', rows: 1 }
    assert.deepEqual(await store.removeRows('forms', [['form-2']]), removed)
    assert.deepEqual(await store.removeRows('contact-lists', [['l-2']]), removed)
    assert.deepEqual(await store.removeRows('automations', [['a-1']]), removed)
    assert.deepEqual(await store.removeRows('forms', [['form-1']]), removed)
  },
  async 'a person is erased wherever the records say so, once, and what waited for them is dropped'(storage) {
    const { tenant, sends, clock } = storage
    const ada = contact('c-1', {
      email: 'Ada@example.com',
      emailKey: 'ada@example.com',
      phone: '+12125550100',
    })
    await tenant('org-a').upsert('contacts', [ada, contact('c-2', { firstName: 'Grace' })])
    await tenant('org-b').upsert('contacts', [ada])
    await tenant('org-a').upsert('forms', [form('form-1')])
    await tenant('org-a').upsert('form-submissions', [
      submissionRow('s-0', { answers: { mail: 'grace@example.com' } }),
      submissionRow('s-1', { contactId: 'c-1', answers: { why: 'because' } }),
      submissionRow('s-2', { answers: { nested: [{ mail: 'ADA@example.com' }] } }),
      submissionRow('s-3', { contactId: 'c-2', answers: { mail: 'ada@example.com' } }),
    ])
    const entry = { outboxId: 'obx_s-4_1', kind: 'notification_email', payload: {} }
    await tenant('org-a').saveSubmission(submission('s-4', { outbox: [entry] }, { email: 'ada@example.com' }))
    const sent = { channel: 'email', from: 'a@example.com', providerId: null, outcome: 'accepted' } as const
    await sends.open('org-a').record([
      { ...sent, sendId: 'm-1', to: 'Ada@example.com', error: null, at: at(0) },
      { ...sent, sendId: 'm-2', to: 'grace@example.com', error: null, at: at(0) },
    ])
    const stamps = async () => {
      const rows = await tenant('org-a').findMany('form-submissions', ['updatedAt'], ['s-1'])
      return [(await readContact(storage, 'c-1'))?.updatedAt, rows[0]?.updatedAt].map(String)
    }
    clock.ms += 5000
    assert((await erase(storage, { contactIds: ['c-1'] })) >= 4)
    // Whoever has synced until now sees it.
    assert((await stamps()).every((stamp) => Date.parse(stamp) >= clock.ms))
    const found = await readContact(storage, 'c-1')
    assert.deepEqual(
      [found?.firstName, found?.email, found?.phone, found?.tags, found?.emailConsent],
      [null, null, null, [], 'unsubscribed'],
    )
    const answers = await tenant('org-a').findMany(
      'form-submissions',
      ['submissionId', 'answers'],
      ['s-0', 's-1', 's-2', 's-3', 's-4'],
    )
    assert.deepEqual(answers.map((row) => [row.submissionId, row.answers]).toSorted(), [
      ['s-0', { mail: 'grace@example.com' }],
      ['s-1', {}],
      ['s-2', {}],
      ['s-3', { mail: 'ada@example.com' }],
      ['s-4', {}],
    ])
    assert.deepEqual(await storage.outboxOf('org-a'), [])
    const log = await sends.open('org-a').list(null, 10)
    assert.deepEqual(log.map(({ to }) => to).toSorted(), ['erased', 'grace@example.com'])
    assert.equal((await readContact(storage, 'c-2'))?.firstName, 'Grace')
    assert.equal((await readContact(storage, 'c-1', 'org-b'))?.phone, '+12125550100')
    const before = found?.updatedAt
    clock.ms += 5000
    assert.equal(await erase(storage, { contactIds: ['c-1'] }), 0)
    assert.equal((await readContact(storage, 'c-1'))?.updatedAt, before)
  },
  async 'what waits to be sent to who is erased is dropped, also when only the reason for its delay names them, and in no other organization'(
    storage,
  ) {
    const entry = (outboxId: string, to: string) => ({
      outboxId,
      kind: 'notification_email',
      payload: { to },
    })
    for (const organizationId of ['org-a', 'org-b']) {
      const formId = `form-${organizationId}`
      await storage.tenant(organizationId).upsert('forms', [form(formId)])
      const outbox = [
        entry(`${organizationId}-1`, 'Ada@example.com'),
        entry(`${organizationId}-2`, 'grace@example.com'),
        entry(`${organizationId}-3`, 'grace@example.com'),
      ]
      await storage
        .tenant(organizationId)
        .saveSubmission(submission(`s-${organizationId}`, { formId, outbox }))
      const mine = storage.outbox.open(organizationId)
      const delayed = `${organizationId}-2`
      await mine.claim(delayed, { token: 't', until: at(9060) }, at(9000))
      const reason = 'No: ADA@example.com'
      await mine.settle(delayed, 't', { kind: 'retry', at: at(9100), reason, counted: true }, at(9001))
    }
    await erase(storage, { emailKeys: ['ada@example.com'] })
    const left = async (organizationId: string) =>
      (await storage.outboxOf(organizationId)).map(({ outboxId }) => outboxId).toSorted()
    assert.deepEqual(await left('org-a'), ['org-a-3'])
    assert.deepEqual(await left('org-b'), ['org-b-1', 'org-b-2', 'org-b-3'])
  },
  async 'an organization that is deleted is closed first, and its id is free when nothing is left'(storage) {
    const { tenant, organizationStore, administration, forms } = storage
    await tenant('org-a').upsert('forms', [form('form-1')])
    await tenant('org-a').upsert('contacts', [contact('c-1', { firstName: 'Ada' }), contact('c-2')])
    await tenant('org-b').upsert('contacts', [contact('c-1')])
    const saved = await administration.findOrganization('org-a')
    assert(saved !== null)
    const store = organizationStore('org-a')
    assert.equal(await organizationStore('nobody').beginDeletion(at(1)), 'unknown')
    assert.equal(await store.beginDeletion(at(1)), 'begun')
    assert.equal(await administration.findOrganization('org-a'), null)
    assert.equal(await forms.find('form-1'), null)
    assert.equal(await administration.saveOrganization(saved), 'restoring')
    // Whoever is erased at this very moment goes with all others.
    await erase(storage, { contactIds: ['c-1'] })
    const rows: Record<string, number> = {}
    for (let step = await store.deleteSome(); step !== null; step = await store.deleteSome())
      rows[step.table] = (rows[step.table] ?? 0) + step.rows
    assert.deepEqual([rows.contacts, rows.forms], [2, 1])
    assert.equal(await store.beginDeletion(at(2)), 'unknown')
    assert.equal(await administration.saveOrganization(saved), 'saved')
    assert.deepEqual(await tenant('org-a').findMany('contacts', ['contactId'], ['c-1', 'c-2']), [])
    assert.equal((await tenant('org-b').findMany('contacts', ['contactId'], ['c-1'])).length, 1)
  },
  async 'what is older than an organization keeps it is removed, and again when it is due again'(storage) {
    const { tenant, organizationStore, retentionDirectory } = storage
    await tenant('org-a').upsert('forms', [form('form-1')])
    await tenant('org-a').upsert('form-submissions', [
      submissionRow('s-1', { submittedAt: at(0) }),
      submissionRow('s-2', { submittedAt: at(5000) }),
    ])
    assert.deepEqual(await organizationStore('org-a').retention(), { submissions: null, sends: null })
    assert.deepEqual(await organizationStore('nobody').setRetention({ submissions: 1 }, at(0)), {
      kind: 'missing',
    })
    assert.deepEqual(await organizationStore('org-a').setRetention({ submissions: 7 }, at(10)), {
      kind: 'set',
      retention: { submissions: 7, sends: null },
    })
    assert.deepEqual(await retentionDirectory.due(at(9), 10), [])
    const [due] = await retentionDirectory.due(at(10), 10)
    assert.deepEqual(due, { organizationId: 'org-a', kind: 'submissions', days: 7 })
    assert.equal(await retentionDirectory.apply(due, at(5000), at(6000), at(7000)), 1)
    assert.deepEqual(await removed(storage), [['form-submissions', 's-1']])
    // Whoever has synced since the last write before learns of it.
    assert.deepEqual(await removed(storage, at(6000)), [['form-submissions', 's-1']])
    assert.equal(await retentionDirectory.nextDue(), at(7000))
    assert.equal(await retentionDirectory.forgetRemovals(at(-1), 10), 0)
    assert.equal(await retentionDirectory.forgetRemovals(at(99_999_999), 10), 1)
    assert.deepEqual(await removed(storage), [])
  },
  async 'of what an organization has sent, what is older than it keeps that is removed'({
    sends,
    organizationStore,
    retentionDirectory,
  }) {
    const sent = { channel: 'email', from: 'a@example.com', providerId: null, outcome: 'accepted' } as const
    for (const organizationId of ['org-a', 'org-b'])
      await sends.open(organizationId).record([
        { ...sent, sendId: `${organizationId}-1`, to: 'ada@example.com', error: null, at: at(0) },
        { ...sent, sendId: `${organizationId}-2`, to: 'ada@example.com', error: null, at: at(5000) },
      ])
    await organizationStore('org-a').setRetention({ submissions: null, sends: 3 }, at(10))
    const [due] = await retentionDirectory.due(at(10), 10)
    assert.deepEqual(due, { organizationId: 'org-a', kind: 'sends', days: 3 })
    assert.equal(await retentionDirectory.apply(due, at(5000), at(6000), at(7000)), 1)
    const left = async (organizationId: string) =>
      (await sends.open(organizationId).list(null, 10)).map(({ sendId }) => sendId).toSorted()
    assert.deepEqual(await left('org-a'), ['org-a-2'])
    assert.deepEqual(await left('org-b'), ['org-b-1', 'org-b-2'])
  },
})

const mark = (kind: ErasureMark['kind'], value: string): ErasureMark => ({
  kind,
  value,
  secretVersion: kind === 'contact' ? '' : 'v1',
})

/** All marks since an instant, in pages of this size, as `organization kind value`. */
async function marks(
  ledger: ErasureLedger,
  organizationIds: readonly string[],
  instant: string,
  limit = 100,
): Promise<readonly string[]> {
  const found: RecordedErasure[] = []
  for (let after: RecordedErasure | null = null; ;) {
    const page: readonly RecordedErasure[] = await ledger.since(organizationIds, instant, after, limit)
    assert(page.length <= limit)
    found.push(...page)
    if (page.length < limit)
      return found.map(({ organizationId, kind, value }) => `${organizationId} ${kind} ${value}`)
    after = page.at(-1) ?? null
  }
}

export const erasureCases = casesFrom(twoTenants, {
  async 'who was erased is told by organization, after an instant, whole and in pages'({ erasures }) {
    await erasures.record('org-a', [mark('email', 'h-2'), mark('contact', 'c-1')], at(10), at(100))
    await erasures.record('org-a', [mark('contact', 'c-2')], at(20), at(101))
    // No organization has to be there: it may have been deleted.
    await erasures.record('gone', [mark('national', 'h-1'), mark('phone', 'h-1')], at(10), at(102))
    await erasures.record('org-b', [mark('contact', 'c-1')], at(30), at(103))
    const own = ['org-a contact c-1', 'org-a contact c-2', 'org-a email h-2']
    assert.deepEqual(await marks(erasures, ['org-a'], at(9)), own)
    assert.deepEqual(await marks(erasures, ['org-a'], at(10)), ['org-a contact c-2'])
    assert.deepEqual(await marks(erasures, ['org-a'], at(20)), [])
    assert.deepEqual(await marks(erasures, [], at(0)), [])
    const both = ['gone national h-1', 'gone phone h-1', ...own]
    for (const limit of [1, 2, 5, 100])
      assert.deepEqual(await marks(erasures, ['org-a', 'gone', 'none'], at(0), limit), both)
    assert.deepEqual(await erasures.since(['org-b'], at(0), null, 9), [
      { organizationId: 'org-b', kind: 'contact', value: 'c-1', secretVersion: '', erasedAt: at(30) },
    ])
    await erasures.record('org-a', [], at(40), at(104))
    assert.deepEqual(await marks(erasures, ['org-a'], at(30)), [])
  },
  async 'of a mark that is recorded again the later erasure counts, whatever comes first'({ erasures }) {
    const told = async () => (await erasures.since(['org-a'], at(0), null, 9)).map(({ erasedAt }) => erasedAt)
    for (const [erasedAt, counts] of [
      [20, 20],
      [30, 30],
      [25, 30],
      [30, 30],
    ] as const) {
      await erasures.record('org-a', [mark('email', 'h-1')], at(erasedAt), at(100))
      assert.deepEqual(await told(), [at(counts)])
    }
    // One person has more marks than one statement takes.
    const many = Array.from({ length: 1200 }, (_, index) =>
      mark('contact', `c-${String(index).padStart(4, '0')}`),
    )
    await erasures.record('org-a', many, at(40), at(100))
    const found = await marks(erasures, ['org-a'], at(30), 500)
    assert.deepEqual(
      found,
      many.map(({ value }) => `org-a contact ${value}`),
    )
  },
  async 'marks are forgotten by the time at which they were recorded, the oldest first, at most so many'({
    erasures,
  }) {
    // The clock of an organization may be ahead, and says nothing of when a mark was recorded.
    await erasures.record('org-a', [mark('contact', 'late')], at(0), at(300))
    await erasures.record('org-b', [mark('contact', 'middle')], at(9000), at(200))
    await erasures.record('org-a', [mark('contact', 'early')], at(5000), at(100))
    const left = () => marks(erasures, ['org-a', 'org-b'], at(-1))
    assert.equal(await erasures.forget(at(100), 9), 0)
    assert.equal(await erasures.forget(at(301), 1), 1)
    assert.deepEqual(await left(), ['org-a contact late', 'org-b contact middle'])
    // A later erasure of the same person is kept as long as any.
    await erasures.record('org-b', [mark('contact', 'middle')], at(9001), at(400))
    assert.equal(await erasures.forget(at(301), 9), 1)
    assert.deepEqual(await left(), ['org-b contact middle'])
    assert.equal(await erasures.forget(at(401), 9), 1)
    assert.deepEqual(await left(), [])
  },
})
