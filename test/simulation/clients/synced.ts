import type { Row } from '../engine/changes.ts'
import { passing } from '../setting.ts'
import { bodyOf, type Client } from './client.ts'
import { insist, type Life } from './life.ts'

/** The collections of the copy, by the names that removals have for them. */
const SYNCED = [
  {
    name: 'contacts',
    path: '/api/v1/contacts',
    idField: 'contactId',
    table: 'contacts',
    column: 'contact_id',
  },
  {
    name: 'form-submissions',
    path: '/api/v1/forms/submissions',
    idField: 'submissionId',
    table: 'form_submissions',
    column: 'submission_id',
  },
] as const

interface Page {
  readonly data: readonly Row[]
  readonly pagination: { readonly nextCursor: string | null }
}

/**
 * Reads what changed and what was removed since the last sync. If nothing was written meanwhile, the copy must be equal
 * to what is stored.
 */
export async function syncWithRemovals(life: Life, client: Client): Promise<void> {
  const clock = () => client.stored.rowOf(passing.organizationId, 'organizations')?.clock_at
  const { rows, from } = life.copy
  const before = clock()
  life.key ??= await issueKey(client)
  for (const { name, path, idField } of SYNCED) {
    const changed = await readAll(path, name, life, client)
    if (changed === null) return
    for (const row of changed) {
      rows.set(`${name} ${String(row[idField])}`, String(row.updatedAt))
      from.set(name, String(row.updatedAt))
    }
  }
  const removed = await readAll('/api/v1/removals', 'removals', life, client)
  if (removed === null) return
  for (const { collection, id, updatedAt } of removed) {
    const key = `${String(collection)} ${String(id)}`
    // A row that is later came again.
    if ((rows.get(key) ?? '') <= String(updatedAt)) rows.delete(key)
    from.set('removals', String(updatedAt))
  }
  if (before !== clock()) return
  const stored = SYNCED.flatMap(({ name, table, column }) =>
    client.stored
      .rowsOf(passing.organizationId, table)
      .map((row) => `${name} ${String(row[column])} ${String(row.updated_at)}`),
  )
  const copied = [...rows].map(([key, updatedAt]) => `${key} ${updatedAt}`)
  if (stored.sort().join() !== copied.sort().join())
    client.violated(
      'a copy with removals equals its source',
      `${passing.organizationId}: ${copied.join()}, not ${stored.join()}`,
    )
  client.happened('a copy with removals is compared')
}

async function issueKey(client: Client): Promise<string> {
  return (bodyOf(await insist('key.issue', '/keys', {}, client)) as { readonly key: string }).key
}

/** Every row since the last sync; null: no answer arrived. */
async function readAll(
  path: string,
  name: string,
  life: Life,
  client: Client,
): Promise<readonly Row[] | null> {
  const rows: Row[] = []
  const updatedAfter = life.copy.from.get(name) ?? '2026-01-01T00:00:00.000Z'
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = new URLSearchParams({ limit: '3', updatedAfter, ...(cursor === '' ? {} : { cursor }) })
    const answer = await client.send({
      method: 'GET',
      path: `${path}?${query.toString()}`,
      key: life.key ?? '',
    })
    if (answer === null || answer.status >= 500) return null
    if (answer.status !== 200) {
      client.violated('a good key reads', `${passing.organizationId}: ${answer.status} ${answer.text}`)
      return null
    }
    const page = bodyOf(answer) as Page
    rows.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  return rows
}
