import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { storageSuite } from '../../../adapters/conformance/index.ts'
import { testRootSecret } from '../../support/runner/fakes.ts'
import { install, packProject } from '../../support/services/packed.ts'
import {
  freePort,
  operateWith,
  scratchDirectory,
  signalGroup,
} from '../../support/services/started-service.ts'

/** The programs of `test/client/library`, with the packed project as for whoever installs it. */
const folder = join(scratchDirectory(), 'library')
const run = promisify(execFile)
const ROOT_SECRET = testRootSecret()
const programs: ChildProcess[] = []

beforeAll(async () => {
  cpSync(join(projectRoot, 'test', 'client', 'library'), folder, {
    recursive: true,
    filter: (path) => !/node_modules|\.wrangler|\.db/.test(path),
  })
  const tarball = packProject()
  await install(folder, '--no-save', await tarball)
}, 600_000)
afterAll(() => {
  for (const { pid } of programs) if (pid !== undefined) signalGroup(pid, 'SIGKILL')
})

/** Starts a program, and waits until it answers on a port. */
async function start(port: number, command: string, ...args: readonly string[]) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ROOT_SECRET, PORT: String(port), CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  programs.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'exit')
  const origin = `http://127.0.0.1:${port}`
  while (!(await fetch(origin).catch(() => null))) {
    if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')} ended:\n${output}`)
    await pause(100)
  }
  return {
    origin,
    output: () => output,
    stop: async () => {
      signalGroup(child.pid ?? 0, 'SIGINT')
      await ended
    },
  }
}

function submit(origin: string, email: string): Promise<Response> {
  const body = new URLSearchParams({ _gotcha: '', email })
  return fetch(`${origin}/api/forms/contact/submissions`, { method: 'POST', body })
}

async function emailsOf(origin: string, key: string): Promise<readonly unknown[]> {
  const response = await fetch(`${origin}/api/v1/contacts`, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { readonly data: readonly { email: string }[] }).data.map(
    ({ email }) => email,
  )
}

it('fit the types of the package', { timeout: 120_000 }, async () => {
  expect((await run('npm', ['run', 'check'], { cwd: folder })).stdout).not.toContain('error')
})

it('keep everything in one file on Node', { timeout: 240_000 }, async () => {
  const port = await freePort()
  const first = await start(port, process.execPath, 'node-server.ts', 'data.db')
  const key = /ck_live_\w+/.exec(first.output())?.[0] ?? ''
  expect((await submit(first.origin, 'ada@example.com')).status).toBe(200)
  expect((await submit(first.origin, 'nobody')).status).toBe(422)
  expect((await fetch(`${first.origin}/forms/contact/definition`)).status).toBe(200)
  const large = await fetch(`${first.origin}/api/forms/contact/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'x'.repeat(5_000_000),
  }).catch(() => null)
  expect(large?.status ?? 413).toBe(413)
  await first.stop()
  const again = await start(port, process.execPath, 'node-server.ts', 'data.db')
  expect(again.output()).not.toContain('ck_live_')
  expect(await emailsOf(again.origin, key)).toEqual(['ada@example.com'])
  // The first program ended before its next sweep, so this one told the office.
  expect(again.output()).toContain('An email to office@example.com')
  await again.stop()
})

it('run as a Worker on D1, with the operator commands of the project', { timeout: 180_000 }, async () => {
  writeFileSync(join(folder, '.dev.vars'), `ROOT_SECRET=${ROOT_SECRET}\n`)
  const port = await freePort()
  await run('npm', ['run', 'migrate-worker'], { cwd: folder, env: { ...process.env, CI: 'true' } })
  const worker = await start(port, 'npx', 'wrangler', 'dev', '--port', String(port), '--ip', '127.0.0.1')
  expect(await (await fetch(worker.origin)).text()).toBe('A page of your own.')
  const operator = async (environment: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await operateWith(environment, ...args, '--url', worker.origin)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout.trim()
  }
  const first = ['key', 'issue', '--operator', 'ada', '--role', 'admin']
  const OPERATOR_KEY = await operator({ ROOT_SECRET }, ...first)
  await operator({ OPERATOR_KEY }, 'org', 'create', '--id', 'acme', '--name', 'Acme')
  const form = join(folder, 'contact.json')
  const fields = [{ id: 'email', type: 'email', label: 'Email', contactField: 'email' }]
  writeFileSync(form, JSON.stringify({ formId: 'contact', name: 'Contact', isPublished: true, fields }))
  await operator({ OPERATOR_KEY }, 'form', 'save', form, '--org', 'acme')
  const key = await operator({ OPERATOR_KEY }, 'key', 'issue', '--org', 'acme')
  expect((await submit(worker.origin, 'bo@example.com')).status).toBe(200)
  expect(await emailsOf(worker.origin, key)).toEqual(['bo@example.com'])
  const archive = join(folder, 'acme.tar')
  await operator({ OPERATOR_KEY }, 'org', 'export', '--id', 'acme', archive, '--with-secrets')
  await operator({ OPERATOR_KEY }, 'org', 'delete', '--id', 'acme', '--confirm', 'acme')
  expect((await submit(worker.origin, 'bo@example.com')).status).toBe(404)
  await operator({ OPERATOR_KEY }, 'org', 'restore', archive)
  expect(await emailsOf(worker.origin, key)).toEqual(['bo@example.com'])
  await worker.stop()
})

/** Runs the conformance suite on the storage of one's own. Returns what Node counted. */
async function conformanceOn(node: string, file: string): Promise<string> {
  const { stdout } = await run(node, ['--test', file], { cwd: folder, maxBuffer: 50_000_000 }).catch(
    (failure: unknown) => failure as { readonly stdout: string },
  )
  return stdout
}

it('prove a storage of their own', { timeout: 180_000 }, async () => {
  const counted = await conformanceOn(process.execPath, 'wasm-storage.test.ts')
  expect(counted).toMatch(new RegExp(`pass ${storageSuite.length}\\n.*fail 0\\n`))
})

it('run on the oldest Node that the package names', { timeout: 240_000 }, async () => {
  const { engines, optionalDependencies } = JSON.parse(
    readFileSync(join(projectRoot, 'package.json'), 'utf8'),
  ) as {
    readonly engines: { readonly node: string }
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  // The project gets its own Node from the same packages, of which each platform has one.
  const name = Object.keys(optionalDependencies).find((each) =>
    each.endsWith(`${process.platform}-${process.arch}`),
  )
  if (name === undefined) throw new Error('There is no package with Node for this platform')
  const oldest = engines.node.replace('>=', '')
  const packages = join(folder, 'oldest')
  mkdirSync(packages)
  writeFileSync(join(packages, 'package.json'), '{ "private": true }')
  await install(packages, `${name}@${oldest}.0`)
  const node = join(packages, 'node_modules', name, 'bin', 'node')
  expect((await run(node, ['--version'])).stdout).toBe(`v${oldest}.0\n`)
  // That Node does not run TypeScript.
  for (const file of ['wasm-storage', 'wasm-storage.test']) {
    const source = readFileSync(join(folder, `${file}.ts`), 'utf8').replace(
      './wasm-storage.ts',
      './wasm-storage.mjs',
    )
    writeFileSync(join(folder, `${file}.mjs`), transformSync(source, { loader: 'ts' }).code)
  }
  expect(await conformanceOn(node, 'wasm-storage.test.mjs')).toMatch(
    new RegExp(`pass ${storageSuite.length}\\n.*fail 0\\n`),
  )
})
