import assert from 'node:assert/strict'
import { execFile, spawn, type ExecFileOptions } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { freePort, scratchDirectory, startService } from '../../support/services/started-service.ts'

/**
 * Runs the program in test/client as an integrator would: in a folder of its own, with dependencies from the registry
 * and types generated from the running service. Its first run is killed halfway.
 */
const { check, say, report } = createChecks()
const folder = join(scratchDirectory(), 'client')
const mirror = join(folder, 'contacts.db')
const PAGES_BEFORE_KILL = 3
const SMALL_PAGE = '20'

const stateDirectory = scratchDirectory()
const service = await startService({ port: await freePort(), stateDirectory })
const environment = { ...process.env, BASE: service.origin, KEY: service.demoKey, PAGE_SIZE: SMALL_PAGE }

async function npm(...args: readonly string[]): Promise<string> {
  const options: ExecFileOptions = { cwd: folder, env: environment }
  const { stdout } = await promisify(execFile)('npm', args, options).catch((failure: unknown) => {
    const { stdout: out, stderr } = failure as { readonly stdout: string; readonly stderr: string }
    throw new Error(`npm ${args.join(' ')}:\n${out}\n${stderr}`)
  })
  return String(stdout)
}

/** Runs the program to its end, or kills it after some pages. Returns the number of pages that it reported. */
async function sync(killAfterPages = Infinity): Promise<number> {
  const child = spawn(process.execPath, ['sync.ts', mirror], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let pages = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    pages += text.split('\n').length - 1
    if (pages >= killAfterPages) child.kill('SIGKILL')
  })
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, killAfterPages === Infinity ? 0 : null)
  return pages
}

function mirrored(): ReadonlyMap<string, unknown> {
  const database = new DatabaseSync(mirror, { readOnly: true })
  const rows = database.prepare('SELECT contact_id, contact FROM contacts').all()
  database.close()
  return new Map(rows.map((row) => [String(row.contact_id), JSON.parse(String(row.contact)) as unknown]))
}

interface Page {
  readonly data: readonly { readonly contactId: string }[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** Every contact, read in another order than the program uses. */
async function allContacts(): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const url = new URL(`/api/v1/contacts?limit=500&cursor=${cursor}`, service.origin)
    const response = await fetch(url, { headers: { authorization: `Bearer ${service.demoKey}` } })
    const { data, pagination } = (await response.json()) as Page
    for (const row of data) found.set(row.contactId, row)
    cursor = pagination.nextCursor
  }
  return found
}

/** The TypeScript samples of every operation, as one module for the compiler. */
async function samplesModule(): Promise<string> {
  const response = await fetch(new URL('/api/v1/openapi.json', service.origin))
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  }
  const sources = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation['x-codeSamples'])
    .filter(({ lang }) => lang === 'TypeScript')
    .map(({ source }) => `{\n${source}\nvoid data\nvoid error\n}`)
  return [
    "import createClient from 'openapi-fetch'",
    "import type { paths } from './schema.d.ts'",
    "const client = createClient<paths>({ baseUrl: 'https://api.example.com' })",
    ...sources,
  ].join('\n')
}

/** The compiler complains when the line after the comment does compile. */
const WRONG_CALL = "// @ts-expect-error There is no such path.\nvoid client.GET('/api/v1/site', {})\n"

/** Runs an operator's command about the demo organization. */
async function operate(...args: readonly string[]): Promise<void> {
  const main = join(projectRoot, 'host-worker', 'operator', 'main.ts')
  const options = { env: { ...process.env, STATE_DIR: stateDirectory, XDG_CONFIG_HOME: stateDirectory } }
  await promisify(execFile)(process.execPath, [main, ...args, '--org', 'demo'], options)
}

async function submit(email: string): Promise<void> {
  const response = await fetch(new URL('/api/forms/demo-contact/submissions', service.origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', firstName: 'Sync', email, message: 'Hello' }),
  })
  assert.equal(response.status, 200)
}

interface DocumentedOperation {
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[]
}

await check('the client installs', async () => {
  cpSync(join(import.meta.dirname, '..', '..', 'client'), folder, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  })
  await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline')
})
await check(
  'its types are generated from the running service; it compiles, every TypeScript sample too, and a wrong call does not',
  async () => {
    await npm('run', 'generate')
    writeFileSync(join(folder, 'samples.ts'), `${await samplesModule()}\n${WRONG_CALL}`)
    await npm('run', 'check')
  },
)
await check('killed after some pages, it has whole pages and no more', async () => {
  await sync(PAGES_BEFORE_KILL)
  const [rows, all] = [mirrored().size, (await allContacts()).size]
  say(`        ${rows} of ${all} contacts when it was killed`)
  assert(rows >= PAGES_BEFORE_KILL * Number(SMALL_PAGE) && rows < all && rows % Number(SMALL_PAGE) === 0)
})
await check('resumed, it has everything, and read only the rest', async () => {
  const before = mirrored().size
  const pages = await sync()
  const all = await allContacts()
  assert.deepEqual(mirrored(), all)
  // One more for what came again, and one of removals.
  assert(pages <= Math.ceil((all.size - before) / Number(SMALL_PAGE)) + 2)
})
await check('run again after changes, it reads what changed and the last instant once more', async () => {
  // All contacts of the demo changed at the same instant, that of their import.
  await submit('first@example.com')
  await sync()
  await submit('second@example.com')
  assert.equal(await sync(), 2)
  const all = await allContacts()
  assert.deepEqual(mirrored(), all)
  const text = JSON.stringify([...all.values()])
  assert(text.includes('first@example.com') && text.includes('second@example.com'))
})
await check('a contact that was removed leaves the copy, and comes back when it comes again', async () => {
  const file = join(scratchDirectory(), 'contacts.ndjson')
  const contact = {
    contactId: 'sync-1',
    email: 'gone@example.com',
    tags: [],
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    createdAt: '2026-01-01T00:00:00Z',
  }
  writeFileSync(file, JSON.stringify(contact))
  for (const [args, isThere] of [
    [['import', 'contacts', file], true],
    [['rows', 'delete', 'contacts', '--id', 'sync-1'], false],
    [['import', 'contacts', file], true],
  ] as const) {
    await operate(...args)
    await sync()
    assert.equal(mirrored().has('sync-1'), isThere)
    assert.deepEqual(mirrored(), await allContacts())
  }
})
await check('with a key that does not work it says so and loses nothing', async () => {
  const rows = mirrored().size
  const child = spawn(process.execPath, ['sync.ts', mirror], {
    cwd: folder,
    env: { ...environment, KEY: 'ck_live_nonsense' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 1)
  assert.match(told, /The service answered 401: Unauthorized/)
  assert.equal(mirrored().size, rows)
})
await service.stop()
report()
process.exit()
