import { execFile } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readKey } from '../../domain/access/keys.ts'
import { COMPILE_CACHE } from '../../test/support/services/compile-cache.ts'
import { holdState, type HeldState } from '../local/state.ts'
import { openLocalService, openOwn, type OpenConnection } from './client/open-service.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

/** The commands as a person runs them, on a state directory and with the real runtime. */
const directory = scratchFolder()
const state = join(directory, 'state')
const main = join(import.meta.dirname, 'main.ts')
const noted: string[] = []
let service: OpenConnection
let held: HeldState | null
let created: Ended

let umask = 0

beforeAll(async () => {
  created = await operator(state, 'org', 'create', '--id', 'acme', '--name', 'Acme')
  // Opening local state changes the umask of this process, so that others cannot read new files. Other tests need the
  // old one.
  umask = process.umask(0o077)
  // The file that a killed service leaves behind.
  writeFileSync(
    join(state, 'service.1'),
    JSON.stringify({
      pid: process.pid,
      began: '1',
      text: JSON.stringify({ url: 'http://127.0.0.1:9', isServing: true }),
    }),
  )
  service = await openOwn(state, { key: null, note: (line) => noted.push(line) })
  held = holdState(state, service.connection.url)
})
afterAll(async () => {
  await service.close()
  held?.release()
  process.umask(umask)
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function operator(stateDirectory: string, ...args: readonly string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH ?? '',
    STATE_DIR: stateDirectory,
    XDG_CONFIG_HOME: directory,
    ...COMPILE_CACHE,
  }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...args], { env })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Ended
    return { code, stdout, stderr }
  }
}

test('a service that is starting is waited for', async () => {
  const notes: string[] = []
  const opening = openLocalService(state, { key: null, note: (line) => notes.push(line) })
  await vi.waitUntil(() => notes.length > 0)
  held?.announce()
  const opened = await opening
  expect(opened.connection.url).toBe(service.connection.url)
  await opened.close()
  expect(notes).toEqual([`Waiting for another program that uses ${state}…`])
})

test('the service answers only requests to this machine by name', async () => {
  const { hostname, port } = new URL(service.connection.url)
  const statusFor = (host: string) =>
    new Promise((resolve, reject) => {
      get({ hostname, port, path: '/api/v1/openapi.json', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject)
    })
  expect([await statusFor('evil.example'), await statusFor(`localhost:${port}`)]).toEqual([403, 200])
})

test('a service that runs is found, and standard output has nothing but the result', async () => {
  const issued = await operator(state, 'key', 'issue', '--platform')
  expect(issued).toEqual({ code: 0, stdout: expect.stringMatching(/^pk_live_\w+\n$/) as string, stderr: '' })
  const keyId = readKey(issued.stdout.trimEnd())?.keyId ?? ''
  expect((await operator(state, 'key', 'list', '--platform')).stdout).toMatch(
    new RegExp(`^${keyId} .*active`),
  )
  expect(noted).toEqual([])
})

test('without one that runs, a command starts its own, and what it did is there for the next', async () => {
  expect(created).toEqual({ code: 0, stdout: '', stderr: 'Created acme.\n' })
  expect(await operator(state, 'org', 'list')).toEqual({ code: 0, stdout: 'acme  Acme\n', stderr: '' })
})

test('a reader that closes the pipe early ends a command without a complaint', async () => {
  const script = 'set -o pipefail; "$0" "$1" help | true'
  const env = { ...process.env, ...COMPILE_CACHE }
  const ended = await promisify(execFile)('bash', ['-c', script, process.execPath, main], { env })
  expect(ended).toEqual({ stdout: '', stderr: '' })
})

test('state is for its user alone', () => {
  const paths = ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })]
  const open = paths.filter((path) => {
    const found = statSync(join(state, path), { throwIfNoEntry: false })
    return found !== undefined && (found.mode & 0o077) !== 0
  })
  expect(open).toEqual([])
})
