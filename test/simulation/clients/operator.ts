import { createHash } from 'node:crypto'
import { limitedFormOf, formLine, markOf, openFormOf, recipientsOf } from '../setting.ts'
import type { Answer } from '../service/network.ts'
import type { KnownKey } from '../reference.ts'
import { UNLIMITED } from '../reference.ts'
import type { Client } from './client.ts'
import { bodyOf } from './client.ts'

const RETRY_MAX_MS = 20_000
const CONTACTS = 5

type Action = (organizationId: string, client: Client, round: number) => Promise<void>

/** The actions of an operator. One that is listed several times is chosen more often. */
const ACTIONS = [
  ...(['replace a form', 'replace a form', 'replace contacts', 'replace contacts'] as const),
  ...(['issue a key', 'revoke a key', 'rotate a key', 'retry an entry'] as const),
] as const
const actions: Readonly<Record<(typeof ACTIONS)[number], Action>> = {
  'replace a form': (organizationId, client) => replaceForm(organizationId, client),
  'replace contacts': (organizationId, client, round) => replaceContacts(organizationId, client, round),
  'issue a key': (organizationId, client) => issueKey(organizationId, client),
  'revoke a key': (organizationId, client) => revokeKey(organizationId, client),
  'rotate a key': (organizationId, client) => rotateKey(organizationId, client),
  'retry an entry': (organizationId, client) => retryEntry(organizationId, client),
}

/** An operator who maintains one organization: its forms, contacts and keys, one action after another. */
export async function operate(organizationId: string, client: Client): Promise<void> {
  for (let round = 1; !client.isOver(); round += 1) {
    await actions[client.decide.pick('does', ACTIONS)](organizationId, client, round)
    await client.rest()
  }
}

async function replaceForm(organizationId: string, client: Client): Promise<void> {
  const { decide, reference } = client
  const formId = decide.chance('limited form', 50)
    ? limitedFormOf(organizationId)
    : openFormOf(organizationId)
  const version = reference.versionsOf(formId).length + 1
  const next = {
    version,
    isPublished: !decide.chance('unpublishes', 15),
    recipients: recipientsOf(organizationId, version),
  }
  const begun = reference.formBegins(formId, next)
  await importRows('forms', [formLine(formId, begun)], organizationId, client)
  begun.acknowledgedAt = reference.now()
}

async function replaceContacts(organizationId: string, client: Client, round: number): Promise<void> {
  const contacts = Array.from({ length: CONTACTS }, (_, index) => ({
    contactId: `imported-${index}`,
    firstName: `${markOf(organizationId)} ${client.decide.chance('renames a contact', 50) ? round : 0}`,
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    tags: [],
    createdAt: '2026-01-01T00:00:00.000Z',
  }))
  await importRows('contacts', contacts, organizationId, client)
  for (const { contactId, firstName } of contacts) {
    const [row] = client.stored.look(
      'select first_name from contacts where organization_id = ? and contact_id = ?',
      organizationId,
      contactId,
    )
    if (row?.first_name !== firstName)
      client.violated('what an import wrote is stored', `${organizationId} ${contactId}`)
  }
}

interface Session {
  readonly importId: string
  readonly state: string
  readonly nextPart: number
}

/** Imports rows, and repeats that until an answer says that they are stored. */
async function importRows(
  kind: string,
  rows: readonly object[],
  organizationId: string,
  client: Client,
): Promise<void> {
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const digest = createHash('sha256').update(bytes).digest()
  const whole = createHash('sha256').update(digest).digest('base64url')
  const all = `/operator/v1/organizations/${organizationId}/imports`
  const key = client.operatorKey
  const opening = { action: 'import.open', organizationId }
  const committing = { action: 'import.commit', organizationId }
  for (;;) {
    const file = JSON.stringify({ kind, format: 'ndjson', totalBytes: bytes.length, digest: whole })
    let session = sessionIn(await client.change(opening, { method: 'POST', path: all, body: file }), client)
    const one = `${all}/${session?.importId ?? ''}`
    if (session?.state === 'receiving' && session.nextPart === 1) {
      const headers = {
        'content-type': 'application/octet-stream',
        'content-digest': `sha-256=:${digest.toString('base64')}:`,
      }
      session = sessionIn(
        await client.send({ method: 'PUT', path: `${one}/parts/1`, key, headers, body: bytes.toString() }),
        client,
      )
    }
    if (session?.state === 'receiving')
      session = sessionIn(await client.change(committing, { method: 'POST', path: `${one}/commit` }), client)
    while (session?.state === 'writing') {
      await client.pause(client.decide.delayMs('waits', RETRY_MAX_MS))
      session = sessionIn(await client.send({ method: 'POST', path: `${one}/write`, key }), client)
    }
    if (session?.state === 'done') return
    if (session?.state === 'refused') {
      client.violated('a good file is imported', `${organizationId} ${kind}`)
      return
    }
    await client.pause(client.decide.delayMs('waits', RETRY_MAX_MS))
  }
}

/**
 * The session in an answer; null when there is none. An import may only be refused because of a conflict with another
 * import.
 */
function sessionIn(answer: Answer | null, client: Client): Session | null {
  if (answer?.status === 200) return bodyOf(answer) as Session
  const isExpected = answer === null || answer.status === 409 || answer.status >= 500
  if (!isExpected) client.violated('a good file is imported', `${answer.status} ${answer.text}`)
  return null
}

const KEYS_MAX = 4

async function issueKey(organizationId: string, client: Client): Promise<void> {
  const { reference } = client
  if (workingKeys(organizationId, client).length >= KEYS_MAX) return
  const path = `/operator/v1/organizations/${organizationId}/keys`
  const answer = await client.change(
    { action: 'key.issue', organizationId },
    { method: 'POST', path, body: '{}' },
  )
  if (answer?.status !== 201) return
  const { key, keyId } = bodyOf(answer) as { readonly key: string; readonly keyId: string }
  reference.keys.push({ organizationId, keyId, text: key, state: 'works', ...UNLIMITED })
}

function workingKeys(organizationId: string, { reference }: Client): readonly KnownKey[] {
  return reference.keys.filter((key) => key.organizationId === organizationId && key.state === 'works')
}

/** Revokes a key, and repeats that until an answer confirms it. The last working key is kept. */
async function revokeKey(organizationId: string, client: Client): Promise<void> {
  const working = workingKeys(organizationId, client)
  const key = working[client.decide.below('key', working.length)]
  if (working.length < 2 || key === undefined) return
  key.state = 'ending'
  for (;;) {
    const request = { method: 'POST', path: `/operator/v1/keys/${key.keyId}/revoke` } as const
    const answer = await client.change({ action: 'key.revoke', organizationId }, request)
    if (answer?.status === 204) break
    await client.pause(client.decide.delayMs('waits', RETRY_MAX_MS))
  }
  key.state = 'revoked'
}

/** Rotates a key. When no answer arrives, the old key is no longer used, and the new one is unknown. */
async function rotateKey(organizationId: string, client: Client): Promise<void> {
  const working = workingKeys(organizationId, client)
  const key = working[client.decide.below('key', working.length)]
  if (working.length < 2 || key === undefined) return
  key.state = 'ending'
  const path = `/operator/v1/keys/${key.keyId}/rotate`
  const body = JSON.stringify({ overlap: '1m' })
  const answer = await client.change({ action: 'key.rotate', organizationId }, { method: 'POST', path, body })
  if (answer?.status !== 201) return
  const successor = bodyOf(answer) as {
    readonly key: string
    readonly keyId: string
    readonly replacedEndsAt: string
  }
  key.endsAtMs = Date.parse(successor.replacedEndsAt)
  const { key: text, keyId } = successor
  client.reference.keys.push({ organizationId, keyId, text, state: 'works', ...UNLIMITED })
}

interface ListedEntry {
  readonly outboxId: string
  readonly organizationId: string
}

/** Asks to try a waiting or failed entry of the outbox again. */
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
  await client.change({ action: 'outbox.retry', organizationId }, { method: 'POST', path })
}

/** Asks to try every entry again that failed while a provider was broken. */
export async function retryFailed(entries: readonly ListedEntry[], client: Client): Promise<void> {
  for (const entry of entries) await retry(entry, client)
}
