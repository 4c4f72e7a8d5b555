import type { Row } from '../engine/changes.ts'
import { textOf } from '../invariants/watch.ts'
import { organizationIds } from '../setting.ts'
import { bodyOf, type Client } from './client.ts'
import { checkRow, collections, readPage, readWith, type Collection, type Page } from './reader.ts'

/** The field by which each collection is ordered when nothing else is asked for, newest first, by its table. */
const NATURAL_ORDER: Readonly<Record<string, string>> = {
  contacts: 'createdAt',
  form_submissions: 'submittedAt',
  forms: 'createdAt',
  contact_lists: 'createdAt',
  automations: 'createdAt',
  automation_runs: 'startedAt',
}

/** The collections whose rows can also be read one by one. */
const WITH_DETAIL = collections.filter(({ table }) => table !== 'form_submissions')

/** A client that reads collections as a whole, newest first, single rows, and rows by what they have in common. */
export async function browse(client: Client): Promise<void> {
  while (!client.isOver()) {
    const organizationId = client.decide.pick('organization', organizationIds)
    const what = client.decide.pick('reads', ['a list', 'a list', 'a row', 'some rows', 'members'])
    if (what === 'a row') await readOne(organizationId, client)
    else if (what === 'some rows') await readFiltered(organizationId, client)
    else if (what === 'members') await readMembers(organizationId, client)
    else await readList(organizationId, client)
    await client.rest()
  }
}

async function readList(organizationId: string, client: Client): Promise<void> {
  const of = collections[client.decide.below('collection', collections.length)]
  if (of !== undefined) await readWhole(of.path, of, () => true, organizationId, client)
}

/** Reads rows that have a value in common, by a filter or below what they belong to. */
async function readFiltered(organizationId: string, client: Client): Promise<void> {
  const [contacts, submissions] = collections
  const runs = collections.at(-1)
  const known = client.stored.rowsOf(organizationId, 'contacts')
  const contact = known[client.decide.below('contact', known.length)]
  if (contact === undefined || contacts === undefined || submissions === undefined || runs === undefined)
    return
  const [email, phone, id] = [textOf(contact.email_key), textOf(contact.phone), textOf(contact.contact_id)]
  const form = `${organizationId}-open`
  const by = client.decide.pick('by', ['email', 'phone', 'contact', 'form', 'automation'])
  const whole = (path: string, of: Collection, isWanted: (row: Row) => boolean) =>
    readWhole(path, of, isWanted, organizationId, client)
  if (by === 'email' && email !== '')
    await whole(
      `${contacts.path}?email=${encodeURIComponent(email.toUpperCase())}`,
      contacts,
      (row) => row.email_key === email,
    )
  if (by === 'phone' && phone !== '')
    await whole(`${contacts.path}?phone=${phone.slice(2)}`, contacts, (row) => row.phone === phone)
  if (by === 'contact')
    await whole(`${submissions.path}?contactId=${id}`, submissions, (row) => row.contact_id === id)
  if (by === 'form')
    await whole(`/api/v1/forms/${form}/submissions`, submissions, (row) => row.form_id === form)
  if (by === 'automation') await whole('/api/v1/automations/welcome/runs', runs, () => true)
}

/**
 * Reads all pages of a list. They must have each row that was there at the beginning, once, and in order; the values by
 * which rows are wanted and sorted never change.
 */
async function readWhole(
  path: string,
  of: Collection,
  isWanted: (row: Row) => boolean,
  organizationId: string,
  client: Client,
): Promise<void> {
  const before = client.stored.rowsOf(organizationId, of.table).filter(isWanted)
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const query = `limit=${String(1 + client.decide.below('more rows', 6))}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: Page | null = await readPage(
      `${path}${path.includes('?') ? '&' : '?'}${query}`,
      organizationId,
      client,
    )
    if (page === null) return
    for (const row of page.data) checkRow(row, of, organizationId, client)
    rows.push(...page.data)
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  const ids = rows.map((row) => String(row[of.idField]))
  const missed = before.find((row) => !ids.includes(String(row[of.idColumn])))
  if (missed !== undefined || new Set(ids).size !== ids.length)
    client.violated(
      'a list has each row once',
      `${organizationId} ${path}: ${ids.join(' ')}, not ${JSON.stringify(missed)}`,
    )
  const places = rows.map((row) => `${String(row[NATURAL_ORDER[of.table] ?? ''])} ${String(row[of.idField])}`)
  const isSorted = places.every((place, index) => index === 0 || place < (places[index - 1] ?? ''))
  if (!isSorted)
    client.violated('a list begins with the newest row', `${organizationId} ${path}: ${places.join(', ')}`)
  const after = new Set(
    client.stored
      .rowsOf(organizationId, of.table)
      .filter(isWanted)
      .map((row) => String(row[of.idColumn])),
  )
  const foreign = ids.find((id) => !after.has(id))
  if (foreign !== undefined)
    client.violated('a list has the rows that were asked for', `${organizationId} ${path}: ${foreign}`)
}

async function readOne(organizationId: string, client: Client): Promise<void> {
  const of = WITH_DETAIL[client.decide.below('collection', WITH_DETAIL.length)]
  if (of === undefined) return
  const rows = client.stored.rowsOf(organizationId, of.table)
  const row = rows[client.decide.below('row', rows.length)]
  if (row === undefined) return
  const answer = await readWith(`${of.path}/${String(row[of.idColumn])}`, organizationId, client)
  if (answer === null) return
  const data = bodyOf(answer) as Row
  checkRow(data, of, organizationId, client)
  if (data[of.idField] !== row[of.idColumn]) client.violated('a row is found by its id', JSON.stringify(data))
}

async function readMembers(organizationId: string, client: Client): Promise<void> {
  const [contacts] = collections
  if (contacts === undefined) return
  const before = client.stored.rowsOf(organizationId, 'list_members').map((row) => String(row.contact_id))
  const ids: unknown[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const path = `/api/v1/contact-lists/guests/contacts?limit=100${query}`
    const page: Page | null = await readPage(path, organizationId, client)
    if (page === null) return
    for (const member of page.data) {
      const row = Object.entries(member).filter(([field]) => field !== 'addedAt')
      checkRow(Object.fromEntries(row), contacts, organizationId, client)
    }
    ids.push(...page.data.map((row) => row.contactId))
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  const missed = before.find((id) => !ids.includes(id))
  if (missed !== undefined || new Set(ids).size !== ids.length)
    client.violated(
      'a list has each of its members once',
      `${organizationId}: ${ids.join(' ')}, not ${missed ?? ''}`,
    )
}
