import { beforeEach, expect, test } from 'vitest'
import { folderBackups } from '../../support/archives/folder-backups.ts'
import { begunExport, NOTHING, restoreRequest } from '../../support/data/restore-request.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { scratchFolder } from '../../support/scratch/scratch-folder.ts'

// Exports and restorations over the operator interface, by clients that make mistakes.

let service: TestService
let admin: OperatorClient
let support: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  admin = await openOperatorClient(service, 'admin')
  support = await openOperatorClient(service, 'support')
})

const EXPORT = '/organizations/acme/export'
const RESTORE = '/organizations/copy/restore'
test('only an admin exports, each export is recorded, and lines need its token', async () => {
  expect((await support.post(EXPORT, {})).status).toBe(403)
  expect((await admin.post('/organizations/none/export', {})).status).toBe(404)
  expect((await admin.post(EXPORT, { withSecrets: 'yes' })).status).toBe(400)
  const { token } = await begunExport(admin)
  const lines = (body: object, path = EXPORT) => admin.post(`${path}/lines`, { after: null, token, ...body })
  expect(await lines({ file: 'rows/sites.ndjson' })).toMatchObject({
    status: 200,
    body: { lines: '', rows: 0, next: null },
  })
  expect((await lines({ file: 'rows/nothing.ndjson' })).status).toBe(404)
  expect((await lines({ file: 'rows/api-keys.ndjson' })).status).toBe(404)
  expect((await lines({ file: 'rows/sites.ndjson', token: 'made-up' })).status).toBe(400)
  await service.addOrganization('other')
  expect((await lines({ file: 'rows/sites.ndjson' }, '/organizations/other/export')).status).toBe(400)
  service.clock.advance(86_400_001)
  expect((await lines({ file: 'rows/sites.ndjson' })).status).toBe(400)
  const records = await service.storage.audit.list({ action: 'organization.export' }, null, 10)
  expect(records.map(({ outcome, organizationId }) => [outcome, organizationId])).toContainEqual([
    'done',
    'acme',
  ])
  expect(records.map(({ outcome }) => outcome)).toContain('forbidden')
})

/** A line of a site in an archive. */
function siteLine(siteId: string): string {
  const site = { siteId, name: 'Harbor', commonName: null, siteCode: null, status: 'active', phone: null }
  const place = { timezone: 'UTC', address: {}, latitude: 1.5, longitude: null, googlePlaceId: null }
  const at = '2026-01-01T00:00:00.000Z'
  return JSON.stringify({ ...site, email: null, ...place, createdAt: at, updatedAt: at })
}

test('parts come in their order, whole, and fit the tables; then the organization is opened', async () => {
  expect((await support.get('/archives/format')).body).toMatchObject({ version: 1 })
  const { body } = await admin.post(RESTORE, await restoreRequest(admin, 1))
  expect(body).toMatchObject({ nextPart: 1, writtenRows: 0, rows: 1, endedAt: null })
  const { restoreId } = body as unknown as { readonly restoreId: string }
  const path = `${RESTORE}/${restoreId}`
  const part = (given: object) =>
    admin.post(`${path}/parts`, { part: 1, file: 'rows/sites.ndjson', lines: [], ...given })
  expect((await admin.post(`${path}/finish`, {})).status).toBe(409)
  expect((await part({ part: 2 })).status).toBe(409)
  expect((await part({ part: 0 })).status).toBe(400)
  expect((await part({ file: 'rows/nothing.ndjson' })).status).toBe(409)
  expect((await part({ lines: ['{}', '{}'] })).body).toEqual({
    error: 'rows/sites.ndjson has more rows than the manifest says.',
  })
  for (const line of ['no JSON', '[]', '{"siteId":1}', '{"siteId":"s","none":1}'])
    expect((await part({ lines: [line] })).status).toBe(409)
  const line = siteLine('s1')
  for (let times = 0; times < 2; times += 1)
    expect(await part({ lines: [line] })).toMatchObject({
      status: 200,
      body: { nextPart: 2, writtenRows: 1 },
    })
  for (let times = 0; times < 2; times += 1)
    expect((await admin.post(`${path}/finish`, {})).body).toMatchObject({
      endedAt: '2026-06-15T12:00:00.000Z',
    })
  expect((await part({ lines: [line] })).status).toBe(200)
  expect((await support.get('/organizations/copy')).body).toMatchObject({ name: 'Test', archive: 'acme.tar' })
  const missing = `${RESTORE}/rst_none`
  expect((await admin.post(`${missing}/parts`, { part: 1, file: 'x', lines: [] })).status).toBe(404)
  expect((await admin.post(`${missing}/finish`, {})).status).toBe(404)
})

test('the rows of a file are counted over all its parts', async () => {
  const { body } = await admin.post(RESTORE, await restoreRequest(admin, 3))
  const { restoreId } = body as unknown as { readonly restoreId: string }
  const path = `${RESTORE}/${restoreId}`
  const part = async (number: number, ...ids: readonly string[]) => {
    const given = { part: number, file: 'rows/sites.ndjson', lines: ids.map(siteLine) }
    return (await admin.post(`${path}/parts`, given)).body
  }
  expect(await part(1, 's1', 's2')).toMatchObject({ writtenRows: 2, rows: 3 })
  expect((await admin.post(`${path}/finish`, {})).status).toBe(409)
  expect(await part(2, 's3', 's4')).toEqual({
    error: 'rows/sites.ndjson has more rows than the manifest says.',
  })
  expect(await part(2, 's3')).toMatchObject({ writtenRows: 3, rows: 3 })
  expect((await admin.post(`${path}/finish`, {})).status).toBe(200)
})

test.each([
  [400, { digest: 'short' }, 'digest'],
  [400, { place: 'shared', region: 'weur' }, 'region: needs the place own'],
  [400, { region: 'weur' }, 'region: needs the place own'],
  [409, { organization: { row: { name: 1 } } }, 'organization.json has no valid value for name'],
  [409, { organization: { row: { name: 'N', parentId: 'gone' } } }, 'There is no organization gone'],
  [409, { manifest: { file: 'rows/future.ndjson', field: 'siteId' } }, 'a file rows/future.ndjson'],
  [409, { manifest: { file: 'rows/sites.ndjson', field: 'future' } }, 'a field future'],
])('a restoration is refused with %i: %j', async (status, wrong, saying) => {
  const whole = await restoreRequest(admin, 0)
  const { organization, manifest, ...more } = wrong as {
    readonly organization?: object
    readonly manifest?: { readonly file: string; readonly field: string }
  }
  const files =
    manifest === undefined
      ? whole.manifest.files
      : [{ file: manifest.file, columns: [manifest.field], rows: 0, bytes: 0, sha256: NOTHING }]
  const body = {
    ...whole,
    ...more,
    organization: { ...whole.organization, ...organization },
    manifest: { ...whole.manifest, files },
  }
  const answer = await admin.post(RESTORE, body)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body)).toContain(saying)
  expect((await support.get('/organizations/copy')).status).toBe(404)
})

test('backups need a bucket, an organization and a name of one', async () => {
  expect((await admin.post('/organizations/acme/backup')).status).toBe(409)
  expect((await support.get('/backups')).status).toBe(409)
  expect((await admin.post('/backups/remove', { keepDays: 1 })).status).toBe(409)
  expect((await admin.post('/backups/x/bytes', { offset: 0 })).status).toBe(409)
  const folder = scratchFolder()
  const kept = await openTestService((clock) => ({
    ...createScratchStorage({ clock }),
    backups: folderBackups(clock, folder),
  }))
  await kept.addOrganization('acme')
  const client = await openOperatorClient(kept, 'admin')
  expect((await client.post('/organizations/none/backup')).status).toBe(404)
  expect((await client.post('/organizations/acme/backup')).status).toBe(200)
  expect((await client.get('/backups')).body.data).toHaveLength(1)
  expect((await client.get('/backups?cursor=made-up')).status).toBe(400)
  expect((await client.post('/backups/remove', { keepDays: 0 })).status).toBe(400)
  expect((await client.post('/backups/..%2Fsecrets/bytes', { offset: 0 })).status).toBe(404)
  expect((await client.post('/backups/2026-06-15T12-00-00-000Z.none.tar/bytes', { offset: 0 })).status).toBe(
    404,
  )
  expect((await client.post('/backups/x/bytes', { offset: -1 })).status).toBe(400)
})

test('the id of an organization must be one', async () => {
  expect((await admin.post('/organizations/-copy/restore', await restoreRequest(admin, 0))).status).toBe(400)
})
