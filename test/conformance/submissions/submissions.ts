import assert from 'node:assert/strict'
import type { StorageCase } from '../case.ts'
import { at, form, organization, readContact, submission, twoTenants, type TwoTenants } from '../fixtures.ts'
import type { StoredRow } from '../../../ports/index.ts'

async function withForm(make: Parameters<StorageCase['run']>[0]): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  await storage.tenant('org-a').upsert('forms', [form('form-1')])
  return storage
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
    'updatedAt',
  ]
  const [rows] = await read('org-a', [{ kind: 'one', collection: 'form-submissions', select, id }])
  return rows?.[0]
}

const outbox = [
  { outboxId: 'out-1', kind: 'notification', payload: { to: 'a@example.com' } },
  { outboxId: 'out-2', kind: 'automation', payload: null },
]

export const submissionCases: readonly StorageCase[] = [
  {
    name: 'a submission is saved whole, with its outbox entries',
    async run(make) {
      const storage = await withForm(make)
      const saved = submission('sub-1', {
        answers: { a: [1, null, 'x'] },
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
  },
  {
    name: 'saving the same submission again changes nothing and reports the same',
    async run(make) {
      const storage = await withForm(make)
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
  },
  {
    name: 'a repeated save does not fill a contact that was emptied meanwhile',
    async run(make) {
      const storage = await withForm(make)
      const writer = storage.tenant('org-a')
      const again = submission('sub-1', {}, { email: 'ada@example.com', firstName: 'Ada' })
      await writer.saveSubmission(again)
      const { updatedAt, ...row } = (await readContact(storage, 'new-sub-1')) ?? {}
      assert(typeof updatedAt === 'string')
      await writer.upsert('contacts', [{ ...row, firstName: null }])
      await writer.saveSubmission(again)
      assert.equal((await readContact(storage, 'new-sub-1'))?.firstName, null)
    },
  },
  {
    name: 'a form that changed, is unpublished, gone or of another organization makes a submission stale',
    async run(make) {
      const storage = await withForm(make)
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
  },
  {
    name: 'a change of the phone country makes a submission checked before it stale',
    async run(make) {
      const storage = await withForm(make)
      await storage.administration.saveOrganization(organization('org-a', { phoneCountry: 'DE' }))
      assert.deepEqual(await storage.tenant('org-a').saveSubmission(submission('sub-1')), { kind: 'stale' })
      const found = await storage.forms.find('form-1')
      assert.equal(found?.phoneCountry, 'DE')
      const next = submission('sub-1', { formVersion: found.version })
      assert.deepEqual(await storage.tenant('org-a').saveSubmission(next), {
        kind: 'saved',
        contactId: null,
        outboxIds: [],
      })
    },
  },
  {
    name: 'of 100 parallel submissions by one new person with a limit of 3, exactly 3 are saved',
    async run(make) {
      const storage = await withForm(make)
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
  },
  {
    name: 'a password hash is replaced unless it is another by now, and the form does not change by it',
    async run(make) {
      const storage = await withForm(make)
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
  },
  {
    name: 'the limit counts one contact, one form and one organization',
    async run(make) {
      const storage = await withForm(make)
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
  },
]
