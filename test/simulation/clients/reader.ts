import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../engine/changes.ts'
import { published } from '../invariants/versions.ts'
import { markOf, organizationIds } from '../setting.ts'
import { bodyOf, type Client } from './client.ts'

/** A collection that readers sync: its path, the field with the id, its table, and the column of the id there. */
export interface Collection {
  readonly path: string
  readonly idField: string
  readonly table: string
  readonly idColumn: string
  /** Fields that are taken from other rows. */
  readonly joined: readonly string[]
}

export const collections: readonly Collection[] = [
  collection('/api/v1/contacts', 'contactId', 'contacts', 'contact_id'),
  collection('/api/v1/forms/submissions', 'submissionId', 'form_submissions', 'submission_id', ['formName']),
  collection('/api/v1/forms', 'formId', 'forms', 'form_id'),
  collection('/api/v1/contact-lists', 'listId', 'contact_lists', 'list_id'),
  collection('/api/v1/automations', 'automationId', 'automations', 'automation_id'),
  collection('/api/v1/automations/runs', 'runId', 'automation_runs', 'run_id'),
]

function collection(
  path: string,
  idField: string,
  table: string,
  idColumn: string,
  joined: readonly string[] = [],
): Collection {
  return { path, idField, table, idColumn, joined }
}

export interface Page {
  readonly organizationId: string
  readonly data: readonly Row[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** A reader's copy of an organization's collection. */
export interface Copy {
  readonly organizationId: string
  readonly collection: Collection
  /** The whole rows, by their ids. */
  readonly rows: Map<string, Row>
  /** Where the next sync begins. */
  from: string
}

export function newCopies(): readonly Copy[] {
  return organizationIds.flatMap((organizationId) =>
    collections.map((of) => ({
      organizationId,
      collection: of,
      rows: new Map<string, Row>(),
      from: '2000-01-01T00:00:00.000Z',
    })),
  )
}

/** A client that keeps copies of an organization's collections up to date by forward syncs. */
export async function read(copies: readonly Copy[], client: Client): Promise<void> {
  while (!client.isOver()) {
    // Contacts and submissions change most often.
    const index = client.decide.pick('syncs', [0, 0, 1, 1, 2, 3, 4, 5])
    const copy = copies[index]
    if (copy !== undefined) await sync(copy, client)
    await client.rest()
  }
}

/** Reads everything that changed since the last sync, page by page. False: the sync could not finish. */
export async function sync(copy: Copy, client: Client): Promise<boolean> {
  const { organizationId, collection: of, rows } = copy
  const before = instantsOf(copy, client)
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({
      updatedAfter: copy.from,
      limit: String(1 + client.decide.below('more rows', 4)),
    })
    if (cursor !== null) query.set('cursor', cursor)
    const page = await readPage(`${of.path}?${query.toString()}`, organizationId, client)
    if (page === null) return false
    for (const row of page.data) {
      checkRow(row, of, organizationId, client)
      rows.set(String(row[of.idField]), row)
    }
    checkNothingMissed(copy, page, client)
    cursor = page.pagination.nextCursor
    const last = page.data.at(-1)
    if (cursor === null && last !== undefined) copy.from = String(last.updatedAt)
  } while (cursor !== null)
  checkUpToDate(copy, before, client)
  return true
}

/** The `updatedAt` of each stored row, by its id. */
function instantsOf({ organizationId, collection: of }: Copy, { stored }: Client) {
  const rows = stored.rowsOf(organizationId, of.table)
  return new Map(rows.map((row) => [String(row[of.idColumn]), row.updated_at]))
}

/**
 * Checks that a sync has every row that was stored when it began, empty pages included. A row that has changed meanwhile
 * may have moved beyond the last page.
 */
function checkUpToDate(copy: Copy, before: ReturnType<typeof instantsOf>, client: Client): void {
  for (const [id, updatedAt] of instantsOf(copy, client))
    if (before.get(id) === updatedAt && copy.rows.get(id)?.updatedAt !== updatedAt)
      client.violated(
        'a sync has every row that was there when it began',
        `${copy.organizationId} ${copy.collection.table} ${id} of ${String(updatedAt)}`,
      )
}

/** Reads a page with a key that works; null: no page arrived. */
export async function readPage(path: string, organizationId: string, client: Client): Promise<Page | null> {
  const answer = await readWith(path, organizationId, client)
  if (answer === null) return null
  const page = bodyOf(answer) as Page
  checkTenant(page, answer.text, organizationId, client)
  return page
}

/** Reads with a key of an organization that works; null: no answer arrived, or one that says that the service failed. */
export async function readWith(path: string, organizationId: string, client: Client) {
  const key = client.reference.workingKey(organizationId, 'read')
  if (key === undefined) return null
  const answer = await client.send({ method: 'GET', path, key: key.text })
  if (answer === null || answer.status >= 500) return null
  if (answer.status === 200) return answer
  if (key.state === 'works')
    client.violated('a good key reads', `${key.keyId}: ${answer.status} ${answer.text}`)
  return null
}

function checkTenant(page: Page, text: string, organizationId: string, { violated }: Client): void {
  const foreign = organizationIds.find((other) => other !== organizationId && text.includes(markOf(other)))
  if (page.organizationId !== organizationId || foreign !== undefined)
    violated(
      'no tenant sees rows of another',
      `${organizationId} was given rows of ${foreign ?? page.organizationId}`,
    )
}

/** Checks that a row is, in all its fields, the one that was stored at its `updatedAt`. */
export function checkRow(
  row: Row,
  { table, idField, joined }: Collection,
  organizationId: string,
  { versions, violated }: Client,
): void {
  const id = String(row[idField])
  const stored = versions.publishedAt(organizationId, table, id, String(row.updatedAt))
  const own = Object.fromEntries(Object.entries(row).filter(([field]) => !joined.includes(field)))
  if (!isDeepStrictEqual(own, stored))
    violated(
      'a reader is given rows as they are stored',
      `${organizationId} ${id}: ${JSON.stringify(own)}, not ${JSON.stringify(stored)}`,
    )
}

/**
 * Checks that up to the last row of a page, the copy has every stored row. Rows that have changed since come later in
 * the order.
 */
function checkNothingMissed(
  { organizationId, collection: of, rows }: Copy,
  page: Page,
  client: Client,
): void {
  const last = page.data.at(-1)
  if (last === undefined) return
  const place = placeOf(String(last.updatedAt), String(last[of.idField]))
  const missed = client.stored
    .rowsOf(organizationId, of.table)
    .filter((row) => placeOf(String(row.updated_at), String(row[of.idColumn])) <= place)
    .find((row) => rows.get(String(row[of.idColumn]))?.updatedAt !== row.updated_at)
  if (missed !== undefined)
    client.violated(
      'a forward sync misses nothing',
      `${organizationId} ${String(missed[of.idColumn])} of ${String(missed.updated_at)}, before ${place}`,
    )
}

/** A text that sorts as a row does in a forward sync. */
function placeOf(updatedAt: string, id: string): string {
  return `${updatedAt} ${id}`
}

/** Checks, after the last sync, that a copy equals the stored collection, row by row and field by field. */
export function checkComplete(
  { organizationId, collection: of, rows }: Copy,
  { stored: all, violated }: Client,
): void {
  const stored = all.rowsOf(organizationId, of.table)
  const wrong = stored.find((row) => {
    const copied = rows.get(String(row[of.idColumn])) ?? {}
    return !Object.entries(published(of.table, row)).every(([field, value]) =>
      isDeepStrictEqual(copied[field], value),
    )
  })
  if (wrong !== undefined || stored.length !== rows.size)
    violated(
      'a forward sync is complete',
      `${organizationId}: ${rows.size} of ${stored.length} of ${of.table}, ${JSON.stringify(wrong)}`,
    )
}
