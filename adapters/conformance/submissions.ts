import assert from 'node:assert/strict'
import {
  at,
  form,
  organization,
  readContact,
  submission,
  twoTenants,
  contact,
  type TwoTenants,
} from './fixtures.ts'
import type { StoredRow } from '../../ports/index.ts'
import { casesFrom } from './cases.ts'

/** Saves the form `form-1` of `org-a`. */
async function withForm({ tenant }: TwoTenants): Promise<void> {
  await tenant('org-a').upsert('forms', [form('form-1')])
}

async function readSubmission({ read }: TwoTenants, id: string): Promise<StoredRow | undefined> {
  const select = [
    'submissionId',
    'formId',
    'contactId',
    'attribution',
    'source',
    'submittedAt',
    'answers',
    'typed',
    'extra',
    'updatedAt',
  ]
  const [rows] = await read('org-a', [{ kind: 'one', collection: 'form-submissions', select, id }])
  return rows?.[0]
}

const outbox = [
  { outboxId: 'out-1', kind: 'notification', payload: { to: 'a@example.com' } },
  { outboxId: 'out-2', kind: 'automation', payload: null },
]

export const submissionCases = casesFrom(twoTenants, {
  async 'a submission is saved whole, with its outbox entries'(storage) {
    await withForm(storage)
    const extra = { _subject: 'Hello', ['__proto__']: 'own', toString: '\u{1f4de}' }
    const saved = submission('sub-1', {
      answers: { a: [1, null, 'x'] },
      typed: { constructor: '+49 (0)171 \u{1f4de}' },
      extra,
      attribution: { gclid: 'g' },
      outbox,
    })
    assert.deepEqual(await storage.tenant('org-a').saveSubmission(saved), {
      kind: 'saved',
      contactId: null,
      outboxIds: ['out-1', 'out-2'],
    })
    const { updatedAt, ...row } = (await readSubmission(storage, 'sub-1')) ?? {}
    assert.deepEqual(row, {
      submissionId: 'sub-1',
      formId: 'form-1',
      contactId: null,
      attribution: { gclid: 'g' },
      source: 'headless',
      submittedAt: at(1),
      answers: { a: [1, null, 'x'] },
      typed: { constructor: '+49 (0)171 \u{1f4de}' },
      extra,
    })
    assert(typeof updatedAt === 'string')
    const seen = (await storage.outboxOf('org-a')).map(
      ({ outboxId, submissionId, kind, payload, status }) => ({
        outboxId,
        submissionId,
        kind,
        payload,
        status,
      }),
    )
    const expected = outbox.map((entry) => ({ ...entry, submissionId: 'sub-1', status: 'pending' }))
    assert.deepEqual(
      [...seen].sort((left, right) => (left.outboxId < right.outboxId ? -1 : 1)),
      expected,
    )
    assert.deepEqual(await storage.outboxOf('org-b'), [])
  },
  async 'saving the same submission again changes nothing and reports the same'(storage) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    const again = submission('sub-1', { outbox, limitPerContact: 1 }, { email: 'ada@example.com' })
    const first = { ...(await writer.saveSubmission(again)), outboxIds: [] }
    const before = [await readSubmission(storage, 'sub-1'), await readContact(storage, 'new-sub-1')]
    storage.clock.ms += 5000
    assert.deepEqual(await writer.saveSubmission(again), first)
    // Saving again changes nothing, even if the form has changed in between, as it may between a lost answer and the
    // next attempt.
    await writer.upsert('forms', [form('form-1', { isPublished: false })])
    assert.deepEqual(await writer.saveSubmission(again), first)
    assert.deepEqual(
      [await readSubmission(storage, 'sub-1'), await readContact(storage, 'new-sub-1')],
      before,
    )
    assert.equal((await storage.outboxOf('org-a')).length, 2)
  },
  async 'a repeated save does not fill a contact that was emptied meanwhile'(storage) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    const again = submission('sub-1', {}, { email: 'ada@example.com', firstName: 'Ada' })
    await writer.saveSubmission(again)
    const { updatedAt, ...row } = (await readContact(storage, 'new-sub-1')) ?? {}
    assert(typeof updatedAt === 'string')
    await writer.upsert('contacts', [{ ...row, firstName: null }])
    await writer.saveSubmission(again)
    assert.equal((await readContact(storage, 'new-sub-1'))?.firstName, null)
  },
  async 'submissions are marked read and unread, all or none, and neither their rows nor those of others change'(
    storage,
  ) {
    const ids = ['s-1', 's-2', 's-3', 's-4', 's-5']
    for (const organizationId of ['org-a', 'org-b'] as const) {
      const writer = storage.tenant(organizationId)
      const formIds = [`form-${organizationId}`, `other-${organizationId}`] as const
      await writer.upsert(
        'forms',
        formIds.map((id) => form(id)),
      )
      for (const [index, id] of ids.entries())
        await writer.saveSubmission(
          submission(id, { formId: formIds[index % 2 === 0 ? 0 : 1], submittedAt: at(index) }),
        )
    }
    const writer = storage.tenant('org-a')
    const read = new Set<string>()
    const before = await Promise.all(ids.map((id) => readSubmission(storage, id)))
    const steps: readonly (readonly [readonly string[], boolean])[] = [
      [['s-5'], false],
      [['s-1', 's-3', 's-1'], true],
      [['s-2', 's-3'], true],
      [['s-3', 's-4'], false],
      [['s-3'], true],
      [['s-1'], false],
    ]
    for (const [marked, isRead] of steps) {
      storage.clock.ms += 1000
      assert.deepEqual(await writer.markSubmissions(marked, { isRead }), [])
      for (const id of marked) read[isRead ? 'add' : 'delete'](id)
      assert.deepEqual([...(await writer.findRead(ids))].sort(), [...read].sort())
      // Even ones are of the first form; a number of 3 looks at the newest three.
      const unreadAmong = (some: readonly string[]) => some.filter((id) => !read.has(id)).length
      assert.deepEqual(await writer.countUnread(null, 100), { unread: unreadAmong(ids), isWhole: true })
      assert.deepEqual(await writer.countUnread(null, 3), {
        unread: unreadAmong(ids.slice(2)),
        isWhole: false,
      })
      assert.deepEqual(await writer.countUnread('other-org-a', 100), {
        unread: unreadAmong(['s-2', 's-4']),
        isWhole: true,
      })
    }
    assert.deepEqual(await writer.markSubmissions(['s-1', 'none', 'no'], { isRead: true }), ['none', 'no'])
    assert.deepEqual([...(await writer.findRead(ids))].sort(), ['s-2', 's-3'])
    assert.deepEqual(await Promise.all(ids.map((id) => readSubmission(storage, id))), before)
    const other = storage.tenant('org-b')
    assert.deepEqual([await other.findRead(ids), await other.findRead([])], [[], []])
    assert.deepEqual(await other.countUnread(null, 100), { unread: 5, isWhole: true })
    // What is deleted and comes again under its id was not read.
    await storage.organizationStore('org-a').removeRows('form-submissions', [['s-3']])
    assert.deepEqual(await writer.markSubmissions(['s-3'], { isRead: true }), ['s-3'])
    await writer.saveSubmission(submission('s-3', { formId: 'form-org-a' }))
    assert.deepEqual(await writer.findRead(ids), ['s-2'])
  },
  async 'what was still to be done because of a submission goes when it is removed'(storage) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    for (const id of ['sub-1', 'sub-2']) {
      const own = outbox.map((entry, index) => ({ ...entry, outboxId: `obx_${id}_${index}` }))
      await writer.saveSubmission(submission(id, { outbox: own }))
    }
    const own = storage.organizationStore('org-a')
    assert.equal((await own.removeRows('form-submissions', [['sub-1'], ['none']])).kind, 'unknown')
    assert.equal((await storage.outboxOf('org-a')).length, 4)
    const removed = await own.removeRows('form-submissions', [['sub-1']])
    assert.deepEqual(removed, { kind: 'removed', rows: 1 })
    assert.deepEqual(
      (await storage.outboxOf('org-a')).map(({ outboxId }) => outboxId),
      ['obx_sub-2_0', 'obx_sub-2_1'],
    )
  },
  async 'a form that changed, is unpublished, gone or of another organization makes a submission stale'(
    storage,
  ) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [form('form-2', { isPublished: false })])
    await storage.tenant('org-b').upsert('forms', [form('form-b')])
    const contact = { email: 'ada@example.com' }
    const stale = [
      submission('sub-1', { formVersion: 2, outbox }, contact),
      submission('sub-2', { formId: 'form-2', outbox }, contact),
      submission('sub-3', { formId: 'form-missing', outbox }, contact),
      submission('sub-4', { formId: 'form-b', outbox }, contact),
    ]
    for (const attempt of stale) {
      assert.deepEqual(await writer.saveSubmission(attempt), { kind: 'stale' }, attempt.submissionId)
      assert.equal(await readSubmission(storage, attempt.submissionId), undefined)
      assert.equal(await readContact(storage, `new-${attempt.submissionId}`), undefined)
    }
    assert.deepEqual(await storage.outboxOf('org-a'), [])
  },
  async 'a change of the phone country makes a submission checked before it stale'(storage) {
    await withForm(storage)
    await storage.administration.saveOrganization(
      organization('org-a', { phoneCountry: 'DE', name: 'Renamed' }),
    )
    assert.deepEqual(await storage.tenant('org-a').saveSubmission(submission('sub-1')), { kind: 'stale' })
    const found = await storage.forms.find('form-1')
    assert.equal(found?.phoneCountry, 'DE')
    assert.equal(found.organizationName, 'Renamed')
    const next = submission('sub-1', { formVersion: found.version })
    assert.deepEqual(await storage.tenant('org-a').saveSubmission(next), {
      kind: 'saved',
      contactId: null,
      outboxIds: [],
    })
  },
  async 'of 100 parallel submissions by one new person with a limit of 3, exactly 3 are saved'(storage) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    const attempts = Array.from({ length: 100 }, (_, index) => {
      const entry = { outboxId: `out-${index}`, kind: 'notification', payload: {} }
      const changes = { limitPerContact: 3, outbox: [entry] }
      return writer.saveSubmission(submission(`sub-${index}`, changes, { email: 'ada@example.com' }))
    })
    const outcomes = await Promise.all(attempts)
    const saved = outcomes.filter((outcome) => outcome.kind === 'saved')
    assert.equal(saved.length, 3)
    assert.equal(new Set(saved.map(({ contactId }) => contactId)).size, 1)
    assert.equal(outcomes.filter(({ kind }) => kind === 'limit_reached').length, 97)
    assert.equal((await storage.outboxOf('org-a')).length, 3)
  },
  async 'a password hash is replaced unless it is another by now, and the form does not change by it'(
    storage,
  ) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [{ ...form('form-1'), passwordHash: 'old' }])
    const before = await storage.forms.find('form-1')
    const [row] = await writer.findMany('forms', ['updatedAt'], ['form-1'])
    await storage.tenant('org-b').replacePasswordHash('form-1', 'old', 'foreign')
    await writer.replacePasswordHash('form-1', 'other', 'wrong')
    await writer.replacePasswordHash('form-1', 'old', 'new')
    await writer.replacePasswordHash('form-1', 'old', 'late')
    assert.deepEqual(await storage.forms.find('form-1'), { ...before, passwordHash: 'new' })
    assert.deepEqual(await writer.findMany('forms', ['updatedAt'], ['form-1']), [row])
  },
  async 'the limit counts one contact, one form and one organization'(storage) {
    await withForm(storage)
    const writer = storage.tenant('org-a')
    const ada = { email: 'ada@example.com' }
    await writer.upsert('forms', [form('form-2')])
    const limitPerContact = 1
    const kindOf = async (id: string, changes = {}, contact: { email: string } | null = ada) =>
      (await writer.saveSubmission(submission(id, { limitPerContact, ...changes }, contact))).kind
    assert.equal(await kindOf('sub-1'), 'saved')
    assert.equal(await kindOf('sub-2'), 'limit_reached')
    assert.equal(await kindOf('sub-3', { formId: 'form-2' }), 'saved')
    assert.equal(await kindOf('sub-4', {}, { email: 'bob@example.com' }), 'saved')
    assert.equal(await kindOf('sub-5', { limitPerContact: 2 }), 'saved')
    assert.equal(await kindOf('sub-6', { limitPerContact: null }), 'saved')
    // A submission that identifies no contact cannot reach a per-contact limit.
    assert.equal(await kindOf('sub-7', {}, null), 'saved')
    assert.equal(await kindOf('sub-8', {}, null), 'saved')
  },
})

const PHONE = '+12125550123'
const OTHER_PHONE = '+12125550199'

type Attributes = NonNullable<Parameters<typeof submission>[2]>

/** Saves the form `form-1` and these contacts; gives a function that submits and returns the contact's id. */
async function withContacts(storage: TwoTenants, rows: readonly ReturnType<typeof contact>[]) {
  await storage.tenant('org-a').upsert('forms', [form('form-1')])
  await storage.tenant('org-a').upsert('contacts', rows)
  let count = 0
  return async (attributes: Attributes): Promise<string | null> => {
    count += 1
    const outcome = await storage.tenant('org-a').saveSubmission(submission(`sub-${count}`, {}, attributes))
    assert(outcome.kind === 'saved')
    return outcome.contactId
  }
}

async function fieldsOf(
  storage: TwoTenants,
  id: string,
  ...fields: readonly string[]
): Promise<readonly unknown[]> {
  const row = await readContact(storage, id)
  return fields.map((field) => row?.[field])
}

export const contactMatchingCases = casesFrom(twoTenants, {
  async 'somebody new becomes a contact as of the submission'(storage) {
    const submit = await withContacts(storage, [])
    const attributes = {
      email: 'Ada@Example.com',
      phone: PHONE,
      firstName: 'Ada',
      lastName: 'L',
      licensePlate: 'X1',
    }
    assert.equal(await submit(attributes), 'new-sub-1')
    const { updatedAt, ...row } = (await readContact(storage, 'new-sub-1')) ?? {}
    const expected = { ...attributes, source: 'form', createdAt: at(1) }
    assert.deepEqual(row, contact('new-sub-1', expected))
    assert(typeof updatedAt === 'string')
  },
  async 'the email matches whatever its case, before any phone, and the oldest of several contacts is taken'(
    storage,
  ) {
    const submit = await withContacts(storage, [
      contact('by-phone', { phone: PHONE, createdAt: at(-9) }),
      contact('young', { email: 'ada@example.com', createdAt: at(-1) }),
      contact('old-2', { email: 'ADA@example.com', createdAt: at(-5) }),
      contact('old-1', { email: 'ada@example.com', createdAt: at(-5) }),
    ])
    assert.equal(await submit({ email: 'Ada@Example.Com', phone: PHONE }), 'old-1')
  },
  async 'the phone matches a contact without an email, and fills it'(storage) {
    const submit = await withContacts(storage, [contact('c', { phone: PHONE, firstName: 'Ada' })])
    assert.equal(
      await submit({ email: 'Ada@example.com', phone: PHONE, firstName: 'Eve', lastName: 'L' }),
      'c',
    )
    const fields = await fieldsOf(storage, 'c', 'email', 'emailKey', 'phone', 'firstName', 'lastName')
    assert.deepEqual(fields, ['Ada@example.com', 'ada@example.com', PHONE, 'Ada', 'L'])
  },
  async 'without an email, the phone matches its oldest contact whatever the email of that'(storage) {
    const submit = await withContacts(storage, [
      contact('young', { phone: PHONE, createdAt: at(-1) }),
      contact('old', { phone: PHONE, email: 'ada@example.com', createdAt: at(-5) }),
    ])
    assert.equal(await submit({ phone: PHONE, lastName: 'L' }), 'old')
    assert.deepEqual(await fieldsOf(storage, 'old', 'email', 'lastName'), ['ada@example.com', 'L'])
  },
  async 'a phone whose contact has another email does not match, and is not copied to the new contact'(
    storage,
  ) {
    const submit = await withContacts(storage, [contact('eve', { phone: PHONE, email: 'eve@example.com' })])
    assert.equal(await submit({ email: 'ada@example.com', phone: PHONE }), 'new-sub-1')
    assert.deepEqual(await fieldsOf(storage, 'new-sub-1', 'email', 'phone'), ['ada@example.com', null])
    assert.deepEqual(await fieldsOf(storage, 'eve', 'email', 'phone'), ['eve@example.com', PHONE])
  },
  async 'a match by email is never given a phone that another contact holds'(storage) {
    const submit = await withContacts(storage, [
      contact('ada', { email: 'ada@example.com' }),
      contact('eve', { phone: PHONE }),
    ])
    assert.equal(await submit({ email: 'ada@example.com', phone: PHONE, firstName: 'Ada' }), 'ada')
    assert.deepEqual(await fieldsOf(storage, 'ada', 'phone', 'firstName'), [null, 'Ada'])
    assert.equal(await submit({ email: 'ada@example.com', phone: OTHER_PHONE }), 'ada')
    assert.deepEqual(await fieldsOf(storage, 'ada', 'phone'), [OTHER_PHONE])
  },
  async 'attributes that are there are never replaced; empty text counts as absent'(storage) {
    const submit = await withContacts(storage, [
      contact('ada', {
        email: 'ada@example.com',
        phone: PHONE,
        firstName: 'Ada',
        lastName: '',
        licensePlate: 'X1',
      }),
    ])
    const offered = { email: 'ADA@example.com', phone: OTHER_PHONE, firstName: 'Eve', lastName: 'L' }
    assert.equal(await submit({ ...offered, licensePlate: 'Y2' }), 'ada')
    const fields = await fieldsOf(storage, 'ada', 'email', 'phone', 'firstName', 'lastName', 'licensePlate')
    assert.deepEqual(fields, ['ada@example.com', PHONE, 'Ada', 'L', 'X1'])
  },
  async "a contact's updatedAt moves only when something was filled"(storage) {
    const submit = await withContacts(storage, [contact('ada', { email: 'ada@example.com' })])
    const before = await readContact(storage, 'ada')
    storage.clock.ms += 1000
    await submit({ email: 'ada@example.com' })
    assert.deepEqual(await readContact(storage, 'ada'), before)
    storage.clock.ms += 1000
    await submit({ email: 'ada@example.com', firstName: 'Ada' })
    assert.deepEqual(await fieldsOf(storage, 'ada', 'firstName', 'updatedAt'), ['Ada', at(2)])
  },
  async 'a consent is not passed on to the address that a submission fills in; a refusal stays'(storage) {
    const submit = await withContacts(storage, [
      contact('email', { phone: PHONE, emailConsent: 'subscribed', smsConsent: 'subscribed' }),
      contact('phone', { email: 'eve@example.com', emailConsent: 'subscribed', smsConsent: 'subscribed' }),
      contact('refused', { phone: '+12125550177', emailConsent: 'unsubscribed', smsConsent: 'subscribed' }),
    ])
    const consents = (id: string) => fieldsOf(storage, id, 'emailConsent', 'smsConsent')
    const ada = { email: 'ada@example.com', phone: PHONE }
    // Other attributes leave the consents alone, and so does an address that belongs to somebody else.
    await submit({ phone: PHONE, firstName: 'Ada' })
    await submit({ email: 'eve@example.com', phone: PHONE, firstName: 'Eve' })
    assert.deepEqual(await consents('email'), ['subscribed', 'subscribed'])
    assert.deepEqual(await consents('phone'), ['subscribed', 'subscribed'])
    storage.clock.ms += 1000
    assert.deepEqual(await Promise.all(Array.from({ length: 5 }, () => submit(ada))), Array(5).fill('email'))
    assert.deepEqual(await fieldsOf(storage, 'email', 'email', 'updatedAt'), ['ada@example.com', at(1)])
    assert.deepEqual(await consents('email'), ['unknown', 'subscribed'])
    assert.equal(await submit({ email: 'eve@example.com', phone: OTHER_PHONE }), 'phone')
    assert.deepEqual(await consents('phone'), ['subscribed', 'unknown'])
    assert.equal(await submit({ email: 'bob@example.com', phone: '+12125550177' }), 'refused')
    assert.deepEqual(await consents('refused'), ['unsubscribed', 'subscribed'])
    // A consent that is given afterwards was given for this address, and stays.
    const [filled] = await storage.tenant('org-a').findMany('contacts', Object.keys(contact('')), ['email'])
    await storage.tenant('org-a').upsert('contacts', [{ ...filled, emailConsent: 'subscribed' }])
    await submit({ ...ada, lastName: 'L' })
    assert.deepEqual(await consents('email'), ['subscribed', 'subscribed'])
  },
  async "another organization's contacts neither match nor hold an email or phone"(storage) {
    const submit = await withContacts(storage, [])
    await storage
      .tenant('org-b')
      .upsert('contacts', [contact('b', { email: 'ada@example.com', phone: PHONE })])
    assert.equal(await submit({ email: 'ada@example.com', phone: PHONE }), 'new-sub-1')
    assert.deepEqual(await fieldsOf(storage, 'new-sub-1', 'email', 'phone'), ['ada@example.com', PHONE])
  },
})
