import assert from 'node:assert/strict'
import { walk, type ApiRow } from '../support/data/walk.ts'
import type { Family } from './moves/fleet.ts'
import type { Receipt } from './load.ts'
import { sampled } from './sampled.ts'
import { createSyncedCopy, type SyncedCopy } from './synced-copy.ts'

/** The values of a submission that are compared. */
interface SeenSubmission {
  readonly message: string
  readonly contactId: string
}

/** The answers that clients of one family got, and copies of what they can read. */
export interface Told {
  readonly family: Family
  readonly receipts: Receipt[]
  readonly submissions: SyncedCopy<SeenSubmission>
  /** The email address of each contact. */
  readonly contacts: SyncedCopy<string>
}

export function createTold(family: Family): Told {
  const { formId, key } = family
  return {
    family,
    receipts: [],
    submissions: createSyncedCopy(
      { path: `/api/v1/forms/${formId}/submissions`, idField: 'submissionId', keep: seenSubmission },
      key,
    ),
    contacts: createSyncedCopy(
      { path: '/api/v1/contacts', idField: 'contactId', keep: ({ email }) => String(email) },
      key,
    ),
  }
}

/**
 * Refreshes the copies and compares them with the answers: each receipt has its row with the posted values, no post
 * made two rows, and each row has its contact.
 * @param since the number of receipts that have been compared before
 */
export async function assertKept({ receipts, submissions, contacts }: Told, origin: string, since = 0) {
  await Promise.all([submissions.refresh(origin), contacts.refresh(origin)])
  const fresh = receipts.slice(since)
  const lost = fresh.filter(
    ({ submissionId, marker }) => submissions.rows.get(submissionId)?.message !== marker,
  )
  assert.deepEqual(sampled(lost), [], `${lost.length} of ${fresh.length} receipts have no row`)
  const bare = fresh.filter(
    ({ submissionId }) => !contacts.rows.has(submissions.rows.get(submissionId)?.contactId ?? ''),
  )
  assert.deepEqual(sampled(bare), [], `${bare.length} of ${fresh.length} receipts have no contact`)
}

/**
 * Compares everything: all receipts are there, no post is there twice, each person is one contact, and the copies are
 * complete.
 */
export async function assertWhole(told: Told, origin: string): Promise<void> {
  await assertKept(told, origin)
  const { submissions, contacts, family } = told
  const messages = [...submissions.rows.values()].map(({ message }) => message)
  assert.equal(new Set(messages).size, messages.length, 'a post was saved twice')
  const emails = [...contacts.rows.values()]
  assert.equal(new Set(emails).size, emails.length, 'a person is two contacts')
  assert.deepEqual(sampled(await submissions.differences(origin)), [], 'the copy of submissions differs')
  assert.deepEqual(sampled(await contacts.differences(origin)), [], 'the copy of contacts differs')
  const { rows } = await walk(origin, '/api/v1/forms/submissions?limit=500', family.key)
  assert.equal(rows.length, submissions.rows.size, 'a submission is listed twice')
}

function seenSubmission({ answers, contactId }: ApiRow): SeenSubmission {
  const { message } = answers as Readonly<Record<string, unknown>>
  return { message: String(message), contactId: String(contactId) }
}
