import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestOperator, operate, TEST_URL } from '../../../test/support/services/operator/operator.ts'
import { holdState } from '../../local/service-file.ts'
import { systemClock } from '../../system.ts'
import { openService } from './open-service.ts'

const LOCAL_URL = 'http://127.0.0.1:8787'
let directory = ''
let key = ''

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'open-service-'))
  ;({ key } = await openTestOperator())
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

async function stateOf(url: string): Promise<string | null> {
  const surroundings = { environment: {}, directory, clock: systemClock, note: () => undefined }
  return (await openService({ kind: 'given', url, key }, surroundings)).service.stateDirectory
}

test('a given service has the local state when it is the announced one', async () => {
  const held = holdState(directory, LOCAL_URL)
  held?.announce()
  expect(await stateOf(LOCAL_URL)).toBe(directory)
  expect(await stateOf('http://127.0.0.1:8788')).toBe(null)
  expect(await stateOf(TEST_URL)).toBe(null)
  held?.release()
  expect(await stateOf(LOCAL_URL)).toBe(null)
})

test('a service elsewhere is used although the local state cannot be read', async () => {
  mkdirSync(join(directory, 'service.1'))
  expect(await stateOf(TEST_URL)).toBe(null)
  await expect(stateOf(LOCAL_URL)).rejects.toThrow('EISDIR')
})

test('a command that may not open the local state says so, without a stack trace', async () => {
  symlinkSync('service.1', join(directory, 'service.1'))
  const environment = { OPERATOR_URL: LOCAL_URL, OPERATOR_KEY: key }
  const { code, stderr } = await operate(['org', 'list'], { environment, directory })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^ELOOP: .*service\.1'\n$/)])
})
