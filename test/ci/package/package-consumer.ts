// Programs that use the installed package. They are text, because in this project nothing is installed under the
// package's name, so neither the compiler nor the boundary tool could resolve their imports.

/** Runs on plain Node: serves the API with `node:http` and node:sqlite, uses it, and runs the conformance suites. */
export const consumerProgram = `
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  createNodeSqliteStorage,
  createStorage,
  migrationsOf,
  openImage,
  openNodeSqlite,
} from 'tenant-data-api/adapters/node-sqlite'
import { openLegacyVendor, openLegacyVendorWriter } from 'tenant-data-api/adapters/pos-legacy-vendor'
import { registerPosSuite, registerStorageSuite } from 'tenant-data-api/conformance'
import { issueKey, openSecrets, toBase64Url } from 'tenant-data-api/domain'
import { createService } from 'tenant-data-api/http'
import { newOrganization, proveRootSecret } from 'tenant-data-api/operator'
import * as ports from 'tenant-data-api/ports'

assert.deepEqual(Object.keys(ports), [], 'ports are types alone')

const clock = { nowMs: () => Date.now() }
const deadline = { after: (durationMs) => AbortSignal.timeout(durationMs) }
const storage = createNodeSqliteStorage({ path: ':memory:', clock })
const secrets = await openSecrets(toBase64Url(crypto.getRandomValues(new Uint8Array(32))), null)
const errors = []
const log = { info: () => undefined, error: (event, fields, cause) => errors.push(cause ?? event) }
const service = createService({ storage, secrets, clock, log })

const saved = await storage.administration.saveOrganization(newOrganization('acme', 'Acme'))
assert.equal(saved, 'saved')
const { key, stored } = await issueKey({ organizationId: 'acme' }, secrets, service.world.random, clock)
await storage.administration.addKey(stored)
await storage.tenant('acme').upsert('forms', [
  {
    formId: 'contact',
    name: 'Contact',
    isPublished: true,
    publishedAt: null,
    createdAt: new Date().toISOString(),
    passwordHash: null,
    definition: {
      formId: 'contact',
      name: 'Contact',
      isPublished: true,
      notificationEmails: [],
      fields: [
        { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
        { id: 'note', type: 'long_text', label: 'Note' },
      ],
    },
  },
])

async function answer(incoming, outgoing) {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method, headers } = incoming
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks)
  const request = new Request(new URL(incoming.url, 'http://' + headers.host), { method, headers, body })
  const response = await service.fetch(request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(Buffer.from(await response.arrayBuffer()))
}

const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const base = 'http://127.0.0.1:' + server.address().port

const form = new URLSearchParams({ _gotcha: '', email: 'ada@example.com', note: 'Hello' })
const posted = await fetch(base + '/api/forms/contact/submissions', { method: 'POST', body: form })
assert.equal(posted.status, 200)
const receipt = await posted.json()
assert.equal(receipt.ok, true)

const authorization = 'Bearer ' + key
const read = async (path, headers) => {
  const response = await fetch(base + path, { headers })
  return { status: response.status, body: await response.json() }
}
const submissions = await read('/api/v1/forms/contact/submissions', { authorization })
assert.equal(submissions.status, 200)
assert.equal(submissions.body.organizationId, 'acme')
assert.deepEqual(submissions.body.data.map(({ submissionId }) => submissionId), [receipt.submissionId])
assert.deepEqual(submissions.body.data[0].answers, { email: 'ada@example.com', note: 'Hello' })
const contacts = await read('/api/v1/contacts', { authorization })
assert.deepEqual(contacts.body.data.map(({ email }) => email), ['ada@example.com'])
assert.equal((await read('/api/v1/contacts', {})).status, 401)
assert.equal((await read('/api/v1/openapi.json', {})).body.openapi.slice(0, 3), '3.1')
const grant = JSON.stringify({ operator: 'ada', role: 'admin' })
const proof = await proveRootSecret(
  secrets.current,
  { host: new URL(base).host, body: new TextEncoder().encode(grant) },
  Date.now(),
)
const asked = { method: 'POST', headers: { authorization: proof, 'content-type': 'application/json' }, body: grant }
const operator = await (await fetch(base + '/operator/v1/operator-keys', asked)).json()
const organizations = await read('/operator/v1/organizations', { authorization: 'Bearer ' + operator.key })
assert.deepEqual(organizations.body.data.map(({ organizationId }) => organizationId), ['acme'])
assert.equal((await read('/forms/contact/definition', {})).body.formId, 'contact')
await service.sweep()
assert.deepEqual(errors, [])
server.closeAllConnections()
server.close()

const cases = []
const runner = {
  test: (name, run) => cases.push({ name, run }),
  skip: (name, reason) => assert.fail('left out: ' + name + ' (' + reason + ')'),
}
const migrated = openNodeSqlite({ path: ':memory:' }).image()
registerStorageSuite(runner, async (suiteClock) => {
  const database = openImage(migrated)
  const sql = 'select outbox_id as outboxId, submission_id as submissionId, kind, payload, status from outbox where organization_id = ?'
  return {
    ...createStorage({ executor: database, clock: suiteClock }),
    outboxOf: async (organizationId) => {
      const [{ rows }] = await database.batch([{ sql, parameters: [organizationId] }])
      return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }))
    },
  }
})
const migrations = migrationsOf('pos-legacy-vendor')
const vendor = openNodeSqlite({ path: ':memory:', migrations }).image()
registerPosSuite(runner, async () => {
  const database = openImage(vendor)
  return {
    kind: 'legacy_vendor',
    lacks: [],
    source: async (tenant) => openLegacyVendor({ database, deadline }, tenant),
    load: async (tenant, collection, rows) =>
      void (await openLegacyVendorWriter(database, tenant).upsert(collection, rows)),
  }
})
for (const { name, run } of cases) {
  await run().catch((cause) => assert.fail(name + ': ' + String(cause.stack ?? cause)))
}
console.log(JSON.stringify({ served: 9, conformance: cases.length }))
`

/** Compiles against the package's declarations: a custom adapter, the host's interface, the conformance suites. */
export const consumerTypes = `
import type { Executor, SqliteStorage } from 'tenant-data-api/adapters/sqlite'
import { createStorage } from 'tenant-data-api/adapters/sqlite'
import type { MakeStorage } from 'tenant-data-api/conformance'
import { storageSuite } from 'tenant-data-api/conformance'
import type { World } from 'tenant-data-api/domain'
import { createFormCache, issueKey, openSecrets, publicApi } from 'tenant-data-api/domain'
import type { Attached, AttachOptions } from 'tenant-data-api/form-client'
import { attachForm, loadForm } from 'tenant-data-api/form-client'
import type { RequestHost, Service } from 'tenant-data-api/http'
import { createFetchHandler, createService } from 'tenant-data-api/http'
import type { Clock, KeyedStorage, RandomSource, TenantWriter } from 'tenant-data-api/ports'

export const clock: Clock = { nowMs: () => 0 }
export const random: RandomSource = { bytes: (length) => new Uint8Array(length) }
export const executor: Executor = {
  batch: async (statements) => statements.map(() => ({ rows: [], changes: 0, rowsRead: null, rowsWritten: null })),
}
export const storage: SqliteStorage = createStorage({ executor, clock })
export const reader: KeyedStorage = storage.keyed
export const writer: TenantWriter = storage.tenant('acme')

export async function issue(root: string): Promise<string> {
  const { key } = await issueKey({ organizationId: 'acme' }, await openSecrets(root, null), random, clock)
  return key
}

export async function answer(world: World, request: Request): Promise<Response> {
  const host: RequestHost<World> = {
    requestId: 'req_1',
    world: { ...world, formCache: createFormCache() },
    answered: ({ status }) => void status.toFixed(),
  }
  return createFetchHandler(publicApi)(request, host)
}

export const whole = async (root: string): Promise<Service> =>
  createService({ storage, secrets: await openSecrets(root, null), clock })

export async function attached(form: HTMLFormElement, options: AttachOptions): Promise<Attached> {
  const { fields } = await loadForm({ service: 'https://api.example.com', formId: 'contact' })
  return attachForm(form, { ...options, onSaved: ({ submissionId }) => submissionId !== fields[0]?.id })
}

// @ts-expect-error A page can only attach a form.
export const wrongForm = (element: HTMLDivElement): Promise<Attached> => attachForm(element)

export const make: MakeStorage = async (suiteClock) => ({
  ...createStorage({ executor, clock: suiteClock }),
  outboxOf: async () => [],
})
export const names: readonly string[] = storageSuite.map(({ name }) => name)

// @ts-expect-error The time is a number: were the declarations missing, everything would be \`any\` and this fit.
export const wrongClock: Clock = { nowMs: () => 'now' }
`
