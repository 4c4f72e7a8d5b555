import assert from 'node:assert/strict'
import type { StorageCase, StorageInstance } from '../case.ts'
import { at, form, organization, submissionRow, twoTenants } from '../fixtures.ts'
import { auditEntry } from '../access/operator-changes.ts'

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
      const { administration, whole } = await twoTenants(make)
      const own = whole('org-a')
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
      assert.deepEqual(await whole('org-b').retention(), { submissions: null, sends: null })
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
      const { tenant, whole, sends, retentionDirectory } = await twoTenants(make)
      await tenant('org-a').upsert('forms', [form('form-1')])
      await tenant('org-a').upsert('form-submissions', [submissionRow('s-1', { submittedAt: at(0) })])
      const sent = { channel: 'email', from: 'a@example.com', providerId: null, outcome: 'accepted' } as const
      await sends
        .open('org-a')
        .record([{ ...sent, sendId: 's', to: 'b@example.com', error: null, at: at(0) }])
      await whole('org-a').setRetention({ submissions: 7, sends: 7 }, at(10))
      const due = await retentionDirectory.due(at(10), 10)
      assert.equal(due.length, 2)
      await whole('org-a').setRetention({ submissions: 365, sends: null }, at(11))
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
