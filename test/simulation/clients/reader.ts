import { markOf, organizationIds } from '../setting.ts'
import type { Client } from './client.ts'
import { bodyOf } from './client.ts'

/** A collection that readers sync: its path and its table. */
interface Collection {
  readonly path: string
  readonly idField: string
  readonly table: string
  readonly idColumn: string
}

const collections: readonly Collection[] = [
  { path: '/api/v1/contacts', idField: 'contactId', table: 'contacts', idColumn: 'contact_id' },
  {
    path: '/api/v1/forms/submissions',
    idField: 'submissionId',
    table: 'form_submissions',
    idColumn: 'submission_id',
  },
]

interface Page {
  readonly organizationId: string
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** A reader's copy of an organization's collection. */
export interface Copy {
  readonly organizationId: string
  readonly collection: Collection
  /** The `updatedAt` of each row, by its id. */
  readonly rows: Map<string, string>
  /** Where the next sync begins. */
  from: string
}

export function newCopies(): readonly Copy[] {
  return organizationIds.flatMap((organizationId) =>
    collections.map((collection) => ({
      organizationId,
      collection,
      rows: new Map<string, string>(),
      from: '2000-01-01T00:00:00.000Z',
    })),
  )
}

/** A client that keeps a copy up to date by forward syncs. */
export async function read(copy: Copy, client: Client): Promise<void> {
  while (!client.isOver()) {
    await sync(copy, client)
    if (client.decide.chance('tries an ended key', 30)) await tryEndedKey(copy, client)
    await client.rest()
  }
}

/** Reads everything that changed since the last sync, page by page. False: the sync could not finish. */
export async function sync(copy: Copy, client: Client): Promise<boolean> {
  const { organizationId, collection, rows } = copy
  let cursor: string | null = null
  do {
    const { keys } = client.reference
    const key = keys.findLast((known) => known.organizationId === organizationId && known.state === 'works')
    if (key === undefined) return false
    const query = new URLSearchParams({
      updatedAfter: copy.from,
      limit: String(1 + client.decide.below('more rows', 4)),
    })
    if (cursor !== null) query.set('cursor', cursor)
    const path = `${collection.path}?${query.toString()}`
    const answer = await client.send({ method: 'GET', path, key: key.text })
    if (answer === null || answer.status >= 500) return false
    if (answer.status !== 200) {
      const mayBeRefused = client.reference.keys.some((known) => known === key && known.state !== 'works')
      if (!mayBeRefused) client.violated('a good key reads', `${key.keyId}: ${answer.status} ${answer.text}`)
      return false
    }
    const page = bodyOf(answer) as Page
    checkTenant(page, answer.text, organizationId, client)
    for (const row of page.data) rows.set(String(row[collection.idField]), String(row.updatedAt))
    checkNothingMissed(copy, page, client)
    cursor = page.pagination.nextCursor
    const last = page.data.at(-1)
    if (cursor === null && last !== undefined) copy.from = String(last.updatedAt)
  } while (cursor !== null)
  return true
}

function checkTenant(page: Page, text: string, organizationId: string, { violated }: Client): void {
  const foreign = organizationIds.find((other) => other !== organizationId && text.includes(markOf(other)))
  if (page.organizationId !== organizationId || foreign !== undefined)
    violated(
      'no tenant sees rows of another',
      `${organizationId} was given rows of ${foreign ?? page.organizationId}`,
    )
}

/**
 * Checks that up to the last row of a page, the copy has every stored row. Rows that have changed since come later in
 * the order.
 */
function checkNothingMissed(
  { organizationId, collection, rows }: Copy,
  page: Page,
  { stored: all, violated }: Client,
): void {
  const last = page.data.at(-1)
  if (last === undefined) return
  const { idField, idColumn, table } = collection
  const place = [String(last.updatedAt), String(last[idField])] as const
  const stored = all.look(
    `select ${idColumn} as id, updated_at from ${table} where organization_id = ? and (updated_at, ${idColumn}) <= (?, ?)`,
    organizationId,
    ...place,
  )
  const missed = stored.find((row) => rows.get(String(row.id)) !== row.updated_at)
  if (missed !== undefined)
    violated(
      'a forward sync misses nothing',
      `${organizationId} ${String(missed.id)} of ${String(missed.updated_at)}, before ${place.join(' ')}`,
    )
}

/** Checks, after the last sync, that a copy equals the stored collection, row by row. */
export function checkComplete(
  { organizationId, collection, rows }: Copy,
  { stored: all, violated }: Client,
): void {
  const { idColumn, table } = collection
  const stored = all.look(
    `select ${idColumn} as id, updated_at from ${table} where organization_id = ?`,
    organizationId,
  )
  const missed = stored.find((row) => rows.get(String(row.id)) !== row.updated_at)
  if (missed !== undefined || stored.length !== rows.size)
    violated(
      'a forward sync is complete',
      `${organizationId}: ${rows.size} of ${stored.length} of ${table}, ${String(missed?.id)}`,
    )
}

async function tryEndedKey({ organizationId, collection }: Copy, client: Client): Promise<void> {
  const ended = client.reference.keys.filter(
    (key) => key.organizationId === organizationId && client.hasEnded(key),
  )
  const key = ended[client.decide.below('ended key', ended.length)]
  if (key === undefined) return
  const answer = await client.send({ method: 'GET', path: `${collection.path}?limit=1`, key: key.text })
  if (answer !== null && answer.status !== 401 && answer.status < 500)
    client.violated('a key that has ended reads nothing', `${key.keyId}: ${answer.status}`)
}
