import type { D1Database } from '@cloudflare/workers-types'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import { issueKey } from '../../domain/access/keys.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import { applyMigrations } from '../support/databases/d1.ts'
import { testRootSecret } from '../support/runner/fakes.ts'
import { sampleRow } from '../support/data/sample-rows.ts'

const CONTACTS = 20_000
const CHUNK = 2_000
/** The recipients of the notification of each submission. */
const DESK = ['desk@example.com']

/** Fills a database for the bench: one organization, its key, 20,000 contacts and a published form. */
export async function seedBench(
  database: D1Database,
): Promise<{ readonly key: string; readonly contactId: string }> {
  await applyMigrations(database)
  const storage = createD1Storage({ database, clock: systemClock })
  await storage.administration.saveOrganization(newOrganization('bench', 'Bench'))
  const secrets = await openSecrets(testRootSecret(), null)
  const { key, stored } = await issueKey({ organizationId: 'bench' }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(stored)
  const tenant = storage.tenant('bench')
  const rows = Array.from({ length: CONTACTS }, (_, index) => sampleRow(contacts, index))
  for (let start = 0; start < CONTACTS; start += CHUNK) {
    await tenant.upsert('contacts', rows.slice(start, start + CHUNK))
  }
  await tenant.upsert('forms', [plainForm, quietForm, conditionalForm])
  return { key, contactId: 'contactId-10000' }
}

/**
 * A form of three plain fields.
 * @param notificationEmails the recipients of the notification of each submission
 */
function plainFormOf(formId: string, notificationEmails: readonly string[]): Record<string, unknown> {
  return formRow(formId, notificationEmails, [
    { id: 'full_name', type: 'short_text', label: 'Name', required: true },
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'message', type: 'long_text', label: 'Message' },
  ])
}

export const plainForm = plainFormOf('bench-form', DESK)

/** The same form without notifications, so that no work follows a submission. */
export const quietForm = plainFormOf('bench-quiet', [])

/** Answers to the plain form. */
export const plainAnswers = { full_name: 'Ada Lovelace', email: 'ada@example.com', message: 'Hello there' }

/** Twenty fields, eight of them shown on condition: a chain of four, and four that depend on a choice. */
export const conditionalForm = formRow('bench-conditional', DESK, [
  { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
  { id: 'kind', type: 'single_choice', label: 'Kind', required: true, options: [option('a'), option('b')] },
  ...numbered(10, (index) => ({
    id: `text${index}`,
    type: 'short_text',
    label: `Text ${index}`,
    required: true,
  })),
  ...numbered(4, (index) => ({
    id: `chain${index}`,
    type: 'number',
    label: `Chain ${index}`,
    required: true,
    visibleWhen: onlyWhen(index === 0 ? 'text0' : `chain${index - 1}`, 'is_not_empty'),
  })),
  ...numbered(4, (index) => ({
    id: `branch${index}`,
    type: 'short_text',
    label: `Branch ${index}`,
    required: true,
    visibleWhen: onlyWhen('kind', 'equals', index % 2 === 0 ? 'a' : 'b'),
  })),
])

/** Answers to every field of the conditional form that `kind: a` shows. */
export const conditionalAnswers: Readonly<Record<string, unknown>> = {
  _gotcha: '',
  email: 'ada@example.com',
  kind: 'a',
  ...Object.fromEntries(numbered(10, (index) => [`text${index}`, `some text ${index}`])),
  ...Object.fromEntries(numbered(4, (index) => [`chain${index}`, index])),
  branch0: 'shown',
  branch2: 'shown',
}

function numbered<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function option(value: string): object {
  return { value, label: value }
}

function onlyWhen(field: string, operator: string, value?: string): object {
  return { match: 'all', rules: [{ field, operator, ...(value === undefined ? {} : { value }) }] }
}

function formRow(
  formId: string,
  notificationEmails: readonly string[],
  fields: readonly object[],
): Record<string, unknown> {
  return {
    formId,
    name: 'Bench',
    isPublished: true,
    publishedAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    definition: {
      formId,
      name: 'Bench',
      isPublished: true,
      notificationEmails,
      fields,
    },
    passwordHash: null,
  }
}
