import { beforeEach, describe, expect, test } from 'vitest'
import { resources, writtenResources } from '../../../domain/resources/index.ts'
import { sweepRetention } from '../../../domain/organizations/retention.ts'
import { reviews } from '../../../domain/resources/reviews.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { restoreRequest } from '../../support/data/restore-request.ts'
import { addSampleOrganization } from '../../support/data/sample-organization.ts'
import { sampleRow } from '../../support/data/sample-rows.ts'
import { everyText } from '../../support/databases/whole-database.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { PLACES } from '../../support/scratch/scratch-places.ts'

// What operators remove, in both places: rows, people, organizations, and what is old.

const DAY_MS = 86_400_000

describe.each(PLACES)('in the $kind place', (choice) => {
  let storage: ScratchStorage
  let service: TestService
  let admin: OperatorClient
  let key: string

  beforeEach(async () => {
    service = await openTestService((clock) => (storage = createScratchStorage({ clock, choice })))
    key = await addSampleOrganization(service, 'acme', 'm-', 7, {
      billingEvents: true,
      analytics: true,
      retentionOfferAnalytics: true,
    })
    await addSampleOrganization(service, 'other', 'o-', 3)
    admin = await openOperatorClient(service, 'admin')
  })

  interface Page {
    readonly data: readonly Readonly<Record<string, unknown>>[]
  }
  const read = async (path: string, by = key) => {
    const response = await service.send(`/api/v1/${path}`, { key: by })
    return { status: response.status, body: (await response.json()) as Page & { readonly error: string } }
  }
  const tenant = (organizationId = 'acme') => service.storage.tenant(organizationId)
  const post = (path: string, body: object) => admin.post(`/organizations/acme/${path}`, body)
  const removalsSince = async (updatedAfter: string, by = key) =>
    (await read(`removals?limit=500&updatedAfter=${updatedAfter}`, by)).body.data.map(
      ({ collection, id, parentId }) => [collection, id, parentId],
    )
  const now = () => new Date(service.clock.nowMs()).toISOString()
  const everything = async () => [
    ...(await everyText(storage.database)),
    ...(await everyText(await storage.databaseOf('acme'))),
  ]

  describe('rows', () => {
    const children = new Set(['list-members', 'link-events', 'voucher-redemptions', 'billing-events'])

    test('of every kind are deleted, and who syncs learns of those that they could read', async () => {
      const since = now()
      // Rows come after those to which they refer.
      for (const resource of writtenResources.toReversed()) {
        const ids = Array.from({ length: 7 }, (_, index) => {
          const row = sampleRow(resource, index, 'm-')
          return resource.key.map((field) => String(row[field])).join('\t')
        })
        service.clock.advance(1000)
        const { status, body } = await post(`rows/${resource.collection}/delete`, { ids })
        expect([resource.collection, status, body]).toEqual([
          resource.collection,
          200,
          { rows: new Set(ids).size },
        ])
        if (resource.removal === null || children.has(resource.collection)) continue
        const removed = (await removalsSince(since)).filter(
          ([collection]) => collection === resource.removal?.collection,
        )
        expect(removed.map(([, id]) => id).sort()).toEqual(ids.sort())
      }
      const left = (await everyText(await storage.databaseOf('acme'))).filter(({ text }) => /^m-/.test(text))
      expect(new Set(left.map(({ table }) => table))).toEqual(new Set(['removals', 'reviews']))
      expect((await removalsSince(since)).length).toBeGreaterThan(100)
      expect((await read('reviews')).body.data).toEqual([])
      expect((await read('contacts', await service.addKey({ organizationId: 'other' }))).status).toBe(200)
    })

    test('are all deleted or none, and never below others that refer to them', async () => {
      const { status, body } = await post('rows/contacts/delete', {
        ids: ['m-contactId-0', 'nobody', 'none'],
      })
      expect([status, body.error]).toEqual([409, expect.stringContaining('nobody, none')])
      const needed = await post('rows/forms/delete', { ids: ['m-formId-0'] })
      expect([needed.status, needed.body.error]).toEqual([
        409,
        expect.stringContaining('of form-submissions'),
      ])
      expect((await post('rows/contact-lists/delete', { ids: ['m-listId-0'] })).status).toBe(409)
      expect((await post('rows/nothing/delete', { ids: ['x'] })).status).toBe(404)
      expect((await post('rows/removals/delete', { ids: ['x'] })).status).toBe(404)
      expect((await post('rows/list-members/delete', { ids: ['x'] })).status).toBe(400)
      expect((await post('rows/contacts/delete', { ids: [] })).status).toBe(400)
      expect((await admin.post('/organizations/none/rows/sites/delete', { ids: ['x'] })).status).toBe(404)
      const support = await openOperatorClient(service, 'support')
      expect((await support.post('/organizations/acme/rows/sites/delete', { ids: ['x'] })).status).toBe(403)
      expect((await read('contacts')).body.data.length).toBe(7)
      expect(await removalsSince('2026-06-16T00:00:00Z')).toEqual([])
    })

    test('take what is derived from them along, and a removal gives way to a row that comes again', async () => {
      const countOf = async () =>
        (await read('contact-lists/m-listId-0')).body as unknown as { readonly contactCount: number }
      const before = (await countOf()).contactCount
      const [member] = (await read('contact-lists/m-listId-0/contacts')).body.data
      const id = `m-listId-0\t${String(member?.contactId)}`
      const since = now()
      expect((await post('rows/list-members/delete', { ids: [id] })).status).toBe(200)
      expect((await countOf()).contactCount).toBe(before - 1)
      expect(await removalsSince(since)).toEqual([['list-members', member?.contactId, 'm-listId-0']])
      service.clock.advance(1000)
      await tenant().upsert('sites', [{ ...sampleRow(resources[0] as never, 0, 'm-'), siteId: 'again' }])
      await post('rows/sites/delete', { ids: ['again'] })
      const [first] = (await read(`removals?collection=sites`)).body.data
      service.clock.advance(1000)
      await tenant().upsert('sites', [{ ...sampleRow(resources[0] as never, 0, 'm-'), siteId: 'again' }])
      const [again] = (await read(`sites?updatedAfter=${String(first?.updatedAt)}`)).body.data
      expect(String(again?.updatedAt) > String(first?.updatedAt)).toBe(true)
    })

    test('a form that is deleted frees its id', async () => {
      await tenant().upsert('forms', [form('free')])
      expect((await post('rows/forms/delete', { ids: ['free'] })).status).toBe(200)
      await tenant('other').upsert('forms', [form('free')])
      expect((await read('forms/free')).status).toBe(404)
    })

    test('reviews leave a removal wherever they were read', async () => {
      const parentKey = key
      const childKey = await service.addOrganization('child', { parentId: 'acme' })
      const row: StoredRow = { ...sampleRow(reviews, 20, 'c-'), isDeleted: false, isPreview: false }
      await tenant('child').upsert('reviews', [row])
      const since = now()
      service.clock.advance(1000)
      await tenant('child').upsert('reviews', [{ ...row, isDeleted: true }])
      const expected = [['reviews', row.reviewId, 'child']]
      expect([await removalsSince(since, childKey), await removalsSince(since, parentKey)]).toEqual([
        expected,
        expected,
      ])
      await tenant('child').upsert('reviews', [row])
      service.clock.advance(1000)
      const untied = now()
      service.clock.advance(1000)
      const { status, body } = await admin.post('/organizations/child', { parentId: null })
      // A family stays together in a database of its own, so the parent goes on reading the review there.
      const isUntied = choice.kind === 'shared'
      expect([status, body.error]).toEqual(
        isUntied ? [200, undefined] : [409, expect.stringContaining('only in the shared database')],
      )
      expect(await removalsSince(untied, parentKey)).toEqual(isUntied ? expected : [])
      expect(await removalsSince(untied, childKey)).toEqual([])
    })

    test('what was removed too long ago is not known, and a sync from then is refused', async () => {
      await post('rows/list-members/delete', { ids: [await anyMember()] })
      service.clock.advance(399 * DAY_MS)
      const since = new Date(service.clock.nowMs() - 400 * DAY_MS).toISOString()
      expect((await read(`removals?updatedAfter=${since}`)).body.data.length).toBeGreaterThan(0)
      service.clock.advance(2 * DAY_MS)
      const { status, body } = await read(`removals?updatedAfter=${since}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining('everything must be read again')])
      const { retentionDirectory: retention } = await ownStorage()
      await sweepRetention({ retention, clock: service.clock, log: silent })
      expect((await read('removals')).body.data).toEqual([])
    })
    const anyMember = async () => {
      const [member] = (await read('contact-lists/m-listId-0/contacts')).body.data
      return `m-listId-0\t${String(member?.contactId)}`
    }
  })

  const silent = { info: () => undefined, error: () => expect.fail('logged an error') }
  const ownStorage = async () => {
    const { createStorage } = await import('../../../adapters/node-sqlite/index.ts')
    return createStorage({ executor: await storage.databaseOf('acme'), clock: service.clock })
  }

  describe('a person', () => {
    const person = {
      firstName: 'Xanthippe',
      lastName: 'Quillfeather',
      email: 'Xanthippe.Q@example.org',
      phone: '+12125550187',
      licensePlate: 'XQF-7781',
    }
    const WORDS = /xanthippe|quillfeather|\+?12125550187|xqf-7781|zebra-campaign|marmalade/i
    const contact: StoredRow = {
      ...person,
      contactId: 'con-x',
      emailKey: 'xanthippe.q@example.org',
      tags: ['marmalade'],
      emailConsent: 'subscribed',
      smsConsent: 'subscribed',
      source: 'marmalade',
      siteId: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    }

    beforeEach(async () => {
      const of = (collection: string) => {
        const resource = resources.find((one) => one.collection === collection)
        if (resource === undefined) throw new Error(collection)
        return sampleRow(resource, 0, 'm-')
      }
      const texts = {
        answers: { why: 'marmalade', who: person.email },
        attribution: { utm_source: 'zebra-campaign' },
      }
      await tenant().upsert('contacts', [contact])
      await tenant().upsert('marketing-signups', [
        { ...of('marketing-signups'), ...texts, signupId: 'x-1', contactId: 'con-x', email: person.email },
        { ...of('marketing-signups'), ...texts, signupId: 'x-2', contactId: null, phone: person.phone },
      ])
      await tenant().upsert('form-submissions', [
        { ...of('form-submissions'), ...texts, submissionId: 'x-3', contactId: 'con-x' },
        { ...of('form-submissions'), ...texts, submissionId: 'x-4', contactId: null },
      ])
      await tenant().upsert('survey-responses', [
        {
          ...of('survey-responses'),
          ...texts,
          responseId: 'x-5',
          contactId: 'con-x',
          freetext: 'marmalade',
          notes: 'Xanthippe',
        },
      ])
      await tenant().upsert('cases', [
        {
          ...of('cases'),
          caseId: 'x-6',
          customer: {
            customerId: null,
            name: 'Xanthippe',
            email: person.email,
            phone: null,
            licensePlate: null,
          },
          resolution: 'marmalade',
          notes: [
            {
              timestamp: '2026-01-01T00:00:00.000Z',
              comment: 'marmalade',
              userName: null,
              userEmail: null,
              system: false,
            },
          ],
        },
      ])
      await tenant().upsert('purchases', [
        { ...of('purchases'), purchaseId: 'x-7', processorId: 'x-7', contactId: 'con-x' },
      ])
      await tenant().upsert('forms', [form('form-1')])
      const outbox = [{ outboxId: 'obx_sub-x_1', kind: 'notification_email', payload: { to: person.email } }]
      await tenant().saveSubmission(
        submission('sub-x', { outbox, answers: { plate: person.licensePlate } }, { email: person.email }),
      )
      await (await ownStorage()).sends.open('acme').record([
        { ...sent, sendId: 'run_sub-x_1', to: 'somebody@example.org' },
        { ...sent, sendId: 'msg-1', to: person.email, error: `refused ${person.email}` },
        { ...sent, sendId: 'msg-2', to: 'somebody@example.com' },
      ])
      service.clock.advance(1000)
    })
    const sent = {
      channel: 'email',
      from: 'acme@example.com',
      providerId: null,
      outcome: 'accepted',
      error: null,
      at: '2026-06-15T12:00:00.000Z',
    } as const

    test('is found in no table, answer, export or record afterwards, and a sync sees what changed', async () => {
      expect((await everything()).filter(({ text }) => WORDS.test(text)).length).toBeGreaterThan(20)
      const since = now()
      service.clock.advance(1000)
      const { status, body } = await post('contacts/erase', { contactIds: ['con-x'] })
      expect([status, body]).toMatchObject([200, { contactIds: ['con-x'], next: null }])
      expect((await everything()).filter(({ text }) => WORDS.test(text))).toEqual([])
      const erased = {
        contactId: 'con-x',
        email: null,
        tags: [],
        emailConsent: 'unsubscribed',
        smsConsent: 'unsubscribed',
      }
      expect((await read(`contacts?updatedAfter=${since}`)).body.data).toMatchObject([erased])
      const changed = async (path: string) => (await read(`${path}?updatedAfter=${since}`)).body.data.length
      expect([await changed('marketing/signups'), await changed('forms/submissions')]).toEqual([2, 3])
      expect([
        await changed('cases'),
        await changed('surveys/responses'),
        await changed('purchases'),
      ]).toEqual([1, 1, 1])
      expect((await read('purchases/x-7')).body).toMatchObject({ contactId: null })
      expect(await storage.outboxOf('acme')).toEqual([])
      const sends = await (await ownStorage()).sends.open('acme').list(null, 10)
      expect(sends.map(({ sendId, to }) => [sendId, to]).sort()).toEqual([
        ['msg-1', 'erased'],
        ['msg-2', 'somebody@example.com'],
        ['run_sub-x_1', 'erased'],
      ])
      // The sample rows are those of other people.
      expect((await read('contacts/m-contactId-1')).body).not.toMatchObject({ tags: [], firstName: null })
    })

    test('is only counted by a dry run, which changes nothing, and remembers nobody as erased', async () => {
      const isRecord = ({ table }: { readonly table: string }) =>
        table === 'audit' || table === 'operator_keys'
      const unrecorded = async () => (await everything()).filter((text) => !isRecord(text))
      const rowsOf = (body: object) => (body as { readonly rows: number }).rows
      const before = await unrecorded()
      for (const named of [{ contactIds: ['con-x'] }, { emails: [person.email] }]) {
        const { status, body } = await post('contacts/erase', { ...named, dryRun: true })
        expect([status, body]).toMatchObject([200, { contactIds: ['con-x'], next: null }])
        expect(await unrecorded()).toEqual(before)
        expect(rowsOf(body)).toBeGreaterThan(8)
      }
      const dry = rowsOf((await post('contacts/erase', { contactIds: ['con-x'], dryRun: true })).body)
      const erased = rowsOf((await post('contacts/erase', { contactIds: ['con-x'] })).body)
      // What follows from a submission is changed with it, and not counted again: an entry and a send.
      expect([erased <= dry, dry - erased <= 2]).toEqual([true, true])
      expect((await post('contacts/erase', { contactIds: ['con-x'], dryRun: true })).body).toMatchObject({
        rows: 0,
      })
      const contactIds = Array.from({ length: 100 }, (_, index) => `nobody-${index}`)
      const nobody = await post('contacts/erase', { contactIds, dryRun: true })
      expect([nobody.status, JSON.stringify(nobody.body).match(/nobody-/g)?.length]).toEqual([404, 50])
    })

    test('is erased once: done again, nothing changes', async () => {
      await post('contacts/erase', { contactIds: ['con-x'] })
      const before = await everything()
      service.clock.advance(1000)
      expect((await post('contacts/erase', { contactIds: ['con-x'] })).body).toMatchObject({ rows: 0 })
      // What says when it was done: the records of it, and the clock, which an erasure always moves on.
      const times = ['organizations.clock_at', 'erasures.erased_at', 'erasures.recorded_at']
      const isRecord = ({ table, column }: { readonly table: string; readonly column: string }) =>
        table === 'audit' || table === 'operator_keys' || times.includes(`${table}.${column}`)
      expect((await everything()).filter((text) => !isRecord(text))).toEqual(
        before.filter((text) => !isRecord(text)),
      )
    })

    test('is found by an address, also where no contact is', async () => {
      for (const named of [{ emails: ['XANTHIPPE.Q@example.org'] }, { phones: ['(212) 555-0187'] }])
        expect((await post('contacts/erase', named)).status).toBe(200)
      expect((await everything()).filter(({ text }) => WORDS.test(text))).toEqual([])
    })

    test('comes back as anybody else', async () => {
      await post('contacts/erase', { emails: [person.email] })
      await tenant().upsert('contacts', [{ ...contact, contactId: 'con-y' }])
      expect((await read(`contacts?email=${person.email}`)).body.data).toMatchObject([{ contactId: 'con-y' }])
    })

    test('who is unknown, or named wrongly, or may come back by an import, is not erased', async () => {
      expect((await post('contacts/erase', { contactIds: ['con-x', 'nobody'] })).status).toBe(404)
      expect((await admin.post('/organizations/none/contacts/erase', { contactIds: ['a'] })).status).toBe(404)
      for (const odd of [{}, { emails: ['no'] }, { phones: ['12'] }, { contactIds: ['con-x'], next: 'x' }])
        expect((await post('contacts/erase', odd)).status).toBe(400)
      const file = {
        kind: 'contacts',
        format: 'ndjson',
        totalBytes: 10,
        digest: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
      }
      const { body } = await post('imports', file)
      const { importId } = body as unknown as { readonly importId: string }
      const rows = await post('rows/contacts/delete', { ids: ['con-x'] })
      expect([rows.status, rows.body.error]).toEqual([409, expect.stringContaining(importId)])
      const refused = await post('contacts/erase', { contactIds: ['con-x'] })
      expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining(importId)])
      expect((await read('contacts/con-x')).body).toMatchObject({ email: person.email })
    })
  })

  describe('an organization', () => {
    const remaining = async (id: string) =>
      [...(await everyText(storage.database)), ...(await everyText(await storage.databaseOf(id)))].filter(
        ({ table, text }) => table !== 'audit' && new RegExp(`\\b${id}\\b`).test(text),
      )

    test('is gone from every table, its ids are free, and nobody else is touched', async () => {
      const others = (await everyText(await storage.databaseOf('other'))).filter(({ text }) =>
        /\bother\b|^o-/.test(text),
      )
      expect((await post('retention', { submissions: 30 })).status).toBe(200)
      expect((await post('delete', { confirm: 'acm' })).status).toBe(400)
      expect((await read('sites')).status).toBe(200)
      const { status, body } = await post('delete', { confirm: 'acme' })
      expect([status, body]).toMatchObject([200, { isDone: true, rows: { sites: 7, contacts: 7 } }])
      expect((await read('sites')).status).toBe(401)
      expect(await remaining('acme')).toEqual([])
      expect(
        (await everyText(await storage.databaseOf('other'))).filter(({ text }) => /\bother\b|^o-/.test(text)),
      ).toEqual(others)
      expect((await admin.get('/organizations/acme')).status).toBe(404)
      expect((await post('delete', { confirm: 'acme' })).status).toBe(404)
      const again = await addSampleOrganization(service, 'acme', 'm-', 2)
      expect((await read('sites', again)).body.data.length).toBe(2)
    })

    test('is not deleted below others; a child is, and its parent learns of its reviews', async () => {
      await service.addOrganization('child', { parentId: 'acme' })
      await tenant('child').upsert('reviews', [
        { ...sampleRow(reviews, 20, 'c-'), isDeleted: false, isPreview: false },
      ])
      const refused = await post('delete', { confirm: 'acme' })
      expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('parent')])
      const since = now()
      service.clock.advance(1000)
      expect((await admin.post('/organizations/child/delete', { confirm: 'child' })).status).toBe(200)
      expect((await removalsSince(since)).map(([collection, , parent]) => [collection, parent])).toEqual([
        ['reviews', 'child'],
      ])
      expect((await remaining('child')).filter(({ table }) => table !== 'removals')).toEqual([])
      expect((await post('delete', { confirm: 'acme' })).status).toBe(200)
    })

    test('that a restoration left closed is removed, and one being deleted is not restored', async () => {
      const place = choice.kind === 'own' ? { place: 'own' } : {}
      const request = { ...(await restoreRequest(admin, 1)), ...place, slug: null }
      expect((await admin.post('/organizations/copy/restore', request)).status).toBe(200)
      expect((await admin.post('/organizations/copy/delete', { confirm: 'copy' })).status).toBe(200)
      expect((await remaining('copy')).filter(({ table }) => table !== 'operator_keys')).toEqual([])
      const store = storage.organizationStore('acme')
      expect(await store.beginDeletion(now())).toBe('begun')
      expect(await store.beginDeletion(now())).toBe('begun')
      expect((await admin.post('/organizations/acme', { name: 'Again' })).status).toBe(409)
      const restoring = await admin.post('/organizations/acme/restore', { ...request, archive: 'again.tar' })
      expect([restoring.status, restoring.body.error]).toEqual([409, expect.stringContaining('deleted')])
      expect((await admin.post('/organizations/acme/export', {})).status).toBe(404)
      await store.deleteSome()
      expect((await post('delete', { confirm: 'acme' })).body).toMatchObject({ isDone: true })
      expect(await remaining('acme')).toEqual([])
    })
  })

  describe('retention', () => {
    test('removes what is older, once a day, with what followed it', async () => {
      await tenant().upsert('forms', [form('form-1')])
      const outbox = [{ outboxId: 'obx_sub-old_1', kind: 'notification_email', payload: {} }]
      await tenant().saveSubmission(submission('sub-old', { outbox, submittedAt: now() }))
      const since = now()
      service.clock.advance(1000)
      expect((await post('retention', { submissions: 40 })).body).toEqual({ submissions: 40, sends: null })
      expect((await post('retention', { sends: 400 })).body).toEqual({ submissions: 40, sends: 400 })
      expect((await admin.get('/organizations/acme')).body).toMatchObject({
        retention: { submissions: 40, sends: 400 },
      })
      const { retentionDirectory: retention } = await ownStorage()
      const sweep = () => sweepRetention({ retention, clock: service.clock, log: silent })
      service.clock.advance(30 * DAY_MS)
      await sweep()
      expect(
        (await read('forms/submissions')).body.data.some(({ submissionId }) => submissionId === 'sub-old'),
      ).toBe(true)
      service.clock.advance(12 * DAY_MS)
      await sweep()
      expect((await read('forms/submissions')).body.data).toEqual([])
      expect(await removalsSince(since)).toContainEqual(['form-submissions', 'sub-old', null])
      expect(await storage.outboxOf('acme')).toEqual([])
      expect((await post('retention', { submissions: null, sends: null })).status).toBe(200)
      expect(await retention.nextDue()).toBeNull()
    })

    test('refuses odd settings and unknown organizations', async () => {
      for (const submissions of [0, 1.5, '7', -1])
        expect((await post('retention', { submissions })).status).toBe(400)
      expect((await admin.post('/organizations/none/retention', { submissions: 7 })).status).toBe(404)
    })
  })
})
