import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  operate,
  openTestOperator,
  TEST_URL,
  type TestOperator,
} from '../../test/support/services/operator/operator.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const directory = scratchFolder()
const path = join(directory, 'tenant-data-api', 'operator.json')
const environment = { XDG_CONFIG_HOME: directory }
let operated: TestOperator

const run = (args: readonly string[], asked = '') =>
  operate(args, { environment, reach: operated.reach, askKey: async () => asked })

beforeAll(async () => {
  operated = await openTestOperator()
})

test('a login is tried, kept for its user alone, used by later commands, and forgotten', async () => {
  const done = {
    code: 0,
    stdout: '',
    stderr: `Logged in at ${TEST_URL} as admin (admin). Stored in ${path}.\n`,
  }
  expect(await run(['login', '--url', `${TEST_URL}/`], operated.key)).toEqual(done)
  expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: TEST_URL, key: operated.key })
  expect(await run(['org', 'list'])).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await run(['login', '--url', TEST_URL, '--key', operated.key])).toEqual(done)
  expect(await run(['logout'])).toEqual({ code: 0, stdout: '', stderr: `Removed ${path}.\n` })
  expect(await run(['logout'])).toEqual({ code: 0, stdout: '', stderr: 'There was no login.\n' })
})

test('a login that does not work is not kept', async () => {
  const other = await openTestOperator()
  await other.service.revokeOperatorKey(other.key)
  for (const asked of [other.key.slice(0, -1), '', 'ck_live_x'])
    expect(await run(['login', '--url', TEST_URL], asked)).toMatchObject({ code: 1, stdout: '' })
  const refused = await operate(['login', '--url', TEST_URL, '--key', other.key], {
    environment,
    reach: other.reach,
  })
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(await run(['login'], operated.key)).toMatchObject({ code: 1, stdout: '' })
  expect(statSync(path, { throwIfNoEntry: false })).toBe(undefined)
})

test('a file that is no login says what to do', async () => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"url":1}')
  expect((await run(['org', 'list'])).stderr).toBe(
    `${path} cannot be read as a login. Log in again, or remove it.\n`,
  )
  rmSync(dirname(path), { recursive: true })
})
