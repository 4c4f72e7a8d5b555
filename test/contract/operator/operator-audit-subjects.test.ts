import { beforeEach, describe, expect, test } from 'vitest'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import { digestOfParts, sha256 } from '../../../domain/imports/file/transfer.ts'
import { auditActions } from '../../../domain/record/description.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { AuditRecord } from '../../../ports/operators.ts'
import { form, organization, submission } from '../../../adapters/conformance/fixtures.ts'
import { fakeEmail } from '../../support/providers/jobs.ts'
import { folderBackups } from '../../support/archives/folder-backups.ts'
import { restoreRequest } from '../../support/data/restore-request.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { toOwn, type MovingPlaces } from '../../support/moving/moving.ts'
import { openMovingStorage } from '../../support/moving/moving-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { scratchFolder } from '../../support/scratch/scratch-folder.ts'

// What the audit says that each change was about, of every operation that changes something.

let service: TestService
let places: MovingPlaces
let admin: OperatorClient
let support: OperatorClient
const folder = scratchFolder()

beforeEach(async () => {
  service = await openTestService(
    (clock) => {
      const { storage, places: moving } = openMovingStorage(clock)
      places = moving
      return { ...storage, backups: folderBackups(clock, folder) }
    },
    undefined,
    { email: fakeEmail().sender, mail: { domain: 'mail.example.com', brand: 'Platform' } },
  )
  admin = await openOperatorClient(service, 'admin')
  support = await openOperatorClient(service, 'support')
  await service.addOrganization('acme')
})

/** The records of one action, newest first. */
async function records(action: string): Promise<readonly AuditRecord[]> {
  const { body } = await support.get(`/audit?action=${action}`)
  return body.data as unknown as readonly AuditRecord[]
}

const ORGANIZATION = '/organizations/acme'
const IMPORTS = `${ORGANIZATION}/imports`
const contact = (contactId: string) =>
  `${JSON.stringify({ contactId, email: 'ada@example.com', tags: [], emailConsent: 'unknown', smsConsent: 'unknown', createdAt: '2026-01-01T00:00:00Z' })}\n`

interface Opened {
  readonly importId: string
}

/** Opens an import of contacts, and sends its only part. */
async function openedImport(text: string): Promise<string> {
  const part = utf8(text)
  const [digest, totalBytes] = [await digestOfParts([await sha256(part)]), part.length]
  const { body } = await admin.post(IMPORTS, { kind: 'contacts', format: 'ndjson', totalBytes, digest })
  const { importId } = body as unknown as Opened
  const base64 = (await sha256(part)).replaceAll('-', '+').replaceAll('_', '/')
  const sent = await service.send(`/operator/v1${IMPORTS}/${importId}/parts/1`, {
    method: 'PUT',
    key: admin.key,
    headers: { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${base64}=:` },
    body: part,
  })
  expect(sent.status).toBe(200)
  return importId
}

const AUTOMATIONS = `${ORGANIZATION}/automations`
const givenAutomation = { automationId: 'thanks', name: 'Thanks', trigger: { type: 'manual' }, steps: [] }

async function madeWebhook(): Promise<string> {
  const url = 'https://ada.example/hook?ada@example.com'
  const { status, body } = await admin.post('/organizations/acme/webhooks', { url })
  expect(status).toBe(201)
  return (body as unknown as { webhookId: string }).webhookId
}

/** Does something with a webhook, and says what the audit should say of it. */
async function ofWebhook(what: string, expected: number, given?: object) {
  const id = await madeWebhook()
  expect((await admin.post(`/webhooks/${id}/${what}`, given)).status).toBe(expected)
  return { type: 'webhook', id }
}

const issue = async (path: string, body: object = {}) => (await admin.post(path, body)).body.keyId
const rotate = async (keyId: string) => issue(`/keys/${keyId}/rotate`, { overlap: '1d' })

async function begunRestore() {
  const { body } = await admin.post('/organizations/copy/restore', await restoreRequest(admin, 0))
  return body as unknown as { readonly restoreId: string }
}

async function backedUp(): Promise<string> {
  const { body } = await admin.post(`${ORGANIZATION}/backup`)
  return (body as unknown as { readonly name: string }).name
}

const FORMS = `${ORGANIZATION}/forms`
const givenForm = { formId: 'contact', name: 'Ask ada@example.com', password: 'ck_live_sesame', fields: [] }

const publish = (path: string) =>
  service.send(`/operator/v1${path}/published`, {
    method: 'PUT',
    key: admin.key,
    json: { isPublished: true },
  })

const person = (method: string, json?: object) =>
  service.send('/operator/v1/people/kim@lakeside.example?organizationId=acme', {
    method,
    key: admin.key,
    json,
  })

/** For each operation: makes its change, and returns the subject that its record must have. */
const changes: Readonly<Record<string, () => Promise<unknown>>> = {
  'organizations.save': async () => {
    const settings = { name: 'Test', slug: 'ada', smsNumber: '+12125550100', analytics: true }
    await admin.post(ORGANIZATION, settings)
    return { type: 'settings', changed: ['slug', 'smsNumber', 'analytics'] }
  },
  'moves.begin': async () => {
    const { body } = await admin.post(`${ORGANIZATION}/move`, { place: 'own' })
    await service.settled()
    const { move } = body as unknown as { readonly move: { readonly moveId: string } }
    return { type: 'move', id: move.moveId, to: 'own' }
  },
  'moves.abort': async () => {
    // Another process holds the move, so this service does not work on it.
    const [moveId, startedAt] = ['m1', '2026-06-15T12:00:00.000Z']
    await places.world.ledger.open({ moveId, familyId: 'acme', target: toOwn, startedAt })
    await places.world.ledger.take(moveId, 'another', startedAt, '2026-06-15T13:00:00.000Z')
    expect((await admin.post(`${ORGANIZATION}/move/abort`)).status).toBe(200)
    return { type: 'move', id: moveId, to: 'own' }
  },
  'exports.begin': async () => {
    expect((await admin.post(`${ORGANIZATION}/export`, { withSecrets: true })).status).toBe(200)
    return { type: 'archive', name: null, secrets: true }
  },
  'restores.begin': async () => {
    await begunRestore()
    return { type: 'archive', name: 'acme.tar', secrets: false }
  },
  'restores.finish': async () => {
    const { restoreId } = await begunRestore()
    expect((await admin.post(`/organizations/copy/restore/${restoreId}/finish`)).status).toBe(200)
    return { type: 'archive', name: 'acme.tar', secrets: false }
  },
  'organizations.delete': async () => {
    await service.addOrganization('short-lived')
    const { status } = await admin.post('/organizations/short-lived/delete', { confirm: 'short-lived' })
    expect(status).toBe(200)
    const rows = expect.any(Number) as number
    return { type: 'rows', kind: null, rows }
  },
  'rows.delete': async () => {
    await service.storage.tenant('acme').upsert('forms', [form('mistaken')])
    expect((await admin.post(`${ORGANIZATION}/rows/forms/delete`, { ids: ['mistaken'] })).body).toEqual({
      rows: 1,
    })
    return { type: 'rows', kind: 'forms', rows: 1 }
  },
  'submissions.mark': async () => {
    const tenant = service.storage.tenant('acme')
    await tenant.upsert('forms', [form('form-1')])
    await tenant.saveSubmission(submission('sub-1'))
    expect(
      (await admin.post(`${ORGANIZATION}/submissions/mark`, { ids: ['sub-1', 'sub-1'], read: true })).status,
    ).toBe(204)
    return { type: 'submissions', count: 1, as: 'read' }
  },
  'submissions.delete': async () => {
    const tenant = service.storage.tenant('acme')
    await tenant.upsert('forms', [form('form-1')])
    await tenant.saveSubmission(submission('sub-1'))
    expect((await admin.post(`${ORGANIZATION}/submissions/delete`, { ids: ['sub-1'] })).body).toEqual({
      rows: 1,
    })
    return { type: 'rows', kind: 'form-submissions', rows: 1 }
  },
  'contacts.erase': async () => {
    expect((await admin.post(`${ORGANIZATION}/contacts/erase`, { emails: ['ada@example.com'] })).status).toBe(
      200,
    )
    return { type: 'contacts', ids: [] }
  },
  'retention.set': async () => {
    expect((await admin.post(`${ORGANIZATION}/retention`, { sends: 90 })).status).toBe(200)
    return { type: 'retention', submissions: null, sends: 90 }
  },
  'backups.run': async () => {
    const { body } = await admin.post(`${ORGANIZATION}/backup`)
    const { name } = body as unknown as { readonly name: string }
    expect(name).toMatch(/\.acme\.tar$/)
    return { type: 'archive', name, secrets: false }
  },
  'backups.read': async () => {
    const name = await backedUp()
    expect((await admin.post(`/backups/${name}/bytes`, { offset: 0 })).status).toBe(200)
    return { type: 'archive', name, secrets: false }
  },
  'backups.delete': async () => {
    const name = await backedUp()
    expect((await admin.post(`/backups/${name}/delete`)).status).toBe(200)
    return { type: 'archive', name, secrets: false }
  },
  'backups.remove': async () => {
    expect((await admin.post('/backups/remove', { keepDays: 30 })).body).toEqual({ removed: [] })
    return { type: 'archive', name: null, secrets: false }
  },
  'keys.issue': async () => ({ type: 'key', id: await issue(`${ORGANIZATION}/keys`) }),
  'platformKeys.issue': async () => ({ type: 'key', id: await issue('/platform-keys') }),
  'keys.revoke': async () => {
    const id = await issue(`${ORGANIZATION}/keys`)
    await admin.post(`/keys/${id}/revoke`)
    return { type: 'key', id }
  },
  'keys.rotate': async () => {
    const id = await issue('/platform-keys')
    return { type: 'key', id, successorId: await rotate(id) }
  },
  'operatorKeys.issue': async () => {
    return { type: 'key', id: await issue('/operator-keys', { operator: 'Eve Smith', role: 'support' }) }
  },
  'operatorKeys.revoke': async () => {
    const id = await issue('/operator-keys', { operator: 'Eve Smith', role: 'support' })
    await admin.post(`/operator-keys/${id}/revoke`)
    return { type: 'key', id }
  },
  'people.save': async () => {
    expect((await person('PUT', { role: 'member' })).status).toBe(200)
    return { type: 'person', email: 'kim@lakeside.example', role: 'member' }
  },
  'people.add': async () => {
    const kim = { email: 'kim@lakeside.example', role: 'member', organizationIds: ['acme'] }
    expect((await admin.post('/people', kim)).status).toBe(200)
    return { type: 'person', email: kim.email, role: 'member' }
  },
  'people.remove': async () => {
    await person('PUT', { role: 'member' })
    expect((await person('DELETE')).status).toBe(204)
    return { type: 'person', email: 'kim@lakeside.example', role: null }
  },
  'people.endSessions': async () => {
    await service.storage.people.openSession(
      {
        ...{ sessionId: 'ses_1', by: { kind: 'person', person: 'kim@lakeside.example' }, browser: 'Firefox' },
        createdAt: '2026-06-15T12:00:00.000Z',
        ...{ lastSeenAt: '2026-06-15T12:00:00.000Z', expiresAt: '2026-07-15T12:00:00.000Z' },
      },
      'hash',
    )
    expect((await admin.post('/people/Kim@lakeside.example/end-sessions')).body).toEqual({ ended: 1 })
    return { type: 'person', email: 'kim@lakeside.example', role: null }
  },
  'imports.open': async () => {
    return { type: 'import', id: await openedImport(contact('c-1')), kind: 'contacts', rows: 0 }
  },
  'imports.commit': async () => {
    const importId = await openedImport(contact('c-1') + contact('c-2'))
    expect((await admin.post(`${IMPORTS}/${importId}/commit`)).status).toBe(200)
    return { type: 'import', id: importId, kind: 'contacts', rows: 2, changedRows: 2 }
  },
  'imports.abort': async () => {
    const importId = await openedImport(contact('c-1'))
    await service.send(`/operator/v1${IMPORTS}/${importId}`, { method: 'DELETE', key: admin.key })
    return { type: 'import', id: importId, kind: 'contacts', rows: 1 }
  },
  'organizationForms.save': async () => {
    const field = { id: 'email', type: 'email', label: 'Your address' }
    const forms = [{ ...givenForm, fields: [field, { ...field, id: 'second' }] }]
    expect((await admin.post(FORMS, { forms })).status).toBe(200)
    const { password: _removed, ...kept } = givenForm
    const changed = { ...kept, name: 'ck_live_other', fields: [{ ...field, label: 'ada@example.com' }] }
    expect((await admin.post(FORMS, { forms: [changed] })).status).toBe(200)
    const keys = ['name', 'fields']
    return {
      type: 'forms',
      ids: ['contact'],
      changed: [{ id: 'contact', keys, fieldIds: ['email', 'second'] }],
    }
  },
  'organizationForms.publish': async () => {
    await admin.post(FORMS, { forms: [givenForm] })
    expect((await publish(`${FORMS}/contact`)).status).toBe(200)
    const keys = ['isPublished', 'publishedAt']
    return { type: 'forms', ids: ['contact'], changed: [{ id: 'contact', keys, fieldIds: [] }] }
  },
  'formVersions.restore': async () => {
    await admin.post(FORMS, { forms: [givenForm] })
    await admin.post(FORMS, { forms: [{ ...givenForm, name: 'Other' }] })
    expect((await admin.post(`${FORMS}/contact/versions/1/restore`, {})).status).toBe(200)
    return { type: 'forms', ids: ['contact'], changed: [{ id: 'contact', keys: ['name'], fieldIds: [] }] }
  },
  'organizationAutomations.save': async () => {
    const odd = { ...givenAutomation, automationId: 'ada@example.com' }
    expect((await admin.post(AUTOMATIONS, { automations: [givenAutomation, odd] })).status).toBe(200)
    const renamed = { ...givenAutomation, name: 'ck_live_other' }
    expect((await admin.post(AUTOMATIONS, { automations: [renamed, odd] })).status).toBe(200)
    return { type: 'automations', ids: ['thanks'], changed: [{ id: 'thanks', keys: ['name'] }] }
  },
  'organizationAutomations.setStatus': async () => {
    await admin.post(AUTOMATIONS, { automations: [givenAutomation] })
    const response = await service.send(`/operator/v1${AUTOMATIONS}/thanks/status`, {
      method: 'PUT',
      key: admin.key,
      json: { status: 'active' },
    })
    expect(response.status).toBe(200)
    return { type: 'automations', ids: ['thanks'], changed: [{ id: 'thanks', keys: ['status'] }] }
  },
  'organizationAutomations.test': async () => {
    await admin.post(FORMS, { forms: [givenForm] })
    await service.storage.administration.saveOrganization(organization('acme', { slug: 'acme' }))
    const step = { type: 'send_email', to: 'contact', subject: 'S', html: 'H' }
    const asked = { formId: 'contact', step, to: 'grace@example.com' }
    expect((await admin.post(`${ORGANIZATION}/automation-tests`, asked)).status).toBe(200)
    return { type: 'test', formId: 'contact', channel: 'email' }
  },
  'webhooks.create': async () => ({ type: 'webhook', id: await madeWebhook() }),
  'webhooks.update': async () => {
    const id = await madeWebhook()
    expect(
      (await admin.post(`/webhooks/${id}`, { description: 'ada@example.com', isOn: false })).status,
    ).toBe(200)
    return { type: 'webhook', id, changed: ['description', 'isOn'] }
  },
  'webhooks.rotate': async () => ofWebhook('rotate', 200),
  'webhooks.delete': async () => ofWebhook('delete', 200),
  'webhooks.test': async () => ofWebhook('test', 202),
  'webhooks.resend': async () => ofWebhook('resend', 202, { since: '2026-01-01' }),
  'webhookDeliveries.resend': async () => {
    const id = await madeWebhook()
    const webhookId = id.slice('acme:'.length)
    const outbox = service.storage.outbox.open('acme')
    const event = {
      deliveryId: 'whd_1',
      webhookId,
      event: 'test',
      subjectId: webhookId,
      at: '2020-01-01T00:00:00.000Z',
    }
    const now = toInstant(service.clock.nowMs())
    await service.storage.webhooks('acme').announce(event, now)
    await outbox.claim('whd_1', { token: 't', until: '9999' }, now)
    const delivery = { ...event, status: 'failed', answer: null } as const
    await outbox.settle('whd_1', 't', { kind: 'done', sends: [], delivery }, now)
    expect((await admin.post('/webhook-deliveries/acme:whd_1/resend')).status).toBe(202)
    return { type: 'webhook', id }
  },
  'outbox.retry': async () => {
    const tenant = service.storage.tenant('acme')
    await tenant.upsert('forms', [form('form-1')])
    const outbox = [{ outboxId: 'obx_1', kind: 'notification_email', payload: {} }]
    await tenant.saveSubmission(submission('sub-1', { outbox }))
    expect((await admin.post('/outbox/obx_1/retry')).status).toBe(204)
    return { type: 'entry', id: 'obx_1' }
  },
}

const changing = operatorEndpoints.filter(({ action }) => action !== null)

test('every operation with an action is tried here, and every action is one of an operation', () => {
  expect(Object.keys(changes).sort()).toEqual(changing.map(({ id }) => id).sort())
  expect(new Set(changing.map(({ action }) => action))).toEqual(new Set(auditActions))
})

describe.each(changing.map(({ id, action }) => ({ id, action: String(action) })))('$id', ({ id, action }) => {
  test('names what it changed, and neither a secret nor a person', async () => {
    const subject = await changes[id]?.()
    const [record] = await records(action)
    expect([record?.outcome, record?.subject]).toEqual(['done', subject])
    expect(JSON.stringify(await records(action))).not.toMatch(/_live_|ada@|Eve Smith|\+1212/)
    expect(service.errors).toEqual([])
  })
})

test('no form is saved or published in an organization that does not exist or is being restored', async () => {
  await service.addOrganization('empty')
  const begun = await admin.post('/organizations/empty/restore', await restoreRequest(admin, 0))
  expect(begun.status).toBe(200)
  // An organization that is being restored does not exist yet.
  for (const organizationId of ['nobody', 'empty']) {
    const path = `/organizations/${organizationId}/forms`
    expect((await admin.post(path, { forms: [givenForm] })).status).toBe(404)
    expect((await publish(`${path}/contact`)).status).toBe(404)
  }
})

describe('a change that was not made names what it would have been about', () => {
  test('as far as the path says, when the role does not allow it', async () => {
    const keyId = await issue('/platform-keys')
    await support.post(`/keys/${keyId}/revoke`)
    await support.post('/keys/me@example.com/revoke')
    await support.post(`/organizations/${await service.addOrganization('other')}/keys`, {})
    const shown = (all: readonly AuditRecord[]) =>
      all.map(({ outcome, organizationId, subject }) => [outcome, organizationId, subject])
    expect(shown(await records('key.revoke'))).toEqual(
      expect.arrayContaining([
        ['forbidden', null, { type: 'key', id: keyId }],
        ['forbidden', null, null],
      ]),
    )
    expect(shown(await records('key.issue'))).toContainEqual(['forbidden', null, null])
  })

  test('but not a key that was given in place of an id', async () => {
    const key = await service.addPlatformKey()
    for (const path of ['keys', 'operator-keys', 'outbox'])
      expect((await admin.post(`/${path}/${key}/${path === 'outbox' ? 'retry' : 'revoke'}`)).status).toBe(404)
    expect((await admin.post(`/operator-keys/${admin.key}/revoke`)).status).toBe(404)
    expect((await admin.post(`${IMPORTS}/${key}/commit`)).status).toBe(404)
    expect((await admin.post(`/organizations/${key}/keys`, {})).status).toBe(404)
    const { body } = await support.get('/audit?limit=500')
    expect(JSON.stringify(body)).not.toContain(key)
    expect(JSON.stringify(body)).not.toContain(admin.key)
  })

  test('a file with problems, by their number', async () => {
    const importId = await openedImport('{"contactId":""}\n')
    expect((await admin.post(`${IMPORTS}/${importId}/commit`)).status).toBe(422)
    const [record] = await records('import.commit')
    const problems = expect.any(Number) as number
    expect([record?.outcome, record?.subject]).toEqual([
      'refused',
      { type: 'import', id: importId, kind: 'contacts', rows: 1, problems },
    ])
  })

  test('a new organization, by everything that was set', async () => {
    await admin.post('/organizations/new', { name: 'New', slug: 'new', place: 'shared' })
    await admin.post('/organizations/twin', { name: 'Twin', slug: 'new' })
    await admin.post('/organizations/new', { name: 'New', posSource: null })
    const all = (await records('organization.save')).map(({ outcome, organizationId, subject }) =>
      JSON.stringify([outcome, organizationId, subject]),
    )
    const settings = (...changed: readonly string[]) => ({ type: 'settings', changed })
    expect(all.sort()).toEqual(
      [
        ['done', 'new', settings('name', 'slug', 'place')],
        ['refused', 'twin', settings('name', 'slug')],
        ['done', 'new', settings()],
      ]
        .map((shown) => JSON.stringify(shown))
        .sort(),
    )
  })
})
