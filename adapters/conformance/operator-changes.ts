import assert from 'node:assert/strict'
import type { AuditEntry, AuditFilter, AuditRecord } from '../../ports/index.ts'
import type { StorageCase, StorageInstance } from './case.ts'
import { at, form, organization, submission, tenantKey, twoTenants } from './fixtures.ts'

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

export const operatorChangeCases: readonly StorageCase[] = [
  {
    name: 'a change that is made is recorded as done, and one that is not as refused',
    async run(make) {
      const storage = await twoTenants(make)
      const { operatorChanges } = storage
      let made = 0
      const next = () => operatorChanges(auditEntry(`a${(made += 1)}`))
      assert.equal(await next().saveOrganization(organization('org-c', { slug: 's' })), 'saved')
      assert.equal(await next().saveOrganization(organization('org-a', { slug: 's' })), 'slug_taken')
      assert.equal(
        await next().saveOrganization(organization('org-a', { parentId: 'none' })),
        'parent_missing',
      )
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
  },
  {
    name: 'a rotation and a retried outbox entry are recorded like every change',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'a change that fails leaves neither the change nor a record',
    async run(make) {
      const storage = await twoTenants(make)
      await assert.rejects(storage.operatorChanges(auditEntry('a1')).addKey(tenantKey('org-b', 'key-a')))
      assert.deepEqual(await outcomes(storage), [])
    },
  },
  {
    name: 'the first record of a request stays',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'a record says what it is about, and a settled one what it turned out to be about',
    async run(make) {
      const { audit, operatorChanges } = await twoTenants(make)
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
  },
  {
    name: 'records are narrowed by organization, key and action, alone and together',
    async run(make) {
      const { audit } = await twoTenants(make)
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
      assert.equal(
        await listed({ organizationId: null, operatorKeyId: null, action: null }),
        'a5 a4 a3 a2 a1',
      )
      assert.equal(await listed({ organizationId }), 'a3 a2 a1')
      assert.equal(await listed({ operatorKeyId }), 'a4 a3 a1')
      assert.equal(await listed({ action }), 'a5 a4 a2 a1')
      assert.equal(await listed({ organizationId, operatorKeyId }), 'a3 a1')
      assert.equal(await listed({ organizationId, action }), 'a2 a1')
      assert.equal(await listed({ operatorKeyId, action }), 'a4 a1')
      assert.equal(await listed({ organizationId, operatorKeyId, action }), 'a1')
      const after = { at: at(2), auditId: 'a2' }
      assert.deepEqual(idsOf(await audit.list({ organizationId, action }, after, 10)), ['a1'])
    },
  },
  {
    name: 'records are kept as they were made, and listed newest first, of one organization or of all, in pages',
    async run(make) {
      const { audit } = await twoTenants(make)
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
      assert.deepEqual(idsOf(await audit.list({}, { at: at(1), auditId: 'a9' }, 10)), ['a3', 'a1'])
      assert.deepEqual(idsOf(await audit.list({ organizationId: 'org-a' }, null, 10)), ['a2', 'a3'])
      assert.deepEqual(
        idsOf(await audit.list({ organizationId: 'org-a' }, { at: at(2), auditId: 'a2' }, 10)),
        ['a3'],
      )
      assert.deepEqual(await audit.list({ organizationId: 'org-none' }, null, 10), [])
    },
  },
]
