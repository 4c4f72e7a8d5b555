import type { Row } from '../../engine/changes.ts'
import { textOf } from '../../invariants/watch.ts'
import { limitedFormOf, formLine, markOf, openFormOf, recipientsOf } from '../../setting.ts'
import { bodyOf, type Client } from '../client.ts'
import { importRows, importWrongly } from './imports.ts'

const CONTACTS = 5

type Action = (organizationId: string, client: Client, round: number) => Promise<void>

/** The actions of an operator. One that is listed several times is chosen more often. */
const ACTIONS = [
  ...(['replace a form', 'replace a form', 'replace contacts', 'replace contacts'] as const),
  ...(['unsubscribe', 'retry an entry', 'retry an entry'] as const),
] as const
const actions: Readonly<Record<(typeof ACTIONS)[number], Action>> = {
  'replace a form': (organizationId, client) =>
    importForm(
      client.decide.chance('limited form', 50) ? limitedFormOf(organizationId) : openFormOf(organizationId),
      organizationId,
      client,
    ),
  'replace contacts': (organizationId, client, round) => replaceContacts(organizationId, client, round),
  unsubscribe: (organizationId, client) => unsubscribe(organizationId, client),
  'retry an entry': (organizationId, client) => retryEntry(organizationId, client),
}

/** An operator who maintains one organization: its forms, contacts and keys, one action after another. */
export async function operate(organizationId: string, client: Client): Promise<void> {
  for (let round = 1; !client.isOver(); round += 1) {
    await actions[client.decide.pick('does', ACTIONS)](organizationId, client, round)
    await client.rest()
  }
}

/** Imports the next version of a form. */
export async function importForm(formId: string, organizationId: string, client: Client): Promise<void> {
  const { decide, reference, stored } = client
  const version = reference.versionsOf(formId).length + 1
  const next = {
    version,
    isPublished: !decide.chance('unpublishes', 15),
    recipients: recipientsOf(organizationId, version),
  }
  const begun = reference.formBegins(formId, next)
  const line = formLine(formId, begun)
  await importRows('forms', [line], organizationId, client)
  begun.acknowledgedAt = reference.now()
  const row = stored.rowOf(organizationId, 'forms', formId)
  const definition = JSON.parse(textOf(row?.definition) || '{}') as Row
  const isStored =
    row !== undefined &&
    row.name === line.name &&
    row.is_published === Number(line.isPublished) &&
    ['fields', 'successTitle', 'notificationEmails', 'submissionLimitPerContact'].every(
      (key) => JSON.stringify(definition[key]) === JSON.stringify(line[key]),
    )
  if (!isStored)
    client.violated('what an import wrote is stored', `${JSON.stringify(line)}: ${JSON.stringify(row)}`)
  client.happened('a form is replaced')
}

async function replaceContacts(organizationId: string, client: Client, round: number): Promise<void> {
  const { decide, stored } = client
  const mark = markOf(organizationId)
  const contacts = Array.from({ length: CONTACTS }, (_, index) => {
    const changed = decide.chance('changes a contact', 50) ? round : 0
    const column = decide.pick('changes', [
      'firstName',
      'lastName',
      'licensePlate',
      'source',
      'tags',
      'emailConsent',
    ])
    return {
      contactId: `imported-${index}`,
      firstName: `${mark} ${column === 'firstName' ? changed : 0}`,
      lastName: column === 'lastName' ? `L${changed}` : null,
      email: null,
      phone: null,
      licensePlate: column === 'licensePlate' ? `P${changed}` : null,
      tags: column === 'tags' ? [`t${changed}`] : [],
      emailConsent: column === 'emailConsent' && changed > 0 ? 'subscribed' : 'unknown',
      smsConsent: 'unknown',
      source: column === 'source' ? `S${changed}` : null,
      siteId: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
  })
  if (decide.chance('spoils the file', 15)) {
    const spoiled = contacts.map((contact) => ({ ...contact, firstName: `${mark} spoiled` }))
    await importWrongly('contacts', spoiled, organizationId, client)
  }
  await importRows('contacts', contacts, organizationId, client)
  checkContacts(contacts, organizationId, client)
  if (!decide.chance('imports again', 30)) return
  // A deployment adds the column `nickname`, which holds nothing.
  const rows = () =>
    contacts.map(({ contactId }) => ({
      ...stored.rowOf(organizationId, 'contacts', contactId),
      nickname: null,
    }))
  const before = JSON.stringify(rows())
  await importRows('contacts', contacts, organizationId, client)
  if (JSON.stringify(rows()) !== before)
    client.violated(
      'an import of the same rows changes nothing',
      `${organizationId}: ${before}, then ${JSON.stringify(rows())}`,
    )
  client.happened('rows are imported again as they are')
}

/** Checks that imported contacts are stored with everything that the file said. */
function checkContacts(
  contacts: readonly Readonly<Record<string, unknown>>[],
  organizationId: string,
  { stored, violated }: Client,
): void {
  for (const contact of contacts) {
    const row = stored.rowOf(organizationId, 'contacts', contact.contactId)
    const wrong = Object.keys(contact).find((field) => {
      const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const value = field === 'tags' ? JSON.stringify(contact.tags) : contact[field]
      return row?.[column] !== value
    })
    if (wrong !== undefined)
      violated(
        'what an import wrote is stored',
        `${organizationId}: ${wrong} of ${JSON.stringify(contact)} in ${JSON.stringify(row)}`,
      )
  }
}

/**
 * Imports a contact who no longer wants email or text messages. Only a contact for whom nothing is left to be filled,
 * so that the import takes nothing back that a submission or an automation writes meanwhile.
 */
async function unsubscribe(organizationId: string, client: Client): Promise<void> {
  const complete = client.stored
    .rowsOf(organizationId, 'contacts')
    .filter((row) => row.email !== null && row.phone !== null && row.tags === '["guest"]')
  const row = complete[client.decide.below('contact', complete.length)]
  if (row === undefined) return
  const column = client.decide.pick('unsubscribes from', ['emailConsent', 'smsConsent'])
  const contact = {
    contactId: row.contact_id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: row.phone,
    licensePlate: row.license_plate,
    tags: ['guest'],
    emailConsent: row.email_consent,
    smsConsent: row.sms_consent,
    source: row.source,
    siteId: row.site_id,
    createdAt: row.created_at,
    [column]: 'unsubscribed',
  }
  await importRows('contacts', [contact], organizationId, client)
  checkContacts([contact], organizationId, client)
  client.happened('a contact unsubscribes')
}

interface ListedEntry {
  readonly outboxId: string
  readonly organizationId: string
}

/** Asks to try an entry of the outbox again: one that waits, has failed, or is being worked on. */
async function retryEntry(_organizationId: string, client: Client): Promise<void> {
  const listed = await client.send({
    method: 'GET',
    path: '/operator/v1/outbox?limit=20',
    key: client.operatorKey,
  })
  if (listed?.status !== 200) return
  const { data } = bodyOf(listed) as { readonly data: readonly ListedEntry[] }
  const entry = data[client.decide.below('entry', data.length)]
  if (entry !== undefined) await retry(entry, client)
}

async function retry({ outboxId, organizationId }: ListedEntry, client: Client): Promise<void> {
  const path = `/operator/v1/outbox/${outboxId}/retry`
  const answer = await client.change({ action: 'outbox.retry', organizationId }, { method: 'POST', path })
  if (answer === null || answer.status >= 500) return
  if (![204, 404, 409].includes(answer.status))
    client.violated('an entry can be retried', `${outboxId}: ${answer.status} ${answer.text}`)
  if (answer.status === 409) client.happened('an entry is not retried while it is being worked on')
}

/** Asks to try every entry again that failed while a provider was broken. */
export async function retryFailed(entries: readonly ListedEntry[], client: Client): Promise<void> {
  for (const entry of entries) await retry(entry, client)
}
