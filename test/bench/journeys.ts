import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createNodeSqliteStorage } from '../../adapters/node-sqlite/index.ts'
import { issueKey } from '../../domain/access/keys.ts'
import { proveRootSecret } from '../../domain/access/operator-credentials.ts'
import { utf8 } from '../../domain/text/encoding.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { createService } from '../../host-worker/http/service.ts'
import { systemClock } from '../../host-worker/system.ts'
import { operate, TEST_URL } from '../support/services/operator/operator.ts'
import { testSecrets } from '../support/runner/fakes.ts'

// Which files of the source run in one warm request, by V8's own coverage: what somebody reads who follows a request
// from its arrival to its answer. `FILES=yes` names them. The hosts are not in it: everything runs in this process, on
// SQLite in memory.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Journey {
  readonly name: string
  readonly most: number
  readonly run: () => Promise<unknown>
}

const folder = mkdtempSync(join(tmpdir(), 'journeys-'))
const session = new Session()
session.connect()
try {
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (const journey of await journeys()) await measure(journey)
} finally {
  session.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function measure({ name, most, run }: Journey): Promise<void> {
  // The first run loads modules and compiles statements, which later requests do not.
  await run()
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result
    .filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
    .map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : ''))
    .filter((path) => path.startsWith(ROOT))
    .map((path) => path.slice(ROOT.length))
    .filter((path) => /^(ports|domain|adapters|host-worker)\//.test(path))
    .toSorted()
  console.log(`${name}: ${files.length} files (aim ${most})`)
  if (process.env['FILES'] === 'yes') for (const file of files) console.log(`  ${file}`)
}

async function journeys(): Promise<readonly Journey[]> {
  const secrets = await testSecrets()
  const storage = createNodeSqliteStorage({ path: ':memory:', clock: systemClock })
  const log = {
    info: () => {},
    error: (event: string, _fields: object, cause?: unknown) => {
      console.error(event, cause)
    },
  }
  const service = createService({ storage, secrets, log })
  await storage.administration.saveOrganization(newOrganization('lakeside', 'Lakeside'))
  const { key: read, stored } = await issueKey(
    { organizationId: 'lakeside' },
    secrets,
    service.world.random,
    systemClock,
  )
  await storage.administration.addKey(stored)
  const reach = (request: Request) => service.fetch(request)
  const answered = async (path: string, init: RequestInit) => {
    const response = await service.fetch(new Request(`${TEST_URL}${path}`, init))
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  const bearer = (of: string) => ({ authorization: `Bearer ${of}` })
  const post = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const first = { operator: 'reader', role: 'admin' }
  const proof = await proveRootSecret(
    secrets.current,
    { host: new URL(TEST_URL).host, body: utf8(JSON.stringify(first)) },
    systemClock.nowMs(),
  )
  const issued = await answered('/operator/v1/operator-keys', post(first, { authorization: proof }))
  const { key } = JSON.parse(issued) as { readonly key: string }
  const form = {
    formId: 'contact',
    name: 'Contact us',
    fields: [
      { id: 'name', type: 'short_text', label: 'Name', required: true },
      { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    ],
    notificationEmails: ['shop@example.com'],
  }
  const operated = async (...args: readonly string[]) => {
    const { code, stderr } = await operate(args, {
      environment: { OPERATOR_URL: TEST_URL, OPERATOR_KEY: key, XDG_CONFIG_HOME: '/nonexistent' },
      reach,
    })
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  }
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const formFile = file('contact.json', JSON.stringify(form))
  await operated('form', 'save', formFile, '--org', 'lakeside')
  await operated('form', 'publish', 'contact', '--org', 'lakeside')
  let count = 0
  const contactsFile = () => {
    count += 1
    return file(
      'contacts.csv',
      `contactId,firstName,email,createdAt\nc${count},Ada,ada${count}@example.com,2026-01-01T00:00:00Z\n`,
    )
  }
  return [
    {
      name: 'a submission',
      most: 22,
      run: () =>
        answered(
          '/api/forms/contact/submissions',
          post({ name: 'Ada', email: 'ada@example.com', _gotcha: '' }),
        ),
    },
    { name: 'a list', most: 18, run: () => answered('/api/v1/contacts?limit=10', { headers: bearer(read) }) },
    {
      name: 'a CSV import, by the command',
      most: 40,
      run: () => operated('import', 'contacts', contactsFile(), '--org', 'lakeside'),
    },
    {
      name: 'saving a form, over HTTP',
      most: 28,
      run: () => answered('/operator/v1/organizations/lakeside/forms', post({ forms: [form] }, bearer(key))),
    },
  ]
}
