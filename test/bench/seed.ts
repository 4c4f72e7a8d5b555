import type { D1Database } from '@cloudflare/workers-types'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import { issueKey } from '../../domain/tenancy/api-key.ts'
import { openSecrets } from '../../domain/tenancy/secrets.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import { applyMigrations } from '../support/d1.ts'
import { testRootSecret } from '../support/fakes.ts'
import { sampleRow } from '../support/sample-rows.ts'

const CONTACTS = 20_000
const CHUNK = 2_000

/** Fills a database for the bench: one organization, its key, 20,000 contacts and a published form. */
export async function seedBench(
  database: D1Database,
): Promise<{ readonly key: string; readonly contactId: string }> {
  await applyMigrations(database)
  const storage = createD1Storage({ database, clock: systemClock })
  await storage.administration.saveOrganization({
    organizationId: 'bench',
    name: 'Bench',
    slug: null,
    parentId: null,
    smsNumber: null,
    phoneCountry: 'US',
    posSource: null,
    billingEvents: false,
    analytics: false,
    retentionOfferAnalytics: false,
  })
  const secrets = await openSecrets(testRootSecret(), null)
  const { key, stored } = await issueKey({ organizationId: 'bench' }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(stored)
  const tenant = storage.tenant('bench')
  for (let start = 0; start < CONTACTS; start += CHUNK) {
    await tenant.upsert(
      'contacts',
      Array.from({ length: CHUNK }, (_, index) => sampleRow(contacts, start + index)),
    )
  }
  await tenant.upsert('forms', [benchForm()])
  return { key, contactId: 'contactId-10000' }
}

function benchForm(): Record<string, unknown> {
  const definition = {
    formId: 'bench-form',
    name: 'Bench',
    isPublished: true,
    notificationEmails: ['desk@example.com'],
    fields: [
      { id: 'full_name', type: 'short_text', label: 'Name', required: true },
      { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
      { id: 'message', type: 'long_text', label: 'Message' },
    ],
  }
  return {
    formId: 'bench-form',
    name: 'Bench',
    isPublished: true,
    publishedAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    definition,
    passwordHash: null,
  }
}
