import { expect, test } from 'vitest'
import { endpoints } from '../../support/contract/endpoints.ts'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import { resources, writtenResources } from '../../../domain/resources/index.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { createStorage } from '../../../adapters/node-sqlite/index.ts'
import { begunExport } from '../../support/data/restore-request.ts'
import { addSampleOrganization, samplePath } from '../../support/data/sample-organization.ts'
import { sendImport } from '../../support/data/sent-import.ts'
import { sampleRow } from '../../support/data/sample-rows.ts'
import { everyText } from '../../support/databases/whole-database.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { PLACES } from '../../support/scratch/scratch-places.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'

// A person is planted in every field that the records call personal, and in whatever else the service stores of
// somebody. Erased, nothing of them is found anywhere.

const NAME = 'Xanthippe'
const EMAIL = 'Xanthippe.Q@example.org'
const PHONE = '+12125550187'
const CONTACT = 'con-x'
const WORDS = /xanthippe|2125550187|212.{1,3}555.0187/i

/** A value with the person in place of each text, of the same form. */
function planted(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => planted(one, name))
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, inner]) => [key, planted(inner, key)])
    return members.length > 0 ? Object.fromEntries(members) : { who: NAME, deep: [{ inside: `${NAME}'s` }] }
  }
  if (typeof value !== 'string' || /^\d{4}-\d{2}-\d{2}T/.test(value)) return value
  if (name.endsWith('Id')) return CONTACT
  if (/email/i.test(name)) return EMAIL
  return /phone/i.test(name) ? PHONE : `${NAME} ${name}`
}

const personalFields = (resource: Resource) =>
  storedFields(resource).filter(([, { field }]) => field.personal !== null && field.personal !== 'no')

/** A row of a resource with the person in all of its personal fields. */
function plantedRow(resource: Resource, index: number, more: StoredRow = {}): StoredRow {
  // Every third sample has nulls.
  const row = sampleRow(resource, 3 * index, 'm-')
  const fields = personalFields(resource).flatMap(([name, { origin }]) => {
    const value = row[name]
    const isWord = /Consent$/.test(name)
    return origin === 'derived' || isWord ? [] : [[name, planted(value, name)] as const]
  })
  return { ...row, ...Object.fromEntries(fields), ...more }
}

/** Rows of the person: with the contact, and without one, with an address in each field that may carry one. */
function rowsOf(resource: Resource): readonly StoredRow[] {
  const { person } = resource
  if (person === null) return []
  if ('stays' in person) return [plantedRow(resource, 1)]
  if (resource.collection === 'contacts')
    return [
      plantedRow(resource, 1, {
        contactId: CONTACT,
        email: EMAIL,
        emailKey: EMAIL.toLowerCase(),
        phone: PHONE,
      }),
    ]
  const { by, carriedIn } = person
  const none = by === null ? {} : { [by]: null }
  const carrying = carriedIn.flatMap((field, index): readonly StoredRow[] => {
    if (field === 'customer') return [plantedRow(resource, 10)]
    const answers = [EMAIL, PHONE, '212-555-0187', '001 (212) 555.0187', 2_125_550_187]
    const texts = field === 'answers' ? answers : [field === 'email' ? EMAIL : PHONE]
    return texts.map((text, nth) =>
      plantedRow(resource, 10 * index + nth + 10, {
        ...none,
        [field]: field === 'answers' ? { mine: { is: [text] } } : text,
      }),
    )
  })
  return by === null ? carrying : [plantedRow(resource, 2, { [by]: CONTACT }), ...carrying]
}

/** Sends a file of contacts, which is imported or refused. */
async function importFile(service: TestService, admin: OperatorClient, lines: readonly object[]) {
  const path = `/organizations/acme/imports/${(await sendImport(service, admin, 'acme', 'contacts', lines)) ?? ''}`
  await admin.post(`${path}/commit`)
  await service.settled()
  return (await admin.get(path)).body as unknown as { state: string }
}

const line = {
  contactId: CONTACT,
  firstName: NAME,
  email: EMAIL,
  phone: '(212) 555-0187',
  tags: [NAME],
  attributes: { spouse: NAME },
  emailConsent: 'subscribed',
  smsConsent: 'subscribed',
  createdAt: '2026-01-01T00:00:00Z',
}

const sent = { channel: 'email', from: 'acme@example.com', providerId: null, outcome: 'accepted' } as const

async function plantedService(choice: PlaceChoice) {
  const opened: ScratchStorage[] = []
  const service = await openTestService((clock) => {
    opened.push(createScratchStorage({ clock, choice }))
    return opened[0] as ScratchStorage
  })
  const [storage] = opened as [ScratchStorage]
  const key = await addSampleOrganization(service, 'acme', 'm-', 3, ALL_CAPABILITIES)
  await service.addOrganization('other')
  const admin = await openOperatorClient(service, 'admin')
  expect((await importFile(service, admin, [line])).state).toBe('done')
  // No problem repeats a value, but each names its field, which may be the person's in a file with a wrong header.
  expect((await importFile(service, admin, [{ ...line, [NAME]: '' }])).state).toBe('refused')
  for (const resource of writtenResources)
    for (const row of rowsOf(resource))
      await service.storage.tenant('acme').upsert(resource.collection, [row])
  const submitted = await service.send('/api/forms/m-formId-0/submissions', {
    json: { _gotcha: '', email: EMAIL, _utm_source: NAME, _utm_campaign: `${NAME}-again` },
  })
  expect(await submitted.text()).toContain('submissionId')
  await plantWork(storage)
  const texts = async () => [
    ...(await everyText(storage.database)),
    ...(await everyText(await storage.databaseOf('acme'))),
  ]
  return { service, key, admin, texts }
}

/** Work that waits or failed, messages that wait for their turn, and the log of sends. */
async function plantWork(storage: ScratchStorage): Promise<void> {
  const database = await storage.databaseOf('acme')
  const at = '2026-06-15T12:00:00.000Z'
  const entry = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, status, last_error,
    next_attempt_at, created_at, updated_at) values ('acme', ?, 'gone', 'notification_email', ?, ?, ?, ?, ?, ?)`
  await database.batch([
    { sql: entry, parameters: ['o-1', JSON.stringify({ to: EMAIL }), 'pending', null, at, at, at] },
    { sql: entry, parameters: ['o-2', '{}', 'failed', `${EMAIL} is refused`, at, at, at] },
    {
      sql: `insert into automation_messages (organization_id, message_id, recipient, at, waits_until, is_sent, is_counted)
        values ('acme', 'run_gone_1', ?, ?, ?, 1, 1)`,
      parameters: [EMAIL.toLowerCase(), at, at],
    },
  ])
  await createStorage({ executor: database, clock: { nowMs: () => Date.parse(at) } })
    .sends.open('acme')
    .record([
      { ...sent, sendId: 's-1', to: EMAIL, error: `refused ${EMAIL}`, at },
      { ...sent, sendId: 's-2', channel: 'sms', to: PHONE, error: null, at },
      { ...sent, sendId: 's-3', to: 'friend@example.com', error: `copied to ${EMAIL}`, at },
    ])
}

/** Every answer of the public interface to reads. */
async function answersTo(service: TestService, key: string): Promise<readonly string[]> {
  const all: string[] = []
  for (const endpoint of endpoints.filter(({ access, method }) => access === 'tenant' && method === 'GET')) {
    const path = samplePath(endpoint, (field) => (field === 'contactId' ? CONTACT : `m-${field}-0`))
    const response = await service.send(endpoint.kind === 'collection' ? `${path}?limit=500` : path, { key })
    all.push(`${endpoint.id}: ${await response.text()}`)
  }
  return all
}

async function exported(admin: OperatorClient): Promise<readonly string[]> {
  const { token, files } = await begunExport(admin)
  const all: string[] = []
  for (const { file } of files) {
    const { body } = await admin.post('/organizations/acme/export/lines', { token, file, after: null })
    all.push(`${file}: ${(body as unknown as { readonly lines: string }).lines}`)
  }
  return all
}

const ALL_CAPABILITIES = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }

/** The tables whose rows stay as they are, as their records say with a reason. */
const STAYING = resources
  .filter(({ person }) => person !== null && 'stays' in person)
  .map(({ collection }) => collection.replaceAll('-', '_'))
const ofStaying = (text: string) =>
  /^(reviews\.|rows\/(reviews|visible-reviews|exit-survey-events)\.)/.test(text)

test.each(PLACES)('a planted person is found nowhere after they were erased: $kind', async (choice) => {
  const { service, key, admin, texts } = await plantedService(choice)
  const found = (await texts()).filter(({ text }) => WORDS.test(text))
  const places = new Set(found.map(({ table, column }) => `${table}.${column}`))
  // Nothing is proven of a field in which nobody was planted.
  const columns = resources
    .filter(({ person }) => person !== null)
    .flatMap((resource) =>
      personalFields(resource)
        .filter(([name]) => !/Consent$|^contactId$/.test(name))
        .map(([name]) => [resource.collection, name] as const),
    )
    .map(([collection, name]) =>
      `${collection}.${name}`
        .replaceAll('-', '_')
        .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
  const others = ['outbox.payload', 'outbox.last_error', 'sends.recipient', 'sends.error']
  others.push('automation_messages.recipient', 'import_sessions.problems')
  for (const place of [...columns, ...others]) expect([...places]).toContain(place)
  const since = new Date(service.clock.nowMs()).toISOString()
  service.clock.advance(1000)

  const { status, body } = await admin.post('/organizations/acme/contacts/erase', { contactIds: [CONTACT] })
  expect([status, body]).toMatchObject([200, { contactIds: [CONTACT], next: null }])
  const left = (await texts()).filter(({ text }) => WORDS.test(text))
  expect(left.filter(({ table }) => !STAYING.includes(table))).toEqual([])
  expect(new Set(left.map(({ table }) => table))).toEqual(new Set(STAYING))
  const revealing = [...(await answersTo(service, key)), ...(await exported(admin))].filter((text) =>
    WORDS.test(text),
  )
  expect(revealing.filter((text) => !ofStaying(text))).toEqual([])
  expect(service.logLines.filter((text) => WORDS.test(text))).toEqual([])
  const imports = await admin.get('/organizations/acme/imports')
  expect(JSON.stringify(imports.body)).not.toMatch(WORDS)
  const sync = await service.send(`/api/v1/contacts?updatedAfter=${since}`, { key })
  expect(await sync.json()).toMatchObject({ data: [{ contactId: CONTACT, email: null }] })
})
