// Keeps a copy of an organization's contacts in a SQLite file: BASE=https://… KEY=ck_live_… node sync.ts contacts.db
// Run it as often as you like. It reads what changed and what was removed since the last run, and goes on where it was
// interrupted.
import { DatabaseSync } from 'node:sqlite'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

/**
 * The position up to which a collection was read. In the middle of a read there is a cursor, which needs `updatedAfter`
 * beside it.
 */
interface Position {
  readonly updatedAfter: string
  readonly cursor: string | null
  /** `updatedAt` of the last row that was read on the way. Left out: there was none. */
  readonly latest?: string
}

interface Page<Row> {
  readonly data: readonly Row[]
  readonly pagination: components['schemas']['Pagination']
}

const { BASE = 'http://127.0.0.1:8787', KEY = '', PAGE_SIZE = '500' } = process.env
const HOUR_MS = 3_600_000

const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } })
const database = new DatabaseSync(process.argv[2] ?? 'contacts.db')
database.exec(`
  CREATE TABLE IF NOT EXISTS contacts (contact_id TEXT PRIMARY KEY, updated_at TEXT NOT NULL, contact TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS positions (name TEXT PRIMARY KEY, position TEXT NOT NULL);
`)
const saveContact = database.prepare('INSERT OR REPLACE INTO contacts VALUES (?, ?, ?)')
// A contact of a later instant came again after it was removed.
const removeContact = database.prepare('DELETE FROM contacts WHERE contact_id = ? AND updated_at <= ?')
const begin = database.prepare('INSERT OR IGNORE INTO positions VALUES (?, ?)')
const savePosition = database.prepare('UPDATE positions SET position = ? WHERE name = ?')
const findPosition = database.prepare('SELECT position FROM positions WHERE name = ?')

/**
 * Reads on from where the last run ended. The rows of a page and the position are saved together or not at all, and a
 * row that comes again replaces its old version.
 */
async function follow<Row extends { readonly updatedAt: string }>(
  name: string,
  read: (query: { updatedAfter: string; limit: number; cursor?: string }) => Promise<Page<Row>>,
  save: (row: Row) => void,
): Promise<void> {
  for (let hasMore = true; hasMore;) {
    const { updatedAfter, cursor, latest = updatedAfter } = savedPosition(name)
    const page = await read({
      updatedAfter,
      limit: Number(PAGE_SIZE),
      ...(cursor === null ? {} : { cursor }),
    })
    hasMore = page.pagination.hasMore
    // Changes come oldest first, on any page: one may be empty although more follow. The rows of the last instant are read
    // again next time, so that none is missed.
    const last = page.data.at(-1)?.updatedAt ?? latest
    const { nextCursor } = page.pagination
    const next = hasMore
      ? { updatedAfter, cursor: nextCursor, latest: last }
      : { updatedAfter: last, cursor: null }
    database.exec('BEGIN')
    for (const row of page.data) save(row)
    savePosition.run(JSON.stringify(next), name)
    database.exec('COMMIT')
    console.log(`${page.data.length} ${name}`)
  }
}

function savedPosition(name: string): Position {
  return JSON.parse(String(findPosition.get(name)?.position)) as Position
}

/** The page in an answer. Throws when the service refused the request. */
function pageOf<Row>(answer: { data?: Page<Row>; error?: { error: string }; response: Response }): Page<Row> {
  if (answer.data !== undefined) return answer.data
  throw new Error(`The service answered ${answer.response.status}: ${answer.error?.error}`)
}

// What was removed before the copy was begun never came into it. A little earlier, because clocks differ.
for (const [name, beginMs] of [
  ['contacts', 0],
  ['removals', Date.now() - HOUR_MS],
] as const)
  begin.run(name, JSON.stringify({ updatedAfter: new Date(beginMs).toISOString(), cursor: null }))

await follow(
  'contacts',
  async (query) => pageOf(await client.GET('/api/v1/contacts', { params: { query } })),
  (contact) => saveContact.run(contact.contactId, contact.updatedAt, JSON.stringify(contact)),
)
await follow(
  'removals',
  async (query) =>
    pageOf(await client.GET('/api/v1/removals', { params: { query: { ...query, collection: 'contacts' } } })),
  ({ id, updatedAt }) => removeContact.run(id, updatedAt),
)
