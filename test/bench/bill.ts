import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { deliver } from '../../domain/jobs/deliver.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import type { Meter } from '../../ports/platform.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { migratedDatabase } from '../../adapters/sqlite/schema/actual.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { openLocalD1 } from '../support/databases/d1-runtime.ts'
import { fakeEmail, fakeReceiver, fakeSms, hooksOf } from '../support/providers/jobs.ts'
import { fakeRandom } from '../support/runner/fakes.ts'
import { openTestService, type TestService } from '../support/services/service.ts'
import { submit } from './cases.ts'
import { plainAnswers, plainForm, quietForm } from './seed.ts'

/**
 * What Cloudflare asks for a million rows, in US dollars, beyond what the plan includes. Databases of families have the
 * same prices. Source: the price lists of D1 and of Durable Objects with SQLite, 2026.
 */
const DOLLARS_PER_MILLION = { read: 0.001, written: 1 }

const CONTACTS = 20_000
const SUBMISSIONS = 10_000
const CONTACTS_PER_CALL = 2_000
/** How often each request is made. The middle one counts, so that nothing that happens once an hour is among it. */
const RUNS = 5

/** One kind of request, made for the n-th time. Everything that follows it is part of it. */
interface Billed {
  readonly name: string
  readonly run: (nth: number) => Promise<unknown>
}

/**
 * Prints what each kind of request costs over its whole life, delivery included: the calls of the database, the rows
 * that it reads and writes, and what the rows cost for a million such requests. These are counts, so that they are the
 * same in every run.
 */
export async function benchBill(): Promise<void> {
  const databases = await openLocalD1(1)
  const database = await databases.next()
  const meter = createMeter()
  const email = fakeEmail()
  const sms = fakeSms()
  const mail = { domain: 'mail.example.com', brand: 'Brand' }
  const handedOver: OutboxRef[] = []
  const queue = { send: async (refs: readonly OutboxRef[]) => void handedOver.push(...refs) }
  const service = await openTestService((clock) => createD1Storage({ database, clock, meter }), undefined, {
    email: email.sender,
    sms: sms.sender,
    mail,
    queue,
  })
  const key = await service.addOrganization('bench', { slug: 'bench', smsNumber: '+12125550100' })
  await seed(service)
  const finish = async () => {
    await service.settled()
    const world = { ...deliveryPorts(service), email: email.sender, sms: sms.sender, mail }
    for (const ref of handedOver.splice(0)) await deliver(ref, world)
  }
  printSchema()
  console.log(`\n${'request'.padEnd(52)}  calls     read  written   $ for a million`)
  const operatorKey = await service.addOperatorKey('admin')
  for (const { name, run } of requests(service, key, operatorKey)) {
    const bills: Meter[] = []
    for (let nth = 0; nth < RUNS; nth += 1) {
      service.clock.advance(1000)
      const before = { ...meter }
      await run(nth)
      await finish()
      bills.push(difference(meter, before))
    }
    bills.sort((left, right) => left.rowsWritten - right.rowsWritten || left.rowsRead - right.rowsRead)
    const middle = bills[Math.floor(RUNS / 2)]
    if (middle !== undefined) print(name, middle)
  }
  if (service.errors.length > 0) throw new Error('A request failed', { cause: service.errors[0] })
  await databases.dispose()
}

async function seed({ storage }: TestService): Promise<void> {
  const tenant = storage.tenant('bench')
  const rows = Array.from({ length: CONTACTS }, (_, index) => sampleRow(contacts, index))
  for (let start = 0; start < CONTACTS; start += CONTACTS_PER_CALL)
    await tenant.upsert('contacts', rows.slice(start, start + CONTACTS_PER_CALL))
  await tenant.upsert('forms', [plainForm, quietForm])
  const old = { formId: quietForm.formId, contactId: null, attribution: {}, source: 'headless' }
  const submissions = Array.from({ length: SUBMISSIONS }, (_, index) => ({
    ...{
      ...old,
      submissionId: `old-${index}`,
      answers: { name: `Visitor ${index}`, message: 'x'.repeat(300) },
    },
    submittedAt: toInstant(index * 60_000),
  }))
  for (let start = 0; start < SUBMISSIONS; start += CONTACTS_PER_CALL)
    await tenant.upsert('form-submissions', submissions.slice(start, start + CONTACTS_PER_CALL))
}

function deliveryPorts({ storage, clock }: TestService) {
  const log = { info: () => undefined, error: () => undefined }
  const deadline = { after: () => new AbortController().signal }
  const hooks = hooksOf(storage, fakeReceiver().fetch)
  return { outbox: storage.outbox, hooks, clock, deadline, random: fakeRandom(), log }
}

function requests(service: TestService, key: string, operatorKey: string): readonly Billed[] {
  const read = (path: string) => () => ask(service, path, { key })
  const inbox = '/operator/v1/organizations/bench/submissions'
  const operated = (query: string) => () => ask(service, `${inbox}?${query}`, { key: operatorKey })
  const marked = (nth: number) =>
    ask(service, `${inbox}/mark`, {
      ...{ key: operatorKey, method: 'POST', headers: JSON_TYPE },
      body: JSON.stringify({ ids: [`old-${nth}`], read: true }),
    })
  const post = (path: string, body: unknown) => () =>
    ask(service, path, { key, method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })
  const answered = (formId: string, email: (nth: number) => string) => (nth: number) => {
    const { path, method, headers, body } = submit(formId, { ...plainAnswers, email: email(nth) })
    // The platform says from where each request comes.
    const from = { ...headers, 'cf-connecting-ip': `192.0.2.${nth}` }
    return ask(service, path, { method, headers: from, body })
  }
  const known = () => 'known@example.com'
  return [
    { name: 'list of 100 contacts', run: read('/api/v1/contacts') },
    {
      name: 'list of 100 contacts that changed',
      run: read('/api/v1/contacts?updatedAfter=2000-01-01T00:00:00Z'),
    },
    { name: 'contact', run: read('/api/v1/contacts/contactId-10000') },
    { name: 'contacts with one phone number', run: read('/api/v1/contacts?phone=%2B12125551007') },
    {
      name: 'submission, new contact, one notification',
      run: answered('bench-form', (nth) => `a${nth}@example.com`),
    },
    { name: 'submission, known contact, one notification', run: answered('bench-form', known) },
    {
      name: 'submission, new contact, nothing follows',
      run: answered('bench-quiet', (nth) => `b${nth}@example.com`),
    },
    { name: 'submission, known contact, nothing follows', run: answered('bench-quiet', known) },
    { name: 'inbox: list of 100 submissions', run: operated('limit=100') },
    { name: 'inbox: a search that finds nothing, one page', run: operated('search=nobody') },
    { name: 'inbox: a search that finds 100', run: operated('search=visitor') },
    { name: 'inbox: one submission marked read, with its audit', run: marked },
    { name: 'email to one', run: post('/api/v1/email', { to: 'a@example.com', subject: 'Hi', html: 'Hi' }) },
    { name: 'text message', run: post('/api/v1/message', { to: '+12125550123', body: 'Hi' }) },
    { name: 'import of one new contact', run: (nth) => importContact(service, `new-${nth}`, 'Ada') },
    { name: 'import of one contact, changed', run: (nth) => importContact(service, 'new-0', `Ada ${nth}`) },
    { name: 'import of one contact, not changed', run: () => importContact(service, 'new-1', 'Ada') },
    // The last one, because from now on there is a webhook.
    {
      name: 'submission, known contact, one webhook is told',
      run: async (nth) => {
        if (nth === 0) await createWebhook(service, operatorKey)
        await answered('bench-quiet', known)(nth)
      },
    },
  ]
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function createWebhook(service: TestService, key: string): Promise<void> {
  const body = JSON.stringify({ url: 'https://example.com/', events: ['submission.created'] })
  await ask(service, '/operator/v1/organizations/bench/webhooks', {
    key,
    method: 'POST',
    headers: JSON_TYPE,
    body,
  })
}

async function ask(
  service: TestService,
  path: string,
  init: RequestInit & { readonly key?: string },
): Promise<void> {
  const response = await service.send(path, init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}

async function importContact({ storage }: TestService, contactId: string, firstName: string): Promise<void> {
  await storage
    .tenant('bench')
    .upsert('contacts', [{ ...sampleRow(contacts, 0, contactId), contactId, firstName }])
}

function difference(after: Meter, before: Meter): Meter {
  return {
    calls: after.calls - before.calls,
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: after.rowsWritten - before.rowsWritten,
  }
}

function print(name: string, { calls, rowsRead, rowsWritten }: Meter): void {
  const dollars = rowsRead * DOLLARS_PER_MILLION.read + rowsWritten * DOLLARS_PER_MILLION.written
  const counts = [calls, rowsRead, rowsWritten].map((count, index) =>
    String(count).padStart(index === 0 ? 5 : 7),
  )
  console.log(`${name.padEnd(52)}  ${counts.join('  ')}  ${dollars.toFixed(2).padStart(12)}`)
}

function printSchema(): void {
  const count = (type: string) =>
    migratedDatabase()
      .prepare('select count(*) as count from sqlite_schema where type = ? and sql is not null')
      .get(type)
  const [tables, indexes, triggers] = ['table', 'index', 'trigger'].map((type) => String(count(type)?.count))
  console.log(`The schema has ${tables} tables, ${indexes} indexes and ${triggers} triggers.`)
}
