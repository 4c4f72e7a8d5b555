import assert from 'node:assert/strict'
import type { PageQuery, StoredRow } from '../../ports/index.ts'
import type { StorageCase, StorageInstance } from './case.ts'
import {
  at,
  contact,
  contactPage,
  form,
  readContact,
  site,
  submission,
  twoTenants,
  organization,
  submissionRow,
  type TwoTenants,
} from './fixtures.ts'
import { auditEntry } from './operator-changes.ts'

const byUpdate: Partial<PageQuery> = {
  select: ['contactId', 'updatedAt'],
  order: { field: 'updatedAt', idField: 'contactId', direction: 'ascending' },
}

/** [id, updatedAt] of all contacts, in sync order. */
async function synced({ read }: TwoTenants): Promise<readonly unknown[]> {
  const [rows = []] = await read('org-a', [contactPage({ ...byUpdate, limit: 10_000 })])
  return rows.map(({ contactId, updatedAt }) => [contactId, updatedAt])
}

export const upsertCases: readonly StorageCase[] = [
  {
    name: 'rows are inserted, then replaced by id, and counted when their content changed',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      assert.deepEqual(await writer.upsert('contacts', []), { changed: 0 })
      assert.deepEqual(await writer.upsert('contacts', [contact('c-1'), contact('c-2')]), { changed: 2 })
      const rows = [contact('c-1'), contact('c-2', { tags: ['a', 'b'] }), contact('c-3')]
      assert.deepEqual(await writer.upsert('contacts', rows), { changed: 2 })
      assert.deepEqual(await writer.upsert('contacts', rows), { changed: 0 })
      assert.deepEqual((await readContact(storage, 'c-2'))?.tags, ['a', 'b'])
    },
  },
  {
    name: 'every change of a field is a change, from and to null too',
    async run(make) {
      const { tenant } = await twoTenants(make)
      const steps: readonly StoredRow[] = [
        {},
        { latitude: 1.5 },
        { latitude: 0 },
        { latitude: null },
        { siteCode: '' },
        { siteCode: null },
        { address: { line1: 'x' } },
        { address: {} },
        { status: 'inactive' },
      ]
      for (const step of steps) {
        assert.deepEqual(
          await tenant('org-a').upsert('sites', [site('s', step)]),
          { changed: 1 },
          JSON.stringify(step),
        )
        assert.deepEqual(
          await tenant('org-a').upsert('sites', [site('s', step)]),
          { changed: 0 },
          JSON.stringify(step),
        )
      }
    },
  },
  {
    name: 'updatedAt is the time of the change, and stays when the same content comes again',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      storage.clock.ms += 1000
      await writer.upsert('contacts', [contact('c-1'), contact('c-2')])
      storage.clock.ms += 1000
      await writer.upsert('contacts', [contact('c-1'), contact('c-2', { firstName: 'Ada' }), contact('c-3')])
      assert.deepEqual(await synced(storage), [
        ['c-1', at(1)],
        ['c-2', at(2)],
        ['c-3', at(2)],
      ])
    },
  },
  {
    name: 'every write lies strictly behind all before it, under a clock that stands still or steps back',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      await writer.upsert('forms', [form('form-1')])
      const steps = [0, 0, -60_000, 0, 30_000, -3_600_000, 0]
      const order: string[] = []
      for (const [index, step] of steps.entries()) {
        storage.clock.ms += step
        // Ids descend, so that ties in time would show as a wrong order.
        const id = `c-${9 - index}`
        if (index % 2 === 0) await writer.upsert('contacts', [contact(id)])
        else
          await writer.saveSubmission(
            submission(`s-${index}`, {}, { newContactId: id, email: `${index}@example.com` }),
          )
        order.push(id)
      }
      const seen = (await synced(storage)) as readonly (readonly [string, string])[]
      assert.deepEqual(
        seen.map(([id]) => id),
        order,
      )
      assert.equal(new Set(seen.map(([, updatedAt]) => updatedAt)).size, order.length)
      for (const [, updatedAt] of seen) assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    },
  },
  {
    name: "one organization's clock does not move another's",
    async run(make) {
      const storage = await twoTenants(make)
      storage.clock.ms += 60_000
      await storage.tenant('org-a').upsert('contacts', [contact('c')])
      storage.clock.ms -= 30_000
      await storage.tenant('org-b').upsert('contacts', [contact('c')])
      assert.equal((await readContact(storage, 'c', 'org-b'))?.updatedAt, at(30))
    },
  },
  {
    name: 'a sync that reads forward meets every change made meanwhile',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      await writer.upsert('contacts', [contact('c-1'), contact('c-2'), contact('c-3')])
      const [first = []] = await storage.read('org-a', [contactPage({ ...byUpdate, limit: 3 })])
      const last = first.at(-1)
      // Written at the same instant of the clock, with an id that sorts first.
      await writer.upsert('contacts', [contact('c-0'), contact('c-1', { firstName: 'Ada' })])
      const after = { value: last?.updatedAt as string, id: last?.contactId as string }
      const [next = []] = await storage.read('org-a', [contactPage({ ...byUpdate, after })])
      assert.deepEqual(
        next.map(({ contactId }) => contactId),
        ['c-0', 'c-1'],
      )
    },
  },
  {
    name: "a form's version moves by one with every change, and only then",
    async run(make) {
      const { tenant, forms } = await twoTenants(make)
      const writer = tenant('org-a')
      const versions: unknown[] = []
      for (const changes of [
        {},
        {},
        { isPublished: false },
        { passwordHash: 'h' },
        { definition: { fields: [1] } },
      ]) {
        await writer.upsert('forms', [form('form-1', changes)])
        versions.push((await forms.find('form-1'))?.version)
      }
      assert.deepEqual(versions, [1, 1, 2, 3, 4])
    },
  },
  {
    name: 'of a row given twice the last wins',
    async run(make) {
      const storage = await twoTenants(make)
      const rows = [contact('c', { firstName: 'Ada' }), contact('c', { firstName: 'Eve' })]
      await storage.tenant('org-a').upsert('contacts', rows)
      assert.equal((await readContact(storage, 'c'))?.firstName, 'Eve')
    },
  },
  {
    name: 'where a natural value is left out, the stored one stays, and a new row gets it',
    async run(make) {
      const storage = await twoTenants(make)
      const left = { tags: null, emailConsent: null, createdAt: null }
      await storage
        .tenant('org-a')
        .upsert('contacts', [contact('c-1', { tags: ['a'], emailConsent: 'subscribed' })])
      await storage.tenant('org-b').upsert('contacts', [contact('c-2', { tags: ['other'] })])
      const write = () =>
        storage.tenant('org-a').upsert('contacts', [contact('c-1', left), contact('c-2', left)])
      assert.deepEqual(await write(), { changed: 1 })
      const read = async (id: string) =>
        (
          await storage
            .tenant('org-a')
            .findMany('contacts', ['tags', 'emailConsent', 'createdAt', 'updatedAt'], [id])
        )[0]
      const stored = await read('c-1')
      assert.deepEqual(
        [stored?.tags, stored?.emailConsent, stored?.createdAt],
        [['a'], 'subscribed', contact('c-1').createdAt],
      )
      const fresh = await read('c-2')
      assert.deepEqual(
        [fresh?.tags, fresh?.emailConsent, fresh?.createdAt],
        [[], 'unknown', fresh?.updatedAt],
      )
      assert.deepEqual(await write(), { changed: 0 })
      assert.deepEqual(await read('c-2'), fresh)
    },
  },
  {
    name: 'an upsert that fails on one row writes none',
    async run(make) {
      const storage = await twoTenants(make)
      const broken = contact('c-2', { contactId: null })
      await assert.rejects(storage.tenant('org-a').upsert('contacts', [contact('c-1'), broken]))
      assert.equal(await readContact(storage, 'c-1'), undefined)
    },
  },
  {
    name: 'an organization that does not exist cannot be written to',
    async run(make) {
      const { tenant, forms } = await twoTenants(make)
      await assert.rejects(tenant('org-none').upsert('forms', [form('form-1')]))
      assert.equal(await forms.find('form-1'), null)
      assert.deepEqual(await tenant('org-none').saveSubmission(submission('s')), { kind: 'stale' })
    },
  },
  {
    name: '2,000 rows are written and replaced in one call',
    async run(make) {
      const storage = await twoTenants(make)
      // About 2 MB, so that no single parameter can hold it.
      const note = 'é'.repeat(500)
      const rows = Array.from({ length: 2000 }, (_, index) =>
        contact(`c-${index}`, { tags: [note, String(index)] }),
      )
      assert.deepEqual(await storage.tenant('org-a').upsert('contacts', rows), { changed: 2000 })
      const changed = rows.map((row, index) => (index % 2 === 0 ? row : { ...row, firstName: 'Ada' }))
      assert.deepEqual(await storage.tenant('org-a').upsert('contacts', changed), { changed: 1000 })
      assert.deepEqual((await readContact(storage, 'c-1999'))?.tags, [note, '1999'])
      const ids = rows.map(({ contactId }) => contactId as string)
      assert.equal((await storage.tenant('org-a').findMany('contacts', ['contactId'], ids)).length, 2000)
    },
  },
  {
    name: 'rows are found by their ids, each once, with their fields as stored',
    async run(make) {
      const { tenant } = await twoTenants(make)
      const writer = tenant('org-a')
      await writer.upsert('forms', [form('f-1'), form('f-2', { isPublished: false, passwordHash: 'h' })])
      const select = ['formId', 'isPublished', 'passwordHash', 'definition', 'version']
      assert.deepEqual(await writer.findMany('forms', select, ['f-2', 'none', 'f-2']), [
        {
          formId: 'f-2',
          isPublished: false,
          passwordHash: 'h',
          definition: { formId: 'f-2', fields: [] },
          version: 1,
        },
      ])
      assert.deepEqual(await writer.findMany('forms', select, []), [])
    },
  },
]

const stored = async (storage: StorageInstance, formId: string) =>
  (await storage.tenant('org-a').findMany('forms', ['name', 'passwordHash', 'updatedAt'], [formId]))[0]

const updatedAt = async (storage: StorageInstance, formId: string) =>
  String((await stored(storage, formId))?.updatedAt)

/** A form that is written without its password. */
function withoutHash(formId: string, changes: object = {}) {
  const { passwordHash: _left, ...row } = form(formId, { ...changes })
  return row
}

/** Nobody's change is undone by somebody who read before it. */
export const changeCases: readonly StorageCase[] = [
  {
    name: 'a form that is changed by somebody becomes a version, and what it replaces one of nobody',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const row = (name: string, isPublished = true) => {
        const definition = { formId: 'f-1', name, isPublished, fields: [1], notificationEmails: [] }
        return form('f-1', { name, isPublished, definition })
      }
      const change = async (name: string, savedBy?: string, isPublished = true) => {
        const replaces = await updatedAt(storage, 'f-1')
        return writer.change('forms', [{ row: row(name, isPublished), replaces }], savedBy)
      }
      const versions = async () =>
        (await writer.formVersions('f-1')).map(({ number, name, savedBy }) => [number, name, savedBy])
      await writer.upsert('forms', [row('Imported')])
      const importedAt = await updatedAt(storage, 'f-1')
      assert.deepEqual(await versions(), [])
      await change('Saved', 'Grace')
      assert.deepEqual(await versions(), [
        [2, 'Saved', 'Grace'],
        [1, 'Imported', null],
      ])
      const [newest, oldest] = await writer.formVersions('f-1')
      assert.deepEqual([newest?.savedAt, oldest?.savedAt], [await updatedAt(storage, 'f-1'), importedAt])
      // Publishing is no version, and neither is a change that changes nothing or is overtaken.
      await change('Saved', undefined, false)
      await change('Saved', 'Grace', false)
      assert.equal(await writer.change('forms', [{ row: row('Late'), replaces: importedAt }], 'Grace'), null)
      assert.equal((await versions()).length, 2)
      await change('Again', 'Ada', false)
      assert.deepEqual((await versions())[0], [3, 'Again', 'Ada'])
      assert.equal((await versions()).length, 3)
      // What was written without becoming a version, as by a release before there were any, is kept before it is replaced.
      await writer.upsert('forms', [row('Elsewhere')])
      await change('Last', 'Ada')
      assert.deepEqual((await versions()).slice(0, 3), [
        [5, 'Last', 'Ada'],
        [4, 'Elsewhere', null],
        [3, 'Again', 'Ada'],
      ])
      assert.deepEqual((await writer.formVersion('f-1', 1))?.definition, row('Imported').definition)
      assert.equal(await writer.formVersion('f-1', 6), null)
      assert.deepEqual(await storage.tenant('org-b').formVersions('f-1'), [])
      assert.equal(await storage.tenant('org-b').formVersion('f-1', 1), null)
    },
  },
  {
    name: 'rows are changed when they still are what they replace, all of them or none',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const made = await writer.change('forms', [
        { row: form('f-1'), replaces: null },
        { row: form('f-2'), replaces: null },
      ])
      const [first = '', second = ''] = made ?? []
      assert.deepEqual([first, second], [await updatedAt(storage, 'f-1'), await updatedAt(storage, 'f-2')])
      const [same] = (await writer.change('forms', [{ row: form('f-1'), replaces: first }])) ?? []
      assert.equal(same, first)
      const [next = ''] =
        (await writer.change('forms', [{ row: form('f-1', { name: 'Next' }), replaces: first }])) ?? []
      assert.equal(next > first, true)
      const late = [
        { row: form('f-2', { name: 'Late' }), replaces: second },
        { row: form('f-1', { name: 'Late' }), replaces: first },
      ]
      assert.equal(await writer.change('forms', late), null)
      assert.equal(await writer.change('forms', [{ row: form('f-1'), replaces: null }]), null)
      assert.equal(await writer.change('forms', [{ row: form('f-9'), replaces: next }]), null)
      assert.deepEqual(
        [(await stored(storage, 'f-1'))?.name, (await stored(storage, 'f-2'))?.name],
        ['Next', 'Form f-2'],
      )
      assert.equal(await updatedAt(storage, 'f-2'), second)
      assert.equal(await stored(storage, 'f-9'), undefined)
      assert.deepEqual(await writer.change('forms', []), [])
    },
  },
  {
    name: "rows of another organization are none that a change replaces, and a form's id stays its",
    async run(make) {
      const storage = await twoTenants(make)
      await storage.tenant('org-a').upsert('forms', [form('f-1')])
      const replaces = await updatedAt(storage, 'f-1')
      const other = storage.tenant('org-b')
      assert.equal(await other.change('forms', [{ row: form('f-1', { name: 'B' }), replaces }]), null)
      await assert.rejects(
        other.change('forms', [{ row: form('f-1'), replaces: null }]),
        /another organization/,
      )
      assert.equal((await stored(storage, 'f-1'))?.name, 'Form f-1')
    },
  },
  {
    name: 'a form that is written without a password keeps the one that is stored then',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      await writer.upsert('forms', [withoutHash('f-1'), form('f-2', { passwordHash: 'two' })])
      assert.equal((await stored(storage, 'f-1'))?.passwordHash, null)
      await writer.upsert('forms', [form('f-1', { passwordHash: 'one' })])
      const replaces = await updatedAt(storage, 'f-1')
      await writer.replacePasswordHash('f-1', 'one', 'again')
      // Made anew, it is the same password, so the row has not changed.
      assert.notEqual(
        await writer.change('forms', [{ row: withoutHash('f-1', { name: 'A' }), replaces }]),
        null,
      )
      await writer.upsert('forms', [withoutHash('f-1', { name: 'B' }), withoutHash('f-2', { name: 'B' })])
      assert.deepEqual(
        [(await stored(storage, 'f-1'))?.passwordHash, (await stored(storage, 'f-2'))?.passwordHash],
        ['again', 'two'],
      )
      const { version } = (await storage.forms.find('f-1')) ?? {}
      await writer.upsert('forms', [withoutHash('f-1', { name: 'B' })])
      assert.equal((await storage.forms.find('f-1'))?.version, version)
      await writer.upsert('forms', [form('f-1', { passwordHash: null })])
      assert.equal((await stored(storage, 'f-1'))?.passwordHash, null)
    },
  },
  {
    name: 'one setting of retention leaves the other, and none is set on settings that are no longer stored',
    async run(make) {
      const { administration, organizationStore } = await twoTenants(make)
      const own = organizationStore('org-a')
      await own.setRetention({ submissions: 7 }, at(0))
      assert.deepEqual(await own.setRetention({ sends: 9 }, at(0)), {
        kind: 'set',
        retention: { submissions: 7, sends: 9 },
      })
      const seen = { organization: organization('org-a'), retention: { submissions: 7, sends: 9 } }
      const changed = { kind: 'changed' }
      const older = { ...seen, retention: { submissions: 7, sends: null } }
      assert.deepEqual(await own.setRetention({ sends: 1 }, at(1), older), changed)
      const renamed = { ...seen, organization: organization('org-a', { name: 'Old' }) }
      assert.deepEqual(await own.setRetention({ submissions: null }, at(1), renamed), changed)
      assert.deepEqual(await own.retention(), { submissions: 7, sends: 9 })
      assert.equal((await own.setRetention({ submissions: null }, at(1), seen)).kind, 'set')
      assert.deepEqual(await own.retention(), { submissions: null, sends: 9 })
      assert.deepEqual(await organizationStore('org-b').retention(), { submissions: null, sends: null })
      const { organization: replaced } = seen
      const named = organization('org-a', { name: 'Named' })
      const save = (sends: number) =>
        administration.saveOrganization(named, replaced, undefined, { submissions: null, sends })
      assert.equal(await save(8), 'changed')
      assert.deepEqual(await administration.findOrganization('org-a'), replaced)
      assert.equal(await save(9), 'saved')
      assert.deepEqual(await administration.findOrganization('org-a'), named)
    },
  },
  {
    name: 'a retention that is set otherwise meanwhile removes nothing by its old setting, and stays due',
    async run(make) {
      const { tenant, organizationStore, sends, retentionDirectory } = await twoTenants(make)
      await tenant('org-a').upsert('forms', [form('form-1')])
      await tenant('org-a').upsert('form-submissions', [submissionRow('s-1', { submittedAt: at(0) })])
      const sent = { channel: 'email', from: 'a@example.com', providerId: null, outcome: 'accepted' } as const
      await sends
        .open('org-a')
        .record([{ ...sent, sendId: 's', to: 'b@example.com', error: null, at: at(0) }])
      await organizationStore('org-a').setRetention({ submissions: 7, sends: 7 }, at(10))
      const due = await retentionDirectory.due(at(10), 10)
      assert.equal(due.length, 2)
      await organizationStore('org-a').setRetention({ submissions: 365, sends: null }, at(11))
      for (const one of due)
        assert.equal(await retentionDirectory.apply(one, at(5000), at(6000), at(7000)), 0)
      assert.equal((await tenant('org-a').findMany('form-submissions', ['submissionId'], ['s-1'])).length, 1)
      assert.equal((await sends.open('org-a').list(null, 10)).length, 1)
      assert.equal(await retentionDirectory.nextDue(), at(11))
    },
  },
  {
    name: 'a change that others overtook is tried again for the same record',
    async run(make) {
      const { operatorChanges, administration, audit } = await twoTenants(make)
      const entry = auditEntry('a1')
      const [first, second] = [organization('org-a'), organization('org-a', { name: 'Second' })]
      await administration.saveOrganization(second, first)
      const third = organization('org-a', { name: 'Third' })
      assert.equal(await operatorChanges(entry).saveOrganization(third, first), 'changed')
      assert.equal(await operatorChanges(entry).saveOrganization(third, second), 'saved')
      await audit.record({ ...auditEntry('a2'), outcome: 'refused' })
      await audit.record({ ...auditEntry('a2'), outcome: 'failed' })
      assert.deepEqual((await audit.list({}, null, 10)).map(({ outcome }) => outcome).sort(), [
        'done',
        'failed',
      ])
    },
  },
]
