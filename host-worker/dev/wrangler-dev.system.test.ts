import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { COMPILE_CACHE } from '../../test/support/services/compile-cache.ts'
import { freePort } from '../../test/support/services/started-service.ts'
import { projectRoot, wranglerEnvironment } from '../local/project.ts'
import { readStateRecord } from '../local/state.ts'

/** `npx wrangler dev` alone, on a state of its own, and what finds it there. */
const scratch = mkdtempSync(join(tmpdir(), 'wrangler-dev-'))
const state = join(scratch, 'state')
let wrangler: ChildProcess
let port = 0
let output = ''
const at = (path: string) => `http://127.0.0.1:${port}${path}`

beforeAll(async () => {
  port = await freePort()
  const bin = join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  wrangler = spawn(process.execPath, [bin, 'dev', '--port', String(port), '--persist-to', state], {
    cwd: projectRoot,
    env: { ...process.env, ...COMPILE_CACHE, ...wranglerEnvironment(scratch) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [wrangler.stdout, wrangler.stderr])
    stream?.on('data', (data: Buffer) => (output += data.toString()))
  await vi.waitUntil(() => output.includes('Ready on') || wrangler.exitCode !== null, {
    timeout: 100_000,
    interval: 100,
  })
})
afterAll(() => {
  if (wrangler.pid !== undefined) process.kill(-wrangler.pid, 'SIGKILL')
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20 })
})

async function run(script: string, ...args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', STATE_DIR: state, XDG_CONFIG_HOME: scratch, ...COMPILE_CACHE }
  const ended = promisify(execFile)(process.execPath, [join(projectRoot, script), ...args], { env })
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { readonly code: number; readonly stdout: string; readonly stderr: string },
  )
}

const answered = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(at(path), { ...init, signal: AbortSignal.timeout(60_000) })
  return { status: response.status, text: await response.text() }
}

test('serves the demo with its keys, the console, the mailbox and the documents', async () => {
  // Many at once, of which the first prepares the state.
  const paths = ['/', '/health', '/docs', '/console', '/mailbox', '/demo-site/contact', '/assets/pages.css']
  const answers = await Promise.all(paths.map((path) => answered(path)))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  const [start] = answers
  const operatorKey = /\/console#(ok_live_\w+)/.exec(start?.text ?? '')?.[1] ?? ''
  const key = /Bearer (ck_live_demo_\w+)/.exec(start?.text ?? '')?.[1] ?? ''
  expect(start?.text).toContain(`http://127.0.0.1:${port}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`)
  expect(answers[5]?.text).toContain(`action="http://localhost:${port}/api/forms/demo-contact/submissions"`)
  const authorization = (given: string) => ({ headers: { authorization: `Bearer ${given}` } })
  expect((await answered('/api/v1/contacts?limit=1', authorization(key))).status).toBe(200)
  expect((await answered('/operator/v1/organizations', authorization(operatorKey))).status).toBe(200)
  expect(output.match(/Seeding the demo organization demo…/g)).toHaveLength(1)
})

test('says of a point of sale behind the gateway what an unreachable source answers, and reads the others', async () => {
  const { demoKeys } = readStateRecord(state) ?? {}
  const statusOf = async (organizationId: string) => {
    const authorization = `Bearer ${demoKeys?.get(organizationId) ?? ''}`
    return (await answered('/api/v1/pos/transactions?limit=1', { headers: { authorization } })).status
  }
  const asked = ['demo-pos-legacy', 'demo-pos-shared', 'demo-pos-second']
  expect(await Promise.all(asked.map(statusOf))).toEqual([200, 502, 502])
})

test('answers nobody whose name for this machine is another one, and a refused body with its refusal', async () => {
  const status = await new Promise((resolve, reject) => {
    get(
      { host: '127.0.0.1', port, path: '/', headers: { host: 'evil.example' }, agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    ).on('error', reject)
  })
  expect(status).toBe(403)
  const refused = await answered('/api/v1/nothing', { method: 'POST', body: new Uint8Array(900_000) })
  expect(refused.status).toBe(404)
})

test('operator commands and npm start find it on its state', async () => {
  const created = await run(
    'host-worker/operator/main.ts',
    'org',
    'create',
    '--id',
    'acme',
    '--name',
    'Acme',
    '--place',
    'own',
  )
  expect(created).toMatchObject({ code: 0, stderr: 'Created acme.\n' })
  const form = join(scratch, 'form.json')
  const fields = [{ id: 'text', type: 'short_text', label: 'Text' }]
  writeFileSync(
    form,
    JSON.stringify({
      formId: 'acme-form',
      name: 'F',
      isPublished: true,
      notificationEmails: ['a@example.com'],
      fields,
    }),
  )
  expect(await run('host-worker/operator/main.ts', 'form', 'save', form, '--org', 'acme')).toMatchObject({
    code: 0,
  })
  const refused = await run('host-worker/dev/start.ts')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `The service of ${state} runs at http://127.0.0.1:${port}: use that one, end it, or set STATE_DIR to another directory.\n`,
  ])
  // The database of that organization is an object, which hands what is due over to the Worker.
  const submission = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"_gotcha":"","text":"Hello"}',
  }
  expect((await answered('/api/forms/acme-form/submissions', submission)).status).toBe(200)
  const isNotified = async () =>
    (await answered('/mailbox', { headers: { accept: 'application/json' } })).text.includes('a@example.com')
  await vi.waitUntil(isNotified, { timeout: 30_000, interval: 200 })
})

test('without dependencies, the build says in one sentence what to do', async () => {
  const clone = join(scratch, 'clone', 'host-worker', 'bundle')
  mkdirSync(clone, { recursive: true })
  cpSync(join(projectRoot, 'host-worker', 'bundle', 'build.mjs'), join(clone, 'build.mjs'))
  const failed = promisify(execFile)(process.execPath, [join(clone, 'build.mjs')])
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The dependencies are missing: run npm ci first.\n',
  })
})
