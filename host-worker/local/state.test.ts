import { existsSync, mkdirSync, statSync, writeFileSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, afterEach, beforeEach, test } from 'vitest'
import { sharedDatabaseFile } from '../../test/support/databases/d1-files.ts'
import {
  adoptEarlierState,
  localSecrets,
  persistPath,
  readStateRecord,
  announcedService,
  holdState,
  stateHolder,
} from './state.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

it('takes over the databases of version 1.0.0, once', () => {
  const directory = scratchFolder()
  adoptEarlierState(directory)
  expect(existsSync(persistPath(directory))).toBe(false)
  mkdirSync(join(directory, 'databases', 'v3', 'd1'), { recursive: true })
  adoptEarlierState(directory)
  adoptEarlierState(directory)
  expect(existsSync(join(persistPath(directory), 'd1'))).toBe(true)
})

it('makes a root secret once, and takes that of a state which has one', () => {
  const [fresh, used] = [scratchFolder(), scratchFolder()]
  const made = localSecrets(fresh)
  expect(made.ROOT_SECRET).toMatch(/^[\w-]{43}$/)
  expect([localSecrets(fresh), statSync(join(fresh, 'secrets.env')).mode & 0o777]).toEqual([made, 0o600])
  const file = sharedDatabaseFile(used)
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(
    "CREATE TABLE local_state (name, value); INSERT INTO local_state VALUES ('root-secret', 'kept')",
  )
  database.close()
  expect(localSecrets(used)).toEqual({ ROOT_SECRET: 'kept' })
})

it('reads what a state keeps of itself, beside whoever has it open', () => {
  const directory = scratchFolder()
  expect(readStateRecord(directory)).toBe(null)
  const file = sharedDatabaseFile(directory)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(join(dirname(file), 'metadata.sqlite'), '')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  expect(readStateRecord(directory)).toBe(null)
  database.exec('CREATE TABLE local_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
  expect(readStateRecord(directory)).toBe(null)
  const write = database.prepare('INSERT INTO local_state VALUES (?, ?)')
  write.run('root-secret', 'secret')
  expect(readStateRecord(directory)).toEqual({
    rootSecret: 'secret',
    operatorKey: null,
    address: null,
    demoKeys: new Map(),
  })
  write.run('operator-key', 'ok')
  write.run('address', 'http://localhost:1')
  write.run('tenant-key demo', 'ck')
  database.exec("BEGIN; UPDATE local_state SET value = 'not yet'")
  expect(readStateRecord(directory)).toEqual({
    rootSecret: 'secret',
    operatorKey: 'ok',
    address: 'http://localhost:1',
    demoKeys: new Map([['demo', 'ck']]),
  })
  database.close()
})

const URL = 'http://127.0.0.1:8787'
const SAID = JSON.stringify({ url: URL, isServing: true })
let directory = ''
let path = ''
let children: ChildProcess[] = []

beforeEach(() => {
  directory = scratchFolder()
  path = join(directory, 'service.1')
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children = []
})

/** Another process that tries to hold the directory, and says whether it does. */
async function rival(url: string): Promise<{ readonly child: ChildProcess; readonly isHolding: boolean }> {
  const module = JSON.stringify(join(import.meta.dirname, 'state.ts'))
  const script = `
    const { holdState } = await import(${module})
    const hold = () => {
      const held = holdState(${JSON.stringify(directory)}, ${JSON.stringify(url)})
      held?.announce()
      return held !== null
    }
    const isHolding = hold()
    await new Promise((resolve) => setTimeout(resolve))
    // A process holds the directory until it ends, also when nothing in it refers to that any more.
    gc()
    console.log(isHolding)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script])
  children.push(child)
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, isHolding: said.toString() === 'true\n' }
}

test('a service is announced while it runs, to its user alone', () => {
  expect(stateHolder(directory)).toBe(null)
  const held = holdState(directory, URL)
  expect(stateHolder(directory)).toEqual({ url: URL, isServing: false })
  expect(announcedService(directory)).toBe(null)
  held?.announce()
  expect(announcedService(directory)).toBe(URL)
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777)
  expect(new Set(modes)).toEqual(new Set([0o600]))
  held?.release()
  expect(stateHolder(directory)).toBe(null)
  expect(readdirSync(directory)).toEqual([])
})

test('a directory has one holder at a time, who is not disturbed by those who look or try', () => {
  const held = holdState(directory, URL)
  held?.announce()
  const before = readFileSync(path, 'utf8')
  expect(holdState(directory, 'http://127.0.0.1:8788')).toBe(null)
  for (let times = 0; times < 100; times += 1) announcedService(directory)
  expect(readFileSync(path, 'utf8')).toBe(before)
  held?.release()
  const next = holdState(directory, null)
  expect(stateHolder(directory)).toMatchObject({ url: null, isServing: false })
  next?.release()
})

test('of several processes that try at the same moment, exactly one holds the directory', async () => {
  const urls = [1, 2, 3, 4, 5, 6].map((port) => `http://127.0.0.1:${port}`)
  const rivals = await Promise.all(urls.map((url) => rival(url)))
  expect(rivals.filter(({ isHolding }) => isHolding)).toHaveLength(1)
  expect(announcedService(directory)).toBe(urls[rivals.findIndex(({ isHolding }) => isHolding)])
})

test('a process that is killed holds nothing from that moment, though its file stays', async () => {
  const { child } = await rival(URL)
  expect(stateHolder(directory)).toMatchObject({ url: URL })
  expect(holdState(directory, URL)).toBe(null)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readFileSync(path, 'utf8')).toContain(URL)
  expect(stateHolder(directory)).toBe(null)
  const held = holdState(directory, URL)
  expect(held).not.toBe(null)
  held?.release()
})

test.each([
  [
    'of a process that runs, which got the number of the killed one',
    JSON.stringify({ pid: process.pid, began: '1', text: SAID }),
  ],
  ['that is none', '{"pid":'],
  ['of another form', '{"pid":"one"}'],
])('a file %s counts for nothing', (_what, text) => {
  writeFileSync(path, text)
  expect(stateHolder(directory)).toBe(null)
  const held = holdState(directory, URL)
  expect(held).not.toBe(null)
  held?.release()
})

test('a file that cannot be read is not the same as none', () => {
  mkdirSync(path)
  expect(() => announcedService(directory)).toThrow('EISDIR')
})

test('the service of a killed program is waited for', async () => {
  const left = createServer()
  left.listen(0, '127.0.0.1')
  await once(left, 'listening')
  const url = `http://127.0.0.1:${(left.address() as AddressInfo).port}`
  writeFileSync(path, JSON.stringify({ pid: 0, began: '', text: JSON.stringify({ url, isServing: true }) }))
  const held = holdState(directory, URL)
  let isOver = false
  const ended = held?.predecessorEnded().then(() => (isOver = true))
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(isOver).toBe(false)
  left.close()
  await ended
  held?.release()
})
