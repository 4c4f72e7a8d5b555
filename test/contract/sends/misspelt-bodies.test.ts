import { beforeAll, expect, test } from 'vitest'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// What a person is told about a wrong body, word for word.

let service: TestService
let operator: string
let tenant: string

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  tenant = await service.addOrganization('acme')
  operator = await service.addOperatorKey('admin')
})

async function told(path: string, json: unknown): Promise<string> {
  const key = path.startsWith('/operator/') ? operator : tenant
  const response = await service.send(path, { key, json })
  const { error, details = [] } = (await response.json()) as {
    readonly error: string
    readonly details?: readonly string[]
  }
  return [error, ...details].join(' | ')
}

const IMPORTS = '/operator/v1/organizations/acme/imports'
const FORMS = '/operator/v1/organizations/acme/forms'
const file = {
  kind: 'contacts',
  format: 'csv',
  totalBytes: 1,
  digest: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
}
const form = { formId: 'f', name: 'F', fields: [] }

test.each([
  [
    IMPORTS,
    { ...file, kind: 'contcats' },
    'kind: must be one of sites, products, checkout-links, contacts, contact-lists, list-members, marketing-signups, forms, form-submissions, automations, automation-runs, voucher-groups, vouchers, voucher-redemptions, purchases, links, link-events, surveys, survey-responses, cases, memberships, billing-events, retention-offer-events, exit-survey-events, reviews, pos-transactions, pos-customers, pos-recurring-accounts, pos-billing-events, pos-status-events. Did you mean contacts?',
  ],
  [
    IMPORTS,
    { ...file, kind: 'survey-respones' },
    'kind: must be one of sites, products, checkout-links, contacts, contact-lists, list-members, marketing-signups, forms, form-submissions, automations, automation-runs, voucher-groups, vouchers, voucher-redemptions, purchases, links, link-events, surveys, survey-responses, cases, memberships, billing-events, retention-offer-events, exit-survey-events, reviews, pos-transactions, pos-customers, pos-recurring-accounts, pos-billing-events, pos-status-events. Did you mean survey-responses?',
  ],
  [IMPORTS, { ...file, format: 'cvs' }, 'format: must be one of ndjson, csv. Did you mean csv?'],
  [IMPORTS, { ...file, totalBytes: '1' }, 'totalBytes: must be a whole number.'],
  [IMPORTS, { ...file, totalBytes: -1 }, 'totalBytes: must not be negative.'],
  [IMPORTS, { ...file, digest: 'x' }, 'digest: must be a SHA-256 in base64url, 43 characters.'],
  [IMPORTS, { ...file, dryrun: true }, 'dryrun: is not a known key. Did you mean dryRun?'],
  [IMPORTS, { ...file, dryRun: 'yes' }, 'dryRun: must be true or false.'],
  [IMPORTS, { ...file, maping: {} }, 'maping: is not a known key. Did you mean mapping?'],
  [IMPORTS, { ...file, mapping: { a: 1 } }, 'mapping.a: must be the name of a field, or empty.'],
  [
    IMPORTS,
    { ...file, mapping: { Mail: 'emial' } },
    'Mail cannot be mapped to emial, which is not a field of contacts. Did you mean email?',
  ],
  [
    IMPORTS,
    { ...file, format: 'ndjson', mapping: { Mail: 'email' } },
    'Only the columns of a CSV file can be mapped. In NDJSON, the keys are the fields.',
  ],
  [
    IMPORTS,
    { kind: 'contacts', nme: 1, fromat: 'csv' },
    'format: is required. totalBytes: is required. digest: is required. nme: is not a known key. Known are kind, format, totalBytes, digest, dryRun, mapping, attributes, allProblems. fromat: is not a known key. Did you mean format?',
  ],
  [FORMS, {}, 'forms: is required.'],
  [FORMS, { form: [form] }, 'forms: is required. form: is not a known key. Did you mean forms?'],
  [FORMS, { forms: form }, 'forms: must be an array.'],
  [FORMS, { forms: [] }, 'forms: must not be empty.'],
  [
    FORMS,
    { forms: [{ ...form, nme: 'x' }] },
    'Nothing was saved. Form 1: nme is not a known key. Did you mean name?',
  ],
  [
    FORMS,
    { forms: [{ ...form, isPublished: 'yes' }] },
    'Nothing was saved. Form 1: isPublished must be true or false.',
  ],
  [
    FORMS,
    { forms: [{ ...form, fields: [{ id: 'a', typ: 'email', label: 'A' }] }] },
    'Nothing was saved. Form 1: fields[0].typ is not a known key. Did you mean type?',
  ],
  ['/api/v1/message', {}, 'Invalid request format | to: is required | body: is required'],
  [
    '/api/v1/message',
    { to: 1, body: 'Hi' },
    'Invalid request format | to: must be a string or an array of strings',
  ],
  ['/api/v1/message', { to: '+12125550123', body: 1 }, 'Invalid request format | body: must be a string'],
  [
    '/api/v1/message',
    { to: '+12125550123', body: 'Hi', attachments: [{ url: 'x' }] },
    'Invalid request format | attachments.0.url: must be an absolute http or https URL without user name or password',
  ],
  [
    '/api/v1/email',
    { to: 'ada@example.com', subject: 1, html: '<p></p>' },
    'Invalid request format | subject: must be a string',
  ],
])('%s %j: %s', async (path, body, expected) => {
  const sentence = await told(path, body)
  expect(sentence).not.toMatch(/Invalid \w+:|Expected .* but received/)
  expect(sentence).toBe(expected)
})
