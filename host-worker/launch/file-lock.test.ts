import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fileLockHolder, tryFileLock, withFileLock } from './file-lock.mjs'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const directory = scratchFolder()
const path = join(directory, 'deep', 'lock')

const held = () => readdirSync(dirname(path))

beforeEach(() => {
  mkdirSync(dirname(path), { recursive: true })
})
afterEach(() => {
  rmSync(dirname(path), { recursive: true })
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
  expect(held()).toEqual([])
})

it('gives the lock back when the work fails', async () => {
  const failing = withFileLock(path, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(held()).toEqual([])
})

const written = (content: object) => {
  writeFileSync(`${path}.7`, JSON.stringify(content))
}

it('takes over from a holder that died', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  written({ pid, began: '', text: '' })
  expect(await withFileLock(path, () => Promise.resolve('mine'))).toBe('mine')
  expect(held()).toEqual([])
})

it('takes over from a holder whose number another process has now, and not from one that lives', () => {
  const lock = tryFileLock(path, 'living')
  const [name = ''] = held()
  const own = JSON.parse(readFileSync(join(dirname(path), name), 'utf8')) as { readonly began: string }
  expect([tryFileLock(path, ''), fileLockHolder(path)]).toEqual([
    null,
    expect.objectContaining({ text: 'living' }),
  ])
  lock?.release()
  written({ pid: process.pid, began: `${own.began}0`, text: '' })
  const next = tryFileLock(path, '')
  expect(next).not.toBe(null)
  next?.release()
  written({ pid: process.pid, began: own.began, text: '' })
  expect(tryFileLock(path, '')).toBe(null)
})

it('gives up when another one turns out to live, whatever its number is', () => {
  written({ pid: 0, began: '', text: 'dead' })
  const first = tryFileLock(path, 'first')
  // As if this process had looked before the first one began, and were slow.
  writeFileSync(`${path}.3`, readFileSync(`${path}.8`))
  expect(tryFileLock(path, 'late')).toBe(null)
  expect([first?.left, held()]).toEqual(['dead', ['lock.3', 'lock.8']])
  first?.release()
})
