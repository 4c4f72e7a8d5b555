import type { Answer } from '../../service/processes/network.ts'
import { passing } from '../../setting.ts'
import { leavesNothing, namesNobody } from '../../invariants/passing.ts'
import { textOf } from '../../invariants/watch.ts'
import { exportAgain, restoreAgain } from './archived.ts'
import { bodyOf, type Client } from '../client.ts'
import { importRows } from './imports.ts'
import { begins, insist, newSyncedCopy, type Life } from '../life.ts'
import { syncWithRemovals } from '../synced.ts'

/** How long a call may still do something whose answer was lost, in ms. */
const LATE_MS = 3_600_000
const DAY_MS = 86_400_000

const PRESENT = ['erase', 'delete', 'fill', 'delete rows', 'retain', 'export', 'sync', 'delete'] as const
const ABSENT = ['restore', 'create', 'restore'] as const
/** The longest rest, in ms: shorter than that of others, because a life has many parts. */
const REST_MAX_MS = 5_000

type Action = (life: Life, client: Client) => Promise<void>
const actions: Readonly<Record<(typeof PRESENT | typeof ABSENT)[number], Action>> = {
  create,
  fill,
  erase,
  'delete rows': deleteRows,
  retain,
  export: exportAgain,
  restore: restoreAgain,
  delete: deleteAll,
  sync: (life, client) => syncWithRemovals(life, client),
}

/**
 * An operator who makes an organization, fills it, erases people, deletes rows, sets how long submissions are kept,
 * deletes all of it, and restores it from an archive. Nobody else changes it but the service itself, so that each change
 * of it can be accounted for.
 */
export async function removeAgain(client: Client): Promise<void> {
  // Where it is not decided, as in the record of an earlier run, nothing of that is done.
  if (!client.decide.chance('removes', 80)) return
  const life: Life = {
    people: passing.people,
    erasing: new Set(),
    isThere: true,
    archive: null,
    key: null,
    copy: newSyncedCopy(),
  }
  while (!client.isOver()) {
    const does = life.isThere ? client.decide.pick('does', PRESENT) : client.decide.pick('does', ABSENT)
    await actions[does](life, client)
    await client.pause(client.decide.delayMs('rests', REST_MAX_MS))
  }
  // The copy is complete at last, too.
  if (life.isThere) await syncWithRemovals(life, client)
}

function expectStatus(
  what: string,
  { status, text }: Answer,
  wanted: readonly number[],
  client: Client,
): boolean {
  if (!wanted.includes(status)) client.violated(what, `${passing.organizationId}: ${status} ${text}`)
  return status === 200 || status === 201
}

async function create(life: Life, client: Client): Promise<void> {
  const place = client.decide.pick('place', ['shared', 'own'])
  const answer = await insist('organization.save', '', { name: 'Passing', place }, client)
  if (expectStatus('an id that was freed can be used', answer, [200, 201], client)) begins(life, client)
}

/** Imports the form, or else another person with submissions: with the contact, and without one. */
async function fill(life: Life, client: Client): Promise<void> {
  const { decide, nowMs, stored } = client
  const { organizationId, formId } = passing
  if (stored.rowOf(organizationId, 'forms', formId) === undefined) {
    const form = { formId, name: 'Form', isPublished: true, notificationEmails: [], fields: [] }
    await importRows('forms', [form], organizationId, client)
    return
  }
  const number = (life.people += 1)
  const submittedAt = new Date(nowMs() - decide.below('days ago', 7) * DAY_MS).toISOString()
  await importRows('contacts', [passing.contactOf(number)], organizationId, client)
  await importRows('form-submissions', passing.submissionsOf(number, submittedAt), organizationId, client)
  client.happened('an organization that passes is filled')
}

async function erase(life: Life, client: Client): Promise<void> {
  if (life.people === 0) return
  const number = 1 + client.decide.below('person', life.people)
  life.erasing.add(number)
  for (let next: string | null | undefined; next !== null;) {
    const asked = {
      contactIds: [],
      emails: [passing.addressOf(number)],
      phones: [],
      ...(next === undefined ? {} : { next }),
    }
    const answer = await insist('contact.erase', '/contacts/erase', asked, client)
    // An import may have been left open by a call whose answer was lost.
    if (!expectStatus('a person can be erased', answer, [200, 409], client)) return
    ;({ next } = bodyOf(answer) as { readonly next: string | null })
  }
  client.reference.passing.erased.add(number)
  namesNobody(client.stored, number, client.violated)
  client.happened('a person is erased')
}

async function deleteRows(_life: Life, client: Client): Promise<void> {
  const rows = client.stored.rowsOf(passing.organizationId, 'form_submissions')
  const id = textOf(rows[client.decide.below('submission', rows.length)]?.submission_id)
  if (id === '') return
  client.reference.passing.asked.add(id)
  const answer = await insist('rows.delete', '/rows/form-submissions/delete', { ids: [id] }, client)
  if (!expectStatus('a row can be deleted', answer, [200, 409], client)) return
  if (client.stored.rowOf(passing.organizationId, 'form_submissions', id) !== undefined)
    client.violated('what was deleted is gone', id)
  client.happened('a row is deleted')
}

async function retain(_life: Life, client: Client): Promise<void> {
  const days = client.decide.pick('days', [2, 4, null])
  client.reference.passing.days.add(days ?? Infinity)
  const answer = await insist('retention.set', '/retention', { submissions: days }, client)
  expectStatus('a retention can be set', answer, [200], client)
}

async function deleteAll(life: Life, client: Client): Promise<void> {
  if (life.archive === null) await exportAgain(life, client)
  let wasLost = false
  for (let isDone = false; !isDone;) {
    const answer = await insist('organization.delete', '/delete', { confirm: passing.organizationId }, client)
    wasLost ||= answer.wasLost
    // After a lost answer, it may be gone already.
    if (!expectStatus('an organization can be deleted', answer, wasLost ? [200, 404] : [200], client)) break
    ;({ isDone } = bodyOf(answer) as { readonly isDone: boolean })
  }
  life.isThere = false
  leavesNothing(client.stored, client.violated)
  client.happened('an organization is deleted')
  // A call that is late would delete the next one, too.
  if (wasLost) await client.pause(LATE_MS)
}
