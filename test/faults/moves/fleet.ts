import assert from 'node:assert/strict'
import {
  importThroughService,
  type OperatorCall,
  type RemoteImport,
} from '../../../host-worker/operator/client/import-client.ts'
import { utf8 } from '../../../domain/text/encoding.ts'

/** An organization without relatives that lives in one place and has one form. */
export interface Family {
  readonly organizationId: string
  readonly formId: string
  /** The tenant key of the organization. */
  readonly key: string
}

/** The operator interface of a service, called with one key. */
type CalledService = Pick<RemoteImport, 'url' | 'call'>

export type PlaceKind = 'shared' | 'own'

/** Each family has this many contacts from the start, so that a move takes several steps. */
const CONTACTS = 300

/** Creates a family with some contacts and a form whose submissions cause notifications. */
export async function createFamily(
  service: CalledService,
  organizationId: string,
  place: PlaceKind,
): Promise<Family> {
  const { call } = service
  const path = `/operator/v1/organizations/${organizationId}`
  await postJson(call, path, { name: organizationId, place })
  const formId = `form-of-${organizationId}`
  await importRows(service, organizationId, 'forms', [formOf(formId)])
  await importRows(service, organizationId, 'contacts', Array.from({ length: CONTACTS }, contactOf))
  const { key } = (await postJson(call, `${path}/keys`, {})) as { readonly key: string }
  return { organizationId, formId, key }
}

function formOf(formId: string): object {
  const text = (id: string, type: string) => ({ id, type, label: id, required: true })
  return {
    formId,
    name: formId,
    isPublished: true,
    notificationEmails: ['office@example.com'],
    createdAt: '2025-01-10T12:00:00Z',
    publishedAt: '2025-01-12T12:00:00Z',
    fields: [
      { ...text('firstName', 'short_text'), contactField: 'firstName' },
      { ...text('email', 'email'), contactField: 'email' },
      text('message', 'long_text'),
    ],
  }
}

function contactOf(_: unknown, index: number): object {
  return {
    contactId: `c-${index}`,
    firstName: 'Ada',
    email: `contact${index}@example.com`,
    tags: [],
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    createdAt: '2025-01-10T12:00:00Z',
  }
}

async function importRows(
  { url, call }: CalledService,
  organizationId: string,
  kind: 'forms' | 'contacts',
  rows: readonly object[],
): Promise<void> {
  const lines = utf8(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const outcome = await importThroughService({
    organizationId,
    url,
    call,
    kind,
    format: 'ndjson',
    source: {
      open: async function* () {
        yield lines
      },
    },
    onProgress: () => undefined,
  })
  assert.equal(outcome.kind, 'imported', JSON.stringify(outcome))
}

/** Posts JSON to the operator interface. Returns the JSON of the answer. Throws for an answer that is not a success. */
export async function postJson(call: OperatorCall, path: string, body: object): Promise<unknown> {
  const response = await call('POST', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
