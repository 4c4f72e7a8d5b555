import { beforeAll, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../../domain/catalog.ts'
import { writtenPosResources } from '../../domain/pos/index.ts'
import { writtenResources } from '../../domain/resources/index.ts'
import type { StoredRow } from '../../ports/records/query.ts'
import { samplePath } from '../support/data/sample-organization.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import type { TestService } from '../support/services/service.ts'
import { openTestService } from '../support/services/service.ts'

// Puts a word that no answer may contain into every stored value that is never published. The conformance suites show
// that other adapters return the same rows.
const PLANTED = 'planted-secret'

const secretAnswers = {
  token: PLANTED,
  _internal: PLANTED,
  nested: [{ apiKey: PLANTED, deeper: { card_number: PLANTED, kept: 'kept' } }],
}

/** Stored values that are never published, by collection. Add new hidden fields here. */
const planted: Readonly<Record<string, StoredRow>> = {
  forms: {
    passwordHash: PLANTED,
    definition: {
      formId: 'm-formId-0',
      name: 'Form',
      isPublished: true,
      notificationEmails: [`${PLANTED}@example.com`],
      fields: [],
    },
  },
  'form-submissions': { answers: secretAnswers },
  'marketing-signups': { answers: secretAnswers },
  'survey-responses': { answers: secretAnswers },
  automations: { steps: [{ type: 'send_sms', body: PLANTED }] },
  purchases: { processorId: PLANTED, fulfillmentCodes: [[PLANTED]] },
  vouchers: { code: PLANTED },
  'voucher-redemptions': { code: PLANTED },
}

let service: TestService
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  const posSource = { kind: 'legacy_vendor', tenant: PLANTED } as const
  const settings = { name: PLANTED, slug: PLANTED, smsNumber: `+1${PLANTED}`, posSource }
  key = await service.addOrganization('mine', settings)
  await service.addOrganization('theirs')
  for (const resource of writtenResources) {
    const row = { ...sampleRow(resource, 0, 'm-'), ...planted[resource.collection] }
    await service.storage.tenant('mine').upsert(resource.collection, [row])
    const foreign = sampleRow(resource, 0, `${PLANTED}-`)
    await service.storage.tenant('theirs').upsert(resource.collection, [foreign])
  }
  for (const resource of writtenPosResources) {
    const own = service.pos.writer(posSource)
    await own.upsert(resource.collection, [sampleRow(resource, 0, 'm-')])
    const foreign = service.pos.writer({ ...posSource, tenant: 'theirs' })
    await foreign.upsert(resource.collection, [sampleRow(resource, 0, `${PLANTED}-`)])
  }
})

test.each(endpoints.filter(({ kind }) => kind !== 'operation'))(
  '$id answers nothing unpublished',
  async (endpoint) => {
    const own = samplePath(endpoint, (field) => `m-${field}-0`)
    for (const query of ['', '?cursor=nonsense', '?unknown=1']) {
      const text = await (await service.send(own + query, { key })).text()
      expect(text).not.toContain(PLANTED)
    }
  },
)

test('the planted values are there: codes come out when they are asked for', async () => {
  const { data } = (await (await service.send('/api/v1/vouchers?includeCodes=true', { key })).json()) as {
    data: { code: string }[]
  }
  expect(data.map(({ code }) => code)).toEqual([PLANTED])
})

test('nothing failed inside', () => {
  expect(service.errors).toEqual([])
})
