import { beforeEach, expect, test } from 'vitest'
import type { NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import { contentDigest, digestOfParts, sha256 } from '../../domain/imports/file/transfer.ts'
import { utf8 } from '../../domain/text/encoding.ts'
import { testSecrets } from '../support/runner/fakes.ts'
import { restoreRequest } from '../support/data/restore-request.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// JSON is stored by one version of the service and read by another, which may expect it in another form.

let service: TestService
let storage: ScratchStorage
let admin: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
  await service.addOrganization('acme')
  admin = await openOperatorClient(service, 'admin')
})

/** Texts that are no JSON, or JSON of another form. */
const foreign = ['', '{', 'null', '[]', '{"version":2}']

async function store(sql: string, text: string, { batch }: Pick<NodeSqlite, 'batch'>): Promise<void> {
  const [result] = await batch([{ sql, parameters: [text] }])
  expect(result?.changes).toBe(1)
}

const sealed = JSON.stringify({ line: 1, dropped: null, header: null, lineEnd: null, rest: 'AAAA' })
test.each([
  ...foreign,
  sealed.replace('AAAA', 'no base64'),
  sealed.replace('"line":1', '"line":0'),
  sealed.replace('"header":null', '"header":{"kind":"fields","names":[1],"delimiter":","}'),
  sealed.replace('}', ',"sealedUnder":"1"}'),
])('an import whose reading is %j is given up with a sentence', async (reading) => {
  const key = await service.addOperatorKey('admin')
  const parts = ['{"contactId":"c-1","na', 'me":"Ada"}\n'].map(utf8)
  const digests = await Promise.all(parts.map((part) => sha256(part)))
  const all = '/operator/v1/organizations/acme/imports'
  const totalBytes = parts.reduce((sum, { length }) => sum + length, 0)
  const file = { kind: 'contacts', format: 'ndjson', totalBytes, digest: await digestOfParts(digests) }
  const opened = await service.sendUnchecked(all, { key, json: file })
  const { importId } = (await opened.json()) as { readonly importId: string }
  const send = (index: number) => {
    const digest = contentDigest({ digest: digests[index] ?? '' })
    return service.sendUnchecked(`${all}/${importId}/parts/${index + 1}`, {
      method: 'PUT',
      key,
      headers: { 'content-type': 'application/octet-stream', 'content-digest': digest },
      body: parts[index] ?? null,
    })
  }
  expect((await send(0)).status).toBe(200)
  const version = (await testSecrets()).current.version
  await store(
    'update import_sessions set reading = ?1',
    reading.replace('"sealedUnder":"1"', `"sealedUnder":"${version}"`),
    await storage.databaseOf('acme'),
  )
  const refused = await send(1)
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { error: 'Another version of the service began to read this file. Import it again.' },
  ])
  expect((await admin.get(`/organizations/acme/imports/${importId}`)).body).toMatchObject({
    state: 'aborted',
  })
})

test.each(foreign)('a restoration whose progress is %j is refused with a sentence', async (progress) => {
  const request = await restoreRequest(admin, 1)
  const path = '/organizations/copy/restore'
  const { restoreId } = (await admin.post(path, request)).body as unknown as { readonly restoreId: string }
  await store('update restores set progress = ?1', progress, await storage.databaseOf('copy'))
  const part = { part: 1, file: 'rows/sites.ndjson', lines: ['{}'] }
  for (const answer of [
    await admin.post(path, request),
    await admin.post(`${path}/${restoreId}/parts`, part),
    await admin.post(`${path}/${restoreId}/finish`, {}),
  ])
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error:
          'Another version of the service began this restoration, and this one cannot continue it. Delete the organization, and restore it again.',
      },
    })
  // What the sentence says can be done.
  expect((await admin.post('/organizations/copy/delete', { confirm: 'copy' })).status).toBe(200)
  expect((await admin.post(path, request)).status).toBe(200)
})

test.each(foreign)('a record of the audit whose subject is %j is shown without it', async (subject) => {
  expect((await admin.post('/organizations/acme/keys', {})).status).toBe(201)
  const before = (await admin.get('/audit?action=key.issue')).body.data
  expect(before).toMatchObject([{ outcome: 'done', subject: { type: 'key' } }])
  await store("update audit set subject = ?1 where action = 'key.issue'", subject, storage.database)
  const { status, body } = await admin.get('/audit?action=key.issue')
  expect([status, body.data]).toMatchObject([200, [{ outcome: 'done', subject: null }]])
})
