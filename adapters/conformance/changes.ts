import assert from 'node:assert/strict'
import type { AuditEntry, AuditFilter, AuditRecord } from '../../ports/index.ts'
import { contacts, part } from './imports.ts'
import {
  type StorageInstance,
  at,
  form,
  organization,
  submission,
  tenantKey,
  twoTenants,
  submissionRow,
} from './fixtures.ts'
import { stored, updatedAt, withoutHash } from './upsert.ts'
import { casesFrom } from './cases.ts'

/** The audit entry of a change that an operator asked for. */
export function auditEntry(auditId: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    auditId,
    at: at(0),
    operatorKeyId: 'op-1',
    operator: 'ada',
    action: 'thing.change',
    organizationId: 'org-a',
    subject: null,
    ...changes,
  }
}

async function outcomes({ audit }: StorageInstance): Promise<readonly (readonly [string, string])[]> {
  const records = await audit.list({}, null, 100)
  return records.map(({ auditId, outcome }) => [auditId, outcome] as const).reverse()
}

const idsOf = (records: readonly AuditRecord[]) => records.map(({ auditId }) => auditId)

export const operatorChangeCases = casesFrom(twoTenants, {
  async 'a change that is made is recorded as done, and one that is not as refused'(storage) {
    const { operatorChanges } = storage
    let made = 0
    const next = () => operatorChanges(auditEntry(`a${(made += 1)}`))
    assert.equal(await next().saveOrganization(organization('org-c', { slug: 's' })), 'saved')
    assert.equal(await next().saveOrganization(organization('org-a', { slug: 's' })), 'slug_taken')
    assert.equal(await next().saveOrganization(organization('org-a', { parentId: 'none' })), 'parent_missing')
    await next().addKey(tenantKey('org-c', 'key-c'))
    assert.equal(await next().revokeKey('key-c', at(1)), true)
    assert.equal(await next().revokeKey('key-none', at(1)), false)
    assert.deepEqual(await outcomes(storage), [
      ['a1', 'done'],
      ['a2', 'refused'],
      ['a3', 'refused'],
      ['a4', 'done'],
      ['a5', 'done'],
      ['a6', 'refused'],
    ])
    assert.deepEqual(await storage.administration.findOrganization('org-a'), organization('org-a'))
    assert.equal((await storage.administration.listKeys('org-c', null, 10))[0]?.revokedAt, at(1))
  },
  async 'a rotation and a retried outbox entry are recorded like every change'(storage) {
    await storage.tenant('org-a').upsert('forms', [form('form-1')])
    const outbox = [{ outboxId: 'out-1', kind: 'notification_email', payload: {} }]
    await storage.tenant('org-a').saveSubmission(submission('sub-1', { outbox }))
    const { operatorChanges } = storage
    const rotation = (successorId: string) => {
      return { keyId: 'key-a', successor: tenantKey('org-a', successorId), endsAt: at(60) }
    }
    assert.equal(await operatorChanges(auditEntry('a1')).rotateKey(rotation('key-2')), true)
    assert.equal(await operatorChanges(auditEntry('a2')).rotateKey(rotation('key-3')), false)
    assert.equal(await operatorChanges(auditEntry('a3')).redrive('out-1', at(0)), 'driven')
    assert.equal(await operatorChanges(auditEntry('a4')).redrive('out-none', at(0)), 'missing')
    assert.deepEqual(await outcomes(storage), [
      ['a1', 'done'],
      ['a2', 'refused'],
      ['a3', 'done'],
      ['a4', 'refused'],
    ])
  },
  async 'a change that fails leaves neither the change nor a record'(storage) {
    await assert.rejects(storage.operatorChanges(auditEntry('a1')).addKey(tenantKey('org-b', 'key-a')))
    assert.deepEqual(await outcomes(storage), [])
  },
  async 'the first record of a request stays'(storage) {
    const { audit, operatorChanges } = storage
    await operatorChanges(auditEntry('a1')).addKey(tenantKey('org-a', 'key-1'))
    await audit.record({ ...auditEntry('a1'), outcome: 'failed' })
    await audit.record({ ...auditEntry('a2'), outcome: 'forbidden' })
    await operatorChanges(auditEntry('a2')).addKey(tenantKey('org-a', 'key-2'))
    assert.deepEqual(await outcomes(storage), [
      ['a1', 'done'],
      ['a2', 'forbidden'],
    ])
  },
  async 'a record says what it is about, and a settled one what it turned out to be about'({
    audit,
    operatorChanges,
  }) {
    const subject = { type: 'key', id: 'key-1' } as const
    const opened = { type: 'import', id: 'imp-1', kind: 'contacts', rows: 3 } as const
    await operatorChanges(auditEntry('a1', { subject })).addKey(tenantKey('org-a', 'key-1'))
    await audit.record({ ...auditEntry('a2', { subject }), outcome: 'failed' })
    await audit.settle('a2', 'done', opened)
    await audit.settle('a2', 'refused', subject)
    await audit.settle('a1', 'refused', opened)
    const records = await audit.list({}, null, 10)
    assert.deepEqual(
      records.map(({ auditId, outcome, subject: about }) => [auditId, outcome, about]),
      [
        ['a2', 'done', opened],
        ['a1', 'done', subject],
      ],
    )
  },
  async 'records are narrowed by organization, key and action, alone and together'({ audit }) {
    const entries = [
      auditEntry('a1', { at: at(1) }),
      auditEntry('a2', { at: at(2), operatorKeyId: 'op-2' }),
      auditEntry('a3', { at: at(3), action: 'other.change' }),
      auditEntry('a4', { at: at(4), organizationId: 'org-b' }),
      auditEntry('a5', { at: at(5), organizationId: null, operatorKeyId: null }),
    ]
    for (const entry of entries) await audit.record({ ...entry, outcome: 'done' })
    const [organizationId, operatorKeyId, action] = ['org-a', 'op-1', 'thing.change']
    const listed = async (filter: AuditFilter) => idsOf(await audit.list(filter, null, 10)).join(' ')
    assert.equal(await listed({ organizationId: null, operatorKeyId: null, action: null }), 'a5 a4 a3 a2 a1')
    assert.equal(await listed({ organizationId }), 'a3 a2 a1')
    assert.equal(await listed({ operatorKeyId }), 'a4 a3 a1')
    assert.equal(await listed({ action }), 'a5 a4 a2 a1')
    assert.equal(await listed({ organizationId, operatorKeyId }), 'a3 a1')
    assert.equal(await listed({ organizationId, action }), 'a2 a1')
    assert.equal(await listed({ operatorKeyId, action }), 'a4 a1')
    assert.equal(await listed({ organizationId, operatorKeyId, action }), 'a1')
    const after = { value: at(2), id: 'a2' }
    assert.deepEqual(idsOf(await audit.list({ organizationId, action }, after, 10)), ['a1'])
  },
  async 'records are kept as they were made, and listed newest first, of one organization or of all, in pages'({
    audit,
  }) {
    const records: readonly AuditRecord[] = [
      { ...auditEntry('a2', { at: at(2), operatorKeyId: null }), outcome: 'done' },
      {
        ...auditEntry('a9', { at: at(1), organizationId: null, subject: { type: 'key', id: 'k"\\é' } }),
        outcome: 'failed',
      },
      { ...auditEntry('a3', { at: at(1) }), outcome: 'refused' },
      { ...auditEntry('a1', { at: at(0), organizationId: 'org-b' }), outcome: 'forbidden' },
    ]
    for (const record of [...records].reverse()) await audit.record(record)
    assert.deepEqual(await audit.list({}, null, 10), records)
    assert.deepEqual(idsOf(await audit.list({}, null, 2)), ['a2', 'a9'])
    assert.deepEqual(idsOf(await audit.list({}, { value: at(1), id: 'a9' }, 10)), ['a3', 'a1'])
    assert.deepEqual(idsOf(await audit.list({ organizationId: 'org-a' }, null, 10)), ['a2', 'a3'])
    assert.deepEqual(idsOf(await audit.list({ organizationId: 'org-a' }, { value: at(2), id: 'a2' }, 10)), [
      'a3',
    ])
    assert.deepEqual(await audit.list({ organizationId: 'org-none' }, null, 10), [])
  },
})

/** Nobody's change is undone by somebody who read before it. */
export const changeCases = casesFrom(twoTenants, {
  async 'a form that is changed by somebody becomes a version, and what it replaces one of nobody'(storage) {
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
  async 'a form that an import changes becomes a version of nobody, and what it replaces one too'(storage) {
    const imports = storage.imports('org-a')
    const writer = storage.tenant('org-a')
    const row = (formId: string, name: string) => {
      const definition = { formId, name, isPublished: true, fields: [name], notificationEmails: [] }
      return form(formId, { name, definition })
    }
    const importing = async (...rows: readonly ReturnType<typeof row>[]) => {
      storage.clock.ms += 1_000
      const importId = `imp-${storage.clock.ms}`
      const session = await imports.open(importId, { ...contacts, kind: 'forms' }, 'drafts', 'start')
      await imports.addPart(session, part(1, { rows }))
      await imports.startWriting(session, true)
      // A chunk that is not the next one writes nothing.
      assert.equal(await imports.writeChunk(session, { chunk: 7, rows: [row('f-1', 'Wrong')] }), null)
      return (await imports.writeChunk(session, { chunk: 0, rows }))?.changedRows
    }
    const versions = async (formId: string) =>
      (await writer.formVersions(formId)).map(({ number, name, savedBy }) => [number, name, savedBy])
    // As before imports made versions.
    await writer.upsert('forms', [row('f-1', 'Stored')])
    assert.equal(await importing(row('f-1', 'First'), row('f-2', 'Other')), 2)
    assert.deepEqual(await versions('f-1'), [
      [2, 'First', null],
      [1, 'Stored', null],
    ])
    assert.deepEqual(await versions('f-2'), [[1, 'Other', null]])
    assert.equal(await importing(row('f-1', 'First'), row('f-2', 'Second')), 1)
    assert.equal((await versions('f-1')).length, 2)
    assert.deepEqual(await versions('f-2'), [
      [2, 'Second', null],
      [1, 'Other', null],
    ])
    const found = await storage.forms.find('f-2')
    const [stored] = await writer.findMany('forms', ['updatedAt'], ['f-2'])
    assert.equal((await writer.formVersions('f-2'))[0]?.savedAt, stored?.updatedAt)
    assert.deepEqual((await writer.formVersion('f-2', 2))?.definition, found?.definition)
    assert.deepEqual(await storage.tenant('org-b').formVersions('f-2'), [])
    for (let save = 0; save < 50; save += 1) await importing(row('f-2', `Save ${save}`))
    const kept = await versions('f-2')
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [50, [52, 'Save 49', null], [3, 'Save 0', null]])
  },
  async 'rows are changed when they still are what they replace, all of them or none'(storage) {
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
  async "rows of another organization are none that a change replaces, and a form's id stays its"(storage) {
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
  async 'a form that is written without a password keeps the one that is stored then'(storage) {
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
  async 'one setting of retention leaves the other, and none is set on settings that are no longer stored'({
    administration,
    organizationStore,
  }) {
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
  async 'a retention that is set otherwise meanwhile removes nothing by its old setting, and stays due'({
    tenant,
    organizationStore,
    sends,
    retentionDirectory,
  }) {
    await tenant('org-a').upsert('forms', [form('form-1')])
    await tenant('org-a').upsert('form-submissions', [submissionRow('s-1', { submittedAt: at(0) })])
    const sent = { channel: 'email', from: 'a@example.com', providerId: null, outcome: 'accepted' } as const
    await sends.open('org-a').record([{ ...sent, sendId: 's', to: 'b@example.com', error: null, at: at(0) }])
    await organizationStore('org-a').setRetention({ submissions: 7, sends: 7 }, at(10))
    const due = await retentionDirectory.due(at(10), 10)
    assert.equal(due.length, 2)
    await organizationStore('org-a').setRetention({ submissions: 365, sends: null }, at(11))
    for (const one of due) assert.equal(await retentionDirectory.apply(one, at(5000), at(6000), at(7000)), 0)
    assert.equal((await tenant('org-a').findMany('form-submissions', ['submissionId'], ['s-1'])).length, 1)
    assert.equal((await sends.open('org-a').list(null, 10)).length, 1)
    assert.equal(await retentionDirectory.nextDue(), at(11))
  },
  async 'a change that others overtook is tried again for the same record'({
    operatorChanges,
    administration,
    audit,
  }) {
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
})
