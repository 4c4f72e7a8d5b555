import { beforeEach, describe, expect, test } from 'vitest'
import { newFormIds } from '../../../domain/organizations/restoration.ts'
import { begunExport, NOTHING, restoreRequest } from '../../support/data/restore-request.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// Archives that are damaged, or hostile: nothing comes of them that the service itself would refuse.

let service: TestService
let admin: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  admin = await openOperatorClient(service, 'admin')
})

const RESTORE = '/organizations/copy/restore'

async function restoring(row: object, more: object = {}) {
  const whole = await restoreRequest(admin, 0)
  const organization = { ...whole.organization, row: { ...whole.organization.row, ...row } }
  return admin.post(RESTORE, { ...whole, organization, ...more })
}

test.each([
  ['slug', 'contact'],
  ['slug', 'Not A Slug'],
  ['smsNumber', '12'],
  ['phoneCountry', 'Atlantis'],
  ['automationHourly', 0],
  ['automationHourly', 99_999],
  ['name', ' '],
  ['name', 'a\u0007b'],
  ['posSource', { kind: 'odbc_second', tenant: '../x' }],
])('the setting %s of %j is refused with the sentence of org create', async (setting, value) => {
  const created = await admin.post('/organizations/fresh', { name: 'Fresh', [setting]: value })
  expect(created.status).toBe(400)
  const restored = await restoring({ [setting]: value })
  expect([restored.status, restored.body.error]).toEqual([409, created.body.error])
  if (setting === 'slug')
    expect((await restoring({}, { slug: value })).body.error).toContain(created.body.error)
  expect(await service.storage.organizationStore('copy').restoration()).toBe(null)
})

test.each([
  ['is its own parent', { parentId: 'copy' }, 'An organization cannot be its own parent.'],
  ['has a clock of another age', { clockAt: '9999-01-01T00:00:00.000Z' }, 'more than a day after'],
  ['has a clock of the day after tomorrow', { clockAt: '2026-06-16T12:00:00.001Z' }, 'more than a day after'],
  ['has no clock', { clockAt: 'soon' }, 'no instant as its clock'],
  [
    'has a clock of a day that does not exist',
    { clockAt: '2026-02-30T00:00:00.000Z' },
    'no instant as its clock',
  ],
])('an archive whose organization %s is refused before anything is written', async (_what, row, saying) => {
  const { status, body } = await restoring(row)
  expect([status, body.error]).toEqual([409, expect.stringContaining(saying)])
  expect(await service.storage.organizationStore('copy').restoration()).toBe(null)
})

test('an archive whose organization is nested without end is refused before anything is written', async () => {
  expect((await restoring({ posSource: nested(20_000) })).status).toBe(400)
  expect((await restoring({ posSource: JSON.stringify(nested(2_000)) })).status).toBe(409)
  expect([await service.storage.organizationStore('copy').restoration(), service.errors]).toEqual([null, []])
})

test('a clock up to a day ahead is taken, and a parent below the organization is not', async () => {
  expect((await restoring({ clockAt: '2026-06-16T12:00:00.000Z' })).status).toBe(200)
  await service.addOrganization('above')
  await service.addOrganization('below', { parentId: 'above' })
  const whole = await restoreRequest(admin, 0)
  const organization = { ...whole.organization, row: { ...whole.organization.row, parentId: 'below' } }
  const { status, body } = await admin.post('/organizations/above/restore', { ...whole, organization })
  expect([status, body.error]).toEqual([409, 'below is below above, so it cannot be the parent.'])
})

function nested(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}

test('a manifest that names something twice, or no organization, is refused', async () => {
  const { manifest } = await restoreRequest(admin, 0)
  const [first] = manifest.files
  for (const [changes, saying] of [
    [{ files: [...manifest.files, first] }, 'twice'],
    [{ files: [{ ...first, columns: [...(first?.columns ?? []), first?.columns[0]] }] }, 'twice'],
    [{ organizationId: '../acme' }, 'names no organization'],
  ] as const) {
    const { status, body } = await restoring({}, { manifest: { ...manifest, ...changes } })
    expect([status, body.error]).toEqual([409, expect.stringContaining(saying)])
  }
  const place = { place: 'own', region: 'weur', jurisdiction: 'eu' }
  const whole = await restoreRequest(admin, 0)
  const both = await admin.post(RESTORE, { ...whole, organization: { ...whole.organization, ...place } })
  expect([both.status, both.body.error]).toEqual([400, expect.stringContaining('jurisdiction')])
})

const at = '2026-01-01T00:00:00.000Z'
const formRow = {
  formId: 'f-1',
  name: 'Form',
  isPublished: true,
  publishedAt: null,
  createdAt: at,
  updatedAt: at,
  definition: { formId: 'f-1', name: 'Form', isPublished: true, notificationEmails: [], fields: [] },
  passwordHash: null,
  version: 1,
}
const work = {
  submissionId: 's',
  kind: 'automation_run',
  payload: {},
  attempts: 0,
  lastError: null,
  updatedAt: at,
}
const outboxRow = {
  outboxId: 'run_1',
  ...work,
  status: 'pending',
  nextAttemptAt: at,
  createdAt: at,
  leaseToken: null,
  waitingSince: null,
}

describe.each([
  [
    'forms',
    formRow,
    [
      { definition: {} },
      { definition: { ...formRow.definition, fields: 5 } },
      { definition: { ...formRow.definition, notificationEmails: 'a@example.com' } },
      { definition: { ...formRow.definition, formId: 'other' } },
      { formId: '../x' },
      { formId: 'a'.repeat(201) },
      { createdAt: 'yesterday' },
      { updatedAt: '9999-01-01T00:00:00.000Z' },
      { definition: nested(2_000) },
      { definition: JSON.stringify(nested(2_000)) },
      { name: 'half \ud800' },
    ],
  ],
  [
    'outbox',
    outboxRow,
    [
      { status: 'sent' },
      { attempts: -1 },
      { nextAttemptAt: 'now' },
      { createdAt: '9999-01-01T00:00:00.000Z' },
    ],
  ],
  [
    'retention',
    { kind: 'sends', days: 3, dueAt: at },
    [{ kind: 'all' }, { days: 0 }, { dueAt: '9999-01-01T00:00:00.000Z' }],
  ],
] as const)('a row of %s', (kind, good, wrongs) => {
  async function sent(changes: object) {
    const file = `rows/${kind}.ndjson`
    const { files } = await begunExport(admin)
    const columns = files.find((one) => one.file === file)?.columns ?? []
    const whole = await restoreRequest(admin, 0)
    const manifest = { ...whole.manifest, files: [{ file, columns, rows: 1, bytes: 0, sha256: NOTHING }] }
    const begun = await admin.post(RESTORE, { ...whole, manifest })
    const { restoreId } = begun.body as unknown as { readonly restoreId: string }
    const row = Object.fromEntries(
      columns.map((column) => [column, ({ ...good, ...changes } as Record<string, unknown>)[column]]),
    )
    const part = { part: 1, file, lines: [JSON.stringify(row)] }
    return admin.post(`${RESTORE}/${restoreId}/parts`, part)
  }
  test('that the service could have stored is taken', async () => {
    expect(await sent({})).toMatchObject({ status: 200 })
  })
  test.each(wrongs.map((wrong) => [JSON.stringify(wrong).slice(0, 60), wrong] as const))(
    'with %s is refused',
    async (_name, wrong) => {
      expect([(await sent(wrong)).status, service.errors]).toEqual([409, []])
    },
  )
})

test('new ids of forms are the first that are free, also of ids that are as long as can be', async () => {
  const long = 'x'.repeat(200)
  const held = new Set(['a-2', 'a-3'])
  const chosen = await newFormIds(['a', 'b', 'b-2', long], async (ids) => ids.filter((id) => held.has(id)))
  expect(chosen).toEqual({ a: 'a-4', b: 'b-3', 'b-2': 'b-2-2', [long]: `${'x'.repeat(198)}-2` })
  expect(await newFormIds(['a'], async (ids) => ids)).toBe(null)
})
