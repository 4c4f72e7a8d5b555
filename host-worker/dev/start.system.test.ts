import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { COMPILE_CACHE } from '../../test/support/services/compile-cache.ts'
import { isPortFree } from '../local/state.ts'

const state = mkdtempSync(join(tmpdir(), 'start-'))
const started: ChildProcess[] = []

afterAll(async () => {
  for (const child of started) child.kill('SIGTERM')
  await pause(500)
  rmSync(state, { recursive: true, force: true })
})

/**
 * Whether other users can read a file. A file may be missing, because SQLite may have removed a journal after the
 * listing.
 */
function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o077) !== 0
}

async function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
      })
    })
  })
}

/** The status of a response to a request with these headers, which `fetch` would not send. */
async function statusAt(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}

interface Run {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number | null>
}

function start(port: number, directory = state): Run {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env: { ...process.env, ...COMPILE_CACHE, PORT: String(port), STATE_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()))
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return { child, output: () => output, ended }
}

async function until(condition: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (let tries = 0; tries < 800; tries += 1) {
    if (await condition()) return
    await pause(100)
  }
  throw new Error(`Waited in vain. ${what()}`)
}

async function serving(run: Run): Promise<string> {
  await until(() => run.output().includes('Ctrl-C ends it.'), run.output)
  return /ck_live_\w+/.exec(run.output())?.[0] ?? ''
}

it(
  'serves the demo, refuses a busy port, survives a crash and leaves nothing behind',
  { timeout: 180_000 },
  async () => {
    const port = await freePort()
    const contacts = async (key: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/contacts?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return (await answer.json()) as { readonly data: readonly { readonly updatedAt: string }[] }
    }

    const transactions = async (key: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/pos/transactions?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return answer.status
    }

    const first = start(port)
    const key = await serving(first)
    expect(first.output()).toContain('Seeding')
    const before = await contacts(key)
    expect(before.data).toHaveLength(1)
    const paths = ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })]
    // Neither the directory nor a database, key or journal in it can be read by another user of the machine.
    expect(paths.filter((path) => isOpenToOthers(join(state, path)))).toEqual([])
    expect(paths.filter((path) => path.endsWith('.sqlite')).length).toBeGreaterThan(2)

    // What listens on the ports of a local start answers nobody whose name for this machine is another one.
    const gateway = JSON.parse(readFileSync(join(state, 'pos', 'gateway.json'), 'utf8')) as {
      readonly listen: { readonly port: number }
    }
    for (const at of [port, gateway.listen.port])
      expect([at, await statusAt(at, '/', { host: 'evil.example' })]).toEqual([at, 403])
    const paths403 = [
      '/',
      '/mailbox',
      '/docs',
      '/demo-site',
      '/assets/pages.css',
      '/form-client.js',
      '/api/v1/openapi.json',
    ]
    const pretended = {
      'mf-original-url': `http://127.0.0.1:${port}/mailbox`,
      'x-forwarded-host': 'localhost',
    }
    for (const path of [...paths403, '/operator/v1/health', '/cdn-cgi/local/scheduled']) {
      for (const host of ['evil.example', `127.0.0.1.nip.io:${port}`, 'localhost.'])
        expect([path, await statusAt(port, path, { host, ...pretended })]).toEqual([path, 403])
    }
    // Which also fires the cron trigger.
    for (const path of [...paths403, '/cdn-cgi/local/scheduled'])
      for (const host of [`localhost:${port}`, `[::1]:${port}`])
        expect([path, await statusAt(port, path, { host })]).toEqual([path, 200])

    const busy = start(port, join(state, 'another'))
    expect(await busy.ended).toBe(1)
    expect(busy.output()).toContain(`Port ${port} is in use.`)

    const announced = readFileSync(join(state, 'service.1'), 'utf8')
    const second = start(await freePort())
    expect(await second.ended).toBe(1)
    expect(second.output()).toBe(
      `The service of ${state} runs at http://127.0.0.1:${port}: use that one, end it, or set STATE_DIR to another directory.\n`,
    )
    expect(readFileSync(join(state, 'service.1'), 'utf8')).toBe(announced)

    const posKeys = first.output().match(/ck_live_demo-pos-[\w-]+/g) ?? []
    const posAnswers = await Promise.all(posKeys.map((posKey) => transactions(posKey)))
    // One key for each source. One of the keys occurs once more in the examples.
    expect([new Set(posKeys).size, ...posAnswers]).toEqual([3, 200, 200, 200, 200])
    expect(await transactions(key)).toBe(404)

    first.child.kill('SIGKILL')

    // What is left of the killed start is waited for. Of two starts at the same moment, one serves.
    const rivals = [start(port), start(port)]
    await until(
      () => rivals.some(({ output }) => output().includes('Ctrl-C ends it.')),
      () => rivals.map(({ output }) => output()).join(''),
    )
    const third = rivals.find(({ output }) => output().includes('Ctrl-C ends it.')) ?? first
    const refused = rivals.find((run) => run !== third) ?? first
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toMatch(/^The service of \S+ is starting at http:\/\/127\.0\.0\.1:\d+: /)
    expect(await serving(third)).toBe(key)
    expect(third.output()).not.toContain('Seeding')
    expect(await contacts(key)).toEqual(before)

    third.child.kill('SIGTERM')
    expect(await third.ended).toBe(0)
    expect(await isPortFree(port)).toBe(true)
  },
)
