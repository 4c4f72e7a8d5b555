// Programs that use the adapters of the installed package. They are text for the reason given in `package-consumer.ts`.

/** Runs on plain Node: uses each adapter that calls an external service, with stand-ins, and loads the others. */
export const adapterProgram = `
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { openWith, sealTo } from 'tenant-data-api/adapters/archive-age'
import { createFolderArchives } from 'tenant-data-api/adapters/archive-folder'
import { createR2Archives } from 'tenant-data-api/adapters/archive-r2'
import { createD1Storage } from 'tenant-data-api/adapters/d1'
import { createObjectStorage } from 'tenant-data-api/adapters/durable-object'
import { createResendSender } from 'tenant-data-api/adapters/email-resend'
import { createClickHouseExitSurvey } from 'tenant-data-api/adapters/exit-survey-clickhouse'
import { openDubLinks } from 'tenant-data-api/adapters/links-dub'
import { createMailbox } from 'tenant-data-api/adapters/local'
import { createNodeSqliteStorage } from 'tenant-data-api/adapters/node-sqlite'
import { openLegacyVendor, openLegacyVendorWriter } from 'tenant-data-api/adapters/pos-legacy-vendor'
import { createOdbcPosSources } from 'tenant-data-api/adapters/pos-odbc'
import { createCloudflareQueue } from 'tenant-data-api/adapters/queue-cloudflare'
import { createQstashQueue, receiveFromQstash } from 'tenant-data-api/adapters/queue-qstash'
import { createTwilioSender } from 'tenant-data-api/adapters/sms-twilio'
import { createStorage } from 'tenant-data-api/adapters/sqlite'

const clock = { nowMs: () => Date.now() }
const deadline = { after: (durationMs) => AbortSignal.timeout(durationMs) }
const called = []
const provider = (status, body) => async (url, { method }) => {
  called.push(method + ' ' + url)
  return Response.json(body, { status })
}
const baseUrl = 'https://provider.example'

const resend = { apiKey: 're_1', baseUrl, clock, deadline, fetch: provider(200, { id: 'email_1' }) }
const email = {
  from: { name: 'Acme', address: 'acme@example.com' },
  to: 'ada@example.com',
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: null,
  replyTo: null,
  attachments: [],
}
assert.deepEqual(await createResendSender(resend).send(email, 'key_1', null), { kind: 'accepted', providerId: 'email_1' })

const account = { accountSid: 'AC1', authToken: 'token', shared: { shortcode: '12345' }, baseUrl, clock, deadline }
const twilio = createTwilioSender({ ...account, fetch: provider(201, { sid: 'SM1' }) })
const text = { from: { kind: 'shortcode' }, to: '+12125550123', body: 'Hello', mediaUrls: [] }
assert.deepEqual(await twilio.send(text, 'key_1'), { kind: 'accepted', providerId: 'SM1' })

const ref = { organizationId: 'acme', outboxId: 'obx_1' }
const batches = []
await createCloudflareQueue({ sendBatch: async (batch) => void batches.push(batch) }).send([ref])
assert.deepEqual(batches, [[{ body: ref }]])

const callbackUrl = 'https://service.example/qstash'
await createQstashQueue({ token: 't', baseUrl, callbackUrl, deadline, fetch: provider(200, []) }).send([ref])
const headers = { 'upstash-signature': 'a.b.c' }
const forged = await receiveFromQstash(new Request(callbackUrl, { method: 'POST', body: '{}', headers }), {
  keys: { current: 'sig_1', next: 'sig_2' },
  url: callbackUrl,
  deadline,
  log: { error: (event) => assert.fail(event) },
  deliver: () => assert.fail('delivered what nobody signed'),
})
assert.equal(forged.status, 401)

const random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
const gateway = { url: baseUrl, secret: 's'.repeat(32), clock, random, deadline, fetch: provider(200, { row: null }) }
const pos = createOdbcPosSources(gateway).open({ kind: 'odbc_second', tenant: 'acme' })
const guest = { kind: 'one', collection: 'pos-customers', select: ['customerId'], id: 'c1' }
assert.deepEqual(await pos.one(guest), { kind: 'row', row: null })

const vendor = { batch: async () => [{ rows: [{ customerId: 'c1' }], changes: 0, rowsRead: 1, rowsWritten: 0 }] }
const found = await openLegacyVendor({ database: vendor, deadline }, 'acme').one(guest)
assert.deepEqual(found, { kind: 'row', row: { customerId: 'c1' } })
assert.deepEqual(await openLegacyVendorWriter(vendor, 'acme').upsert('pos-customers', []), { changed: 0 })
const clickHouse = { baseUrl, user: 'u', password: 'p', database: 'default', table: 'exit_survey_events' }
const survey = createClickHouseExitSurvey({
  ...clickHouse,
  fetch: async (url) => Response.json({ data: [{ code: 'moved', selections: 2 }], rows: 1 }),
})
const everything = { start: null, end: null }
const counted = await survey.open('acme').countReasons(everything, deadline.after(1000))
assert.deepEqual(counted, { kind: 'counts', counts: [{ code: 'moved', count: 2 }] })

const dub = { apiKey: 'dub_1', baseUrl, clock, deadline, fetch: async () => Response.json({}, { status: 404 }) }
const sought = { kind: 'one', collection: 'links', select: ['linkId'], id: 'none' }
assert.deepEqual(await openDubLinks(dub, 'acme').one(sought), { kind: 'row', row: null })

assert.deepEqual(called, [
  'POST https://provider.example/emails',
  'POST https://provider.example/2010-04-01/Accounts/AC1/Messages.json',
  'POST https://provider.example/v2/batch',
  'POST https://provider.example/v1/read',
])
// Their databases are the platform's; opening them does nothing yet.
assert.equal(typeof createD1Storage({ database: {}, clock }).tenant, 'function')
assert.equal(typeof createMailbox({}, clock).list, 'function')
const place = { familyId: 'acme', generation: 1, region: null, jurisdiction: null }
const namespace = { idFromName: () => ({}), get: () => ({ batch: async () => ({ results: [{ columns: [], rows: [] }] }) }) }
const ofFamily = createObjectStorage({ namespace, place, clock })
assert.equal(await ofFamily.administration.findOrganization('acme'), null)
assert.equal(typeof createStorage({ executor: vendor, clock }).tenant, 'function')

assert.equal(typeof createR2Archives({}).put, 'function')

const folder = await mkdtemp(join(tmpdir(), 'archives-'))
const archives = createFolderArchives(folder)
const identity = await generateIdentity()
const pieces = async function* (bytes) {
  yield bytes
}
const archive = new TextEncoder().encode('an archive')
await archives.put('acme.tar.age', sealTo(await identityToRecipient(identity))(pieces(archive)))
const sealed = await archives.read('acme.tar.age', 0, 10_000)
const opened = []
for await (const piece of openWith(identity)(pieces(sealed))) opened.push(...piece)
assert.equal(new TextDecoder().decode(new Uint8Array(opened)), 'an archive')
await rm(folder, { recursive: true })

const embedded = createNodeSqliteStorage({ path: ':memory:', clock })
assert.equal(await embedded.administration.findOrganization('acme'), null)
embedded.close()
console.log('used')
`

/** Compiles without any platform's types: adapters that need only the web's interfaces. */
export const portableAdapterTypes = `
import { createResendSender } from 'tenant-data-api/adapters/email-resend'
import { createClickHouseExitSurvey } from 'tenant-data-api/adapters/exit-survey-clickhouse'
import { openDubLinks } from 'tenant-data-api/adapters/links-dub'
import type { Executor } from 'tenant-data-api/adapters/pos-legacy-vendor'
import { openLegacyVendor } from 'tenant-data-api/adapters/pos-legacy-vendor'
import { createOdbcPosSources } from 'tenant-data-api/adapters/pos-odbc'
import type { SigningKeys } from 'tenant-data-api/adapters/queue-qstash'
import { createQstashQueue, receiveFromQstash } from 'tenant-data-api/adapters/queue-qstash'
import { createTwilioSender } from 'tenant-data-api/adapters/sms-twilio'
import type {
  Clock,
  Deadline,
  EmailSender,
  ExitSurveySource,
  LinkSource,
  PosSource,
  Queue,
  SmsSender,
} from 'tenant-data-api/ports'

const clock: Clock = { nowMs: () => 0 }
const deadline: Deadline = { after: (durationMs) => AbortSignal.timeout(durationMs) }
const baseUrl = 'https://provider.example'
const keys: SigningKeys = { current: 'sig_1', next: 'sig_2' }

export const email: EmailSender = createResendSender({ apiKey: 're_1', baseUrl, fetch, deadline, clock })
export const sms: SmsSender = createTwilioSender({
  accountSid: 'AC1',
  authToken: 'token',
  shared: { shortcode: '12345' },
  baseUrl,
  fetch,
  deadline,
  clock,
})
export const survey: ExitSurveySource = createClickHouseExitSurvey({
  baseUrl,
  user: 'u',
  password: 'p',
  database: 'default',
  table: 'exit_survey_events',
  fetch,
})
export const links: LinkSource = openDubLinks({ apiKey: 'dub_1', baseUrl, fetch, deadline, clock }, 'acme')
export const queue: Queue = createQstashQueue({ token: 't', baseUrl, callbackUrl: baseUrl, fetch, deadline })
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
const gateway = { url: baseUrl, secret: 's', fetch, clock, random, deadline }
export const vendor = (database: Executor): PosSource => openLegacyVendor({ database, deadline }, 'acme')
export const pos: PosSource = createOdbcPosSources(gateway).open({ kind: 'odbc_shared', tenant: 'acme' })
export const receive = (request: Request): Promise<Response> =>
  receiveFromQstash(request, {
    keys,
    url: baseUrl,
    deadline,
    log: { error: () => undefined },
    deliver: async ({ outboxId }) => outboxId.length,
  })

// @ts-expect-error A key is missing; declarations that resolve to nothing would let it pass.
export const half: SigningKeys = { current: 'sig_1' }
`

/** Compiles with the package's optional peer dependency, the types of Workers: adapters for that platform. */
export const workersAdapterTypes = `
import type { D1Database, MessageBatch, Queue as QueueBinding } from '@cloudflare/workers-types'
import type { SqliteStorage } from 'tenant-data-api/adapters/d1'
import { createD1Storage, createExecutor } from 'tenant-data-api/adapters/d1'
import type { Mailbox } from 'tenant-data-api/adapters/local'
import { createMailbox } from 'tenant-data-api/adapters/local'
import { consumeBatch, createCloudflareQueue } from 'tenant-data-api/adapters/queue-cloudflare'
import type { Clock, OutboxRef, Queue } from 'tenant-data-api/ports'

const clock: Clock = { nowMs: () => 0 }
export const storage = (database: D1Database): SqliteStorage => createD1Storage({ database, clock })
export const mailbox = (database: D1Database): Mailbox => createMailbox(createExecutor({ database, clock }), clock)
export const queue = (binding: QueueBinding<OutboxRef>): Queue => createCloudflareQueue(binding)
export const consume = (batch: MessageBatch): Promise<void> => consumeBatch(batch, async () => undefined, 5)

// @ts-expect-error A database is no text; without the platform's types everything would be \`any\` and this fit.
export const wrongStorage: SqliteStorage = createD1Storage({ database: 'database', clock })
`
