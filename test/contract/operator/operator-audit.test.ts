import { beforeEach, expect, test } from 'vitest'
import type { AuditRecord } from '../../../ports/operators.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService, type TestStorage } from '../../support/services/service.ts'

let service: TestService
let admin: OperatorClient
let support: OperatorClient
/** Runs before and after a change is stored. Tests make them fail. */
let beforeChange: () => Promise<void>
let afterChange: () => Promise<void>
/** Runs before an audit record without a change is stored. */
let beforeRecord: () => Promise<void>

function failing(storage: TestStorage): TestStorage {
  return {
    ...storage,
    audit: {
      ...storage.audit,
      record: async (record) => {
        await beforeRecord()
        await storage.audit.record(record)
      },
    },
    operatorChanges: (entry) => {
      const changes = storage.operatorChanges(entry)
      return {
        ...changes,
        addKey: async (key) => {
          await beforeChange()
          const isAdded = await changes.addKey(key)
          await afterChange()
          return isAdded
        },
      }
    },
  }
}

beforeEach(async () => {
  beforeChange = async () => undefined
  afterChange = beforeChange
  beforeRecord = beforeChange
  service = await openTestService((clock) => failing(createScratchStorage({ clock })))
  admin = await openOperatorClient(service, 'admin')
  support = await openOperatorClient(service, 'support')
})

type Shown = Omit<AuditRecord, 'auditId'>

/** The audit records of the operators, oldest first. */
async function records(query = ''): Promise<readonly Shown[]> {
  const { body } = await support.get(`/audit?limit=500${query}`)
  const all = body.data as unknown as readonly Shown[]
  return all.filter(({ action }) => action !== 'test.prepare').reverse()
}

const short = ({ operator, action, organizationId, outcome }: Shown) =>
  [operator, action, organizationId, outcome].join(' ')

test('every change is recorded with who asked, for what and of whom, and so is every refused one', async () => {
  await admin.post('/organizations/acme', { name: 'Acme', slug: 'a' })
  await admin.post('/organizations/b', { name: 'B', slug: 'a' })
  await admin.post('/organizations/b', {})
  const { keyId } = (await admin.post('/organizations/acme/keys', {})).body
  await admin.post('/organizations/nobody/keys', {})
  const { keyId: nextId } = (await admin.post(`/keys/${keyId}/rotate`, { overlap: '1d' })).body
  await admin.post(`/keys/${keyId}/rotate`, { overlap: '1d' })
  await admin.post(`/keys/${nextId}/revoke`)
  await admin.post('/keys/none/revoke')
  await admin.post('/platform-keys', {})
  const bob = (await admin.post('/operator-keys', { operator: 'bob', role: 'support' })).body
  await admin.post(`/operator-keys/${bob.keyId}/revoke`)
  await support.post('/outbox/none/retry')
  await support.post('/organizations/acme', { name: 'Mine' })
  await support.post('/operator-keys', { operator: 'me', role: 'admin' })
  await support.get('/organizations')
  const all = await records()
  expect(all.map(short).sort()).toEqual(
    [
      'admin organization.save acme done',
      'admin organization.save b refused',
      'admin key.issue acme done',
      'admin key.issue nobody refused',
      'admin key.rotate acme done',
      'admin key.rotate acme refused',
      'admin key.revoke acme done',
      'admin key.revoke  refused',
      'admin key.issue  done',
      'admin operatorKey.issue  done',
      'admin operatorKey.revoke  done',
      'support outbox.retry  refused',
      'support organization.save acme forbidden',
      'support operatorKey.issue  forbidden',
    ].sort(),
  )
  expect(Object.keys(all[0] ?? {})).toEqual([
    'at',
    'operatorKeyId',
    'operator',
    'action',
    'organizationId',
    'outcome',
    'subject',
  ])
  const { operatorKeyId } = (await admin.get('/health')).body
  expect(all[0]).toMatchObject({ operatorKeyId, at: '2026-06-15T12:00:00.000Z' })
  expect(JSON.stringify(all)).not.toMatch(/[cop]k_live_/)
})

test('records are listed newest first, in pages, of one organization or of all', async () => {
  for (const id of ['a', 'b', 'a', 'b', 'a']) {
    service.clock.advance(1000)
    await admin.post(`/organizations/${id}`, { name: id })
  }
  const seen = []
  for (let cursor = ''; ;) {
    const { body } = await admin.get(`/audit?organizationId=a&limit=2${cursor}`)
    seen.push(...(body.data as unknown as readonly Shown[]))
    if (body.pagination.nextCursor === null) break
    cursor = `&cursor=${body.pagination.nextCursor}`
  }
  expect(seen.map(({ organizationId }) => organizationId)).toEqual(['a', 'a', 'a'])
  const times = seen.map(({ at }) => at)
  expect(times).toEqual([...times].sort().reverse())
  const { nextCursor } = (await admin.get('/audit?organizationId=a&limit=1')).body.pagination
  expect((await admin.get(`/audit?organizationId=b&cursor=${nextCursor}`)).status).toBe(400)
  expect((await admin.get('/audit?organizationId=nobody')).body.data).toEqual([])
})

test('records are narrowed by the key that asked, by the action, and by any of these together', async () => {
  await admin.post('/organizations/acme', { name: 'Acme' })
  await admin.post('/organizations/acme/keys', {})
  await admin.post('/platform-keys', {})
  await support.post('/platform-keys', {})
  const keyIdOf = async (client: OperatorClient) => (await client.get('/health')).body.operatorKeyId
  const [mine, theirs] = [await keyIdOf(admin), await keyIdOf(support)]
  const listed = async (query: string) => (await records(query)).map(short).sort()
  const [saved, ofAcme, ofPlatform] = [
    'admin organization.save acme done',
    'admin key.issue acme done',
    'admin key.issue  done',
  ]
  const forbidden = 'support key.issue  forbidden'
  expect(await listed('')).toEqual([ofPlatform, ofAcme, saved, forbidden])
  expect(await listed(`&operatorKeyId=${mine}`)).toEqual([ofPlatform, ofAcme, saved])
  expect(await listed('&action=key.issue')).toEqual([ofPlatform, ofAcme, forbidden])
  expect(await listed(`&action=key.issue&operatorKeyId=${theirs}`)).toEqual([forbidden])
  expect(await listed(`&action=key.issue&organizationId=acme`)).toEqual([ofAcme])
  expect(await listed(`&organizationId=acme&operatorKeyId=${theirs}`)).toEqual([])
  expect(await listed(`&organizationId=acme&operatorKeyId=${mine}&action=organization.save`)).toEqual([saved])
  expect(await listed('&operatorKeyId=nobody')).toEqual([])
  expect(await listed('&operatorKeyId=&action=')).toHaveLength(4)
  const first = (await admin.get(`/audit?action=key.issue&limit=2`)).body
  const cursor = first.pagination.nextCursor ?? ''
  expect((await admin.get(`/audit?action=key.issue&limit=2&cursor=${cursor}`)).body.data).toHaveLength(1)
  const wrong = await admin.get('/audit?action=key.isue')
  expect([wrong.status, wrong.body.error]).toEqual([
    400,
    expect.stringMatching(/^Parameter action must be one of: organization\.save, .*outbox\.retry\.$/),
  ])
  expect((await admin.get('/audit?action=key.issue&action=key.issue')).status).toBe(400)
})

test('a change that fails is recorded as failed; one whose answer is lost after it was made, as done', async () => {
  await admin.post('/organizations/acme', { name: 'Acme' })
  beforeChange = () => Promise.reject(new Error('storage lost'))
  expect((await admin.post('/organizations/acme/keys', {})).status).toBe(500)
  expect((await records()).map(short)).toContain('admin key.issue acme failed')
  expect((await admin.get('/organizations/acme/keys')).body.data).toEqual([])
  beforeChange = async () => undefined
  afterChange = () => Promise.reject(new Error('answer lost'))
  expect((await admin.post('/platform-keys', {})).status).toBe(500)
  expect((await records()).map(short)).toContain('admin key.issue  done')
  expect((await admin.get('/platform-keys')).body.data).toHaveLength(1)
  expect(service.errors).toHaveLength(2)
})

test('a change that fails, and whose record cannot be written either, leaves both failures in the log', async () => {
  await admin.post('/organizations/acme', { name: 'Acme' })
  const [lost, unrecorded] = [new Error('storage lost'), new Error('audit lost')]
  beforeChange = () => Promise.reject(lost)
  beforeRecord = () => Promise.reject(unrecorded)
  expect((await admin.post('/organizations/acme/keys', {})).status).toBe(500)
  expect(service.errors).toEqual([unrecorded, lost])
  expect(service.logLines.join('\n')).toContain('"change_not_recorded"')
})

test('the log line of a request names the operator key, and no line holds a secret', async () => {
  const { key } = (await admin.post('/platform-keys', {})).body
  const lines = service.logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const { operatorKeyId } = (await admin.get('/health')).body
  expect(lines.at(-1)).toMatchObject({
    event: 'request',
    endpointId: 'platformKeys.issue',
    status: 201,
    keyId: operatorKeyId,
  })
  for (const secret of [key, admin.key, support.key])
    expect(service.logLines.join('\n')).not.toContain(secret)
})
