import { beforeEach, expect, test } from 'vitest'
import { contacts } from '../../domain/resources/contacts.ts'
import { sites } from '../../domain/resources/sites.ts'
import { sampleRow } from '../../test/support/data/sample-rows.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

// What operators remove by the commands: rows, people, what is old, and organizations.

const write = scratchFiles()
let at: TestOperator

beforeEach(async () => {
  at = await openTestOperator()
  await at.service.addOrganization('acme')
  const tenant = at.service.storage.tenant('acme')
  const all = Array.from({ length: 4 }, (_, index) => index)
  await tenant.upsert(
    'sites',
    all.map((index) => sampleRow(sites, index)),
  )
  await tenant.upsert(
    'contacts',
    all.map((index) => ({ ...sampleRow(contacts, index), emailKey: `c${index}@example.com` })),
  )
})

const told = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await at.run(...args, '--org', 'acme')
  return { code, told: `${stdout}${stderr}` }
}
const idsOf = async (collection: string, field: string, ids: readonly string[]) =>
  (await at.service.storage.tenant('acme').findMany(collection, [field], ids)).map((row) => row[field]).sort()

test('rows are deleted that a file names, or one by its id', async () => {
  const file = write('ids.txt', 'siteId-0\r\n\nsiteId-1\n')
  expect(await told('rows', 'delete', 'sites', file)).toEqual({ code: 0, told: 'Deleted 2 rows of sites.\n' })
  expect((await told('rows', 'delete', 'sites', '--id', 'siteId-2')).code).toBe(0)
  const left = await idsOf('sites', 'siteId', ['siteId-0', 'siteId-1', 'siteId-2', 'siteId-3'])
  expect(left).toEqual(['siteId-3'])
  const again = await told('rows', 'delete', 'sites', file)
  expect(again).toMatchObject({ code: 1, told: expect.stringContaining('Nothing was deleted') as unknown })
  for (const [wrong, code, saying] of [
    [[], 2, 'FILE or --id is missing'],
    [[file, '--id', 'x'], 2, 'FILE and --id exclude each other'],
    [[file, 'more'], 2, 'nothing more'],
    [['/nonexistent/none'], 1, 'cannot be read'],
  ] as const)
    expect(await told('rows', 'delete', 'sites', ...wrong)).toMatchObject({
      code,
      told: expect.stringContaining(saying) as unknown,
    })
})

test('several people are erased at once, by ids and addresses', async () => {
  const named = ['--contact', 'contactId-0', '--contact', 'contactId-1', '--email', 'C2@example.com']
  const { code, told: said } = await told('contact', 'erase', ...named)
  expect([code, said]).toEqual([0, expect.stringContaining('contactId-0, contactId-1, contactId-2')])
  const rows = await at.service.storage
    .tenant('acme')
    .findMany('contacts', ['contactId', 'firstName'], ['contactId-0', 'contactId-1', 'contactId-2'])
  expect(rows.map(({ firstName }) => firstName)).toEqual([null, null, null])
  expect((await told('contact', 'erase')).told).toContain('--contact or --email or --phone is missing')
  expect((await told('contact', 'erase', '--contact', '')).code).toBe(2)
  expect(await told('contact', 'erase', '--contact', 'nobody')).toMatchObject({ code: 1 })
})

test('retention is set and shown, and an organization is deleted after it was confirmed', async () => {
  expect((await told('retention', 'set', '--submissions', '30')).told).toContain('submissions 30 days')
  expect((await told('retention', 'set', '--sends', '7')).told).toContain('sends 7 days')
  expect((await told('retention', 'set', '--sends', 'none')).told).toContain('sends for ever')
  for (const days of ['0', '1.5', 'week'])
    expect((await told('retention', 'set', '--sends', days)).code).toBe(2)
  expect(JSON.parse((await at.run('org', 'show', 'acme')).stdout)).toMatchObject({
    retention: { submissions: 30, sends: null },
  })
  expect((await at.run('org', 'delete', '--id', 'acme')).code).toBe(2)
  expect((await at.run('org', 'delete', '--id', 'acme', '--confirm', 'acm')).code).toBe(2)
  const deleted = await at.run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
  expect(deleted).toEqual({
    code: 0,
    stdout: expect.stringContaining('contacts  4\n') as unknown,
    stderr: 'Deleted acme.\n',
  })
  expect((await at.run('org', 'show', 'acme')).code).toBe(1)
  expect((await at.run('org', 'delete', '--id', 'acme', '--confirm', 'acme')).code).toBe(1)
})
