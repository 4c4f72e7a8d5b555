import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, expect, it } from 'vitest'
import { withFileLock } from './file-lock.mjs'

const directory = mkdtempSync(join(tmpdir(), 'file-lock-'))
const path = join(directory, 'deep', 'lock')

afterEach(() => {
  rmSync(path, { force: true })
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

it('lets one at a time work, and waits for it', async () => {
  let inside = 0
  let most = 0
  let waits = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await pause(20)
    inside -= 1
    return 'done'
  }
  const wait = () => {
    waits += 1
  }
  const results = await Promise.all([1, 2, 3].map(() => withFileLock(path, work, wait)))
  expect(results).toEqual(['done', 'done', 'done'])
  expect(most).toBe(1)
  expect(waits).toBe(2)
  expect(existsSync(path)).toBe(false)
})

it('gives the lock back when the work fails', async () => {
  const failing = withFileLock(path, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(existsSync(path)).toBe(false)
})

it('takes over from a holder that died', async () => {
  await withFileLock(path, () => Promise.resolve())
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(path, `${pid} 1`)
  expect(await withFileLock(path, () => Promise.resolve('mine'))).toBe('mine')
})

it('takes over a lock that its holder stopped touching, whoever has its pid now', async () => {
  await withFileLock(path, () => Promise.resolve())
  writeFileSync(path, `${process.pid} 1`)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(path, longAgo, longAgo)
  expect(await withFileLock(path, () => Promise.resolve('mine'))).toBe('mine')
})
