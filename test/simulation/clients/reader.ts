import { markOf, organizationIds } from '../setting.ts'
import type { Client } from './client.ts'
import { bodyOf } from './client.ts'

interface Row {
  readonly contactId: string
  readonly updatedAt: string
}

interface Page {
  readonly organizationId: string
  readonly data: readonly Row[]
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: string | null }
}

/** The copy of an organization's contacts that a sync keeps. */
export interface Copy {
  readonly organizationId: string
  readonly rows: Map<string, Row>
  /** Where the next sync begins. */
  from: string
}

export function newCopy(organizationId: string): Copy {
  return { organizationId, rows: new Map(), from: '2000-01-01T00:00:00.000Z' }
}

/** Somebody who keeps a copy of an organization's contacts by forward syncs. */
export async function read(copy: Copy, client: Client): Promise<void> {
  while (!client.isOver()) {
    await sync(copy, client)
    if (client.draw.chance(30)) await tryRevokedKey(copy, client)
    await client.rest()
  }
}

/** Reads what changed since the last time, page by page. False: it came to no end. */
export async function sync(copy: Copy, client: Client): Promise<boolean> {
  const { organizationId } = copy
  let cursor: string | null = null
  for (;;) {
    const key = client.reference.keys.findLast(
      (known) => known.organizationId === organizationId && known.state === 'works',
    )
    if (key === undefined) return false
    const parameters = {
      updatedAfter: copy.from,
      limit: String(1 + client.draw.below(4)),
      ...(cursor === null ? {} : { cursor }),
    }
    const query = new URLSearchParams(parameters).toString()
    const answer = await client.send({ method: 'GET', path: `/api/v1/contacts?${query}`, key: key.text })
    if (answer === null || answer.status >= 500) return false
    if (answer.status === 401 || answer.status === 400) {
      if (key.state === 'works' && !client.isRotating())
        client.violated('a good key reads', `${key.keyId}: ${answer.status} ${answer.text}`)
      return false
    }
    const page = bodyOf(answer) as Page
    checkTenant(page, answer.text, organizationId, client)
    for (const row of page.data) copy.rows.set(row.contactId, row)
    checkNothingMissed(copy, page, client)
    if (!page.pagination.hasMore) {
      copy.from = page.data.at(-1)?.updatedAt ?? copy.from
      return true
    }
    cursor = page.pagination.nextCursor
  }
}

function checkTenant(page: Page, text: string, organizationId: string, { violated }: Client): void {
  const foreign = organizationIds.find((other) => other !== organizationId && text.includes(markOf(other)))
  if (page.organizationId !== organizationId || foreign !== undefined)
    violated(
      'no tenant sees rows of another',
      `${organizationId} was given rows of ${foreign ?? page.organizationId}`,
    )
}

/** Up to the last row of a page, the copy has every contact as it is stored: whatever changed since comes later in the order. */
function checkNothingMissed(copy: Copy, page: Page, { database, violated }: Client): void {
  const last = page.data.at(-1)
  if (last === undefined) return
  const stored = database.look(
    'select contact_id, updated_at from contacts where organization_id = ? and (updated_at, contact_id) <= (?, ?)',
    copy.organizationId,
    last.updatedAt,
    last.contactId,
  )
  const missed = stored.find((row) => copy.rows.get(String(row.contact_id))?.updatedAt !== row.updated_at)
  if (missed !== undefined)
    violated(
      'a forward sync misses nothing',
      `${copy.organizationId} ${String(missed.contact_id)} of ${String(missed.updated_at)}, before ${last.updatedAt} ${last.contactId}`,
    )
}

async function tryRevokedKey({ organizationId }: Copy, client: Client): Promise<void> {
  const revoked = client.reference.keys.filter(
    (key) => key.organizationId === organizationId && key.state === 'revoked',
  )
  const key = revoked[client.draw.below(revoked.length)]
  if (key === undefined) return
  const answer = await client.send({ method: 'GET', path: '/api/v1/contacts?limit=1', key: key.text })
  if (answer !== null && answer.status !== 401 && answer.status < 500)
    client.violated('a revoked key reads nothing', `${key.keyId}: ${answer.status}`)
}
