import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoForms } from '../dev/demo/index.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

const write = scratchFiles()
let at: TestOperator

beforeAll(async () => {
  at = await openTestOperator()
  for (const [id, ...flags] of [
    ['acme'],
    ['harbor', '--place', 'own', '--slug', 'harbor'],
    ['pier', '--parent', 'harbor'],
    ['quay', '--place', 'own', '--region', 'weur'],
  ])
    expect((await at.run('org', 'create', '--id', id ?? '', '--name', `${id} Wash`, ...flags)).code).toBe(0)
})
afterAll(() => {
  expect(at.service.errors).toEqual([])
})

test('organizations of all places are listed by their id, and each shows its place', async () => {
  expect((await at.run('org', 'list')).stdout.trim().split('\n')).toEqual([
    'acme  acme Wash',
    'harbor  harbor Wash',
    'pier  pier Wash',
    'quay  quay Wash',
  ])
  const placeOf = async (id: string) => {
    const { place, region } = JSON.parse((await at.run('org', 'show', id)).stdout) as Record<string, unknown>
    return [place, region]
  }
  expect(await placeOf('acme')).toEqual(['shared', null])
  expect(await placeOf('pier')).toEqual(['own', null])
  expect(await placeOf('quay')).toEqual(['own', 'weur'])
})

test('keys of all places are issued, listed, revoked and counted', async () => {
  const keysOf = async () =>
    (JSON.parse((await at.run('secrets', 'status')).stdout) as { current: { keys: number } }).current.keys
  const before = await keysOf()
  for (const id of ['acme', 'pier', 'quay'])
    expect((await at.run('key', 'issue', '--org', id)).stdout).toMatch(`ck_live_${id}_`)
  expect(await keysOf()).toBe(before + 3)
  const [keyId = ''] = (await at.run('key', 'list', '--org', 'pier')).stdout.split(' ')
  expect((await at.run('key', 'revoke', keyId)).code).toBe(0)
  expect(await keysOf()).toBe(before + 2)
  expect((await at.run('audit', '--org', 'pier')).stdout).toMatch(/"action":"key.revoke".*"outcome":"done"/)
})

test('the id of a form belongs to one organization of all places', async () => {
  const [form] = demoForms()
  const file = write('forms.ndjson', JSON.stringify(form))
  const imported = async (id: string) => (await at.run('import', 'forms', file, '--org', id)).code
  expect(await imported('harbor')).toBe(0)
  for (const id of ['acme', 'pier', 'quay']) expect(await imported(id)).toBe(1)
  expect(await imported('harbor')).toBe(0)
})

test.each([
  [['--id', 'acme', '--place', 'own'], 1, 'Move its family with "org move"'],
  [['--id', 'pier', '--place', 'own', '--parent', 'acme'], 1, 'acme is not in the place where pier lives'],
  [['--id', 'pier', '--parent', ''], 1, 'Move the family there with "org move" first'],
  [['--id', 'pier', '--parent', 'none'], 1, 'pier can leave its family only in the shared database'],
  [['--id', 'none', '--name', 'N'], 2, '--id must not be none'],
  [
    ['--id', 'new', '--name', 'N', '--place', 'shared', '--parent', 'harbor'],
    1,
    'a child goes where its parent is',
  ],
  [['--id', 'new', '--name', 'N', '--region', 'weur'], 2, '--region needs the place own'],
  [
    ['--id', 'new', '--name', 'N', '--place', 'shared', '--jurisdiction', 'eu'],
    2,
    '--jurisdiction needs the place own',
  ],
  [
    ['--id', 'new', '--name', 'N', '--place', 'own', '--region', 'weur', '--jurisdiction', 'eu'],
    2,
    '--region cannot',
  ],
  [['--id', 'new', '--name', 'N', '--place', 'own', '--region', 'moon'], 2, '--region must be one of wnam'],
  [['--id', 'acme', '--slug', 'harbor'], 1, 'Another organization has the slug harbor'],
  [['--id', 'harbor', '--parent', 'pier'], 1, 'pier'],
])('org create %j is refused', async (flags, code, saying) => {
  const { code: given, stdout, stderr } = await at.run('org', 'create', ...flags)
  expect([given, stdout]).toEqual([code, ''])
  expect(stderr).toContain(saying)
})
