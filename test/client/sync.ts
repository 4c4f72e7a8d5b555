// Keeps a copy of an organization's contacts in a SQLite file: BASE=https://… KEY=ck_live_… node sync.ts contacts.db
// Run it as often as you like. It reads what changed since the last run, and goes on where it was interrupted.
import { DatabaseSync } from 'node:sqlite'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Contact = components['schemas']['Contact']

/**
 * The position up to which the copy is complete. In the middle of a read there is a cursor, which needs `updatedAfter`
 * beside it.
 */
interface Position {
  readonly updatedAfter: string
  readonly cursor: string | null
}

const { BASE = 'http://127.0.0.1:8787', KEY = '', PAGE_SIZE = '500' } = process.env
const BEGINNING: Position = { updatedAfter: '1970-01-01T00:00:00.000Z', cursor: null }

const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } })
const database = new DatabaseSync(process.argv[2] ?? 'contacts.db')
database.exec(`
  CREATE TABLE IF NOT EXISTS contacts (contact_id TEXT PRIMARY KEY, updated_at TEXT NOT NULL, contact TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS position (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), position TEXT NOT NULL);
`)
const saveContact = database.prepare('INSERT OR REPLACE INTO contacts VALUES (?, ?, ?)')
const savePosition = database.prepare('INSERT OR REPLACE INTO position VALUES (1, ?)')

function position(): Position {
  const row = database.prepare('SELECT position FROM position').get()
  return row === undefined ? BEGINNING : (JSON.parse(String(row.position)) as Position)
}

/** Rows and position are saved together or not at all. A row that comes again replaces its old version. */
function save(contacts: readonly Contact[], next: Position): void {
  database.exec('BEGIN')
  for (const contact of contacts)
    saveContact.run(contact.contactId, contact.updatedAt, JSON.stringify(contact))
  savePosition.run(JSON.stringify(next))
  database.exec('COMMIT')
}

async function readPage({ updatedAfter, cursor }: Position) {
  const query = { updatedAfter, limit: Number(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) }
  const { data, error, response } = await client.GET('/api/v1/contacts', { params: { query } })
  if (data === undefined) throw new Error(`The service answered ${response.status}: ${error.error}`)
  return data
}

for (let at = position(), hasMore = true; hasMore; at = position()) {
  const { data, pagination } = await readPage(at)
  // Changes come oldest first. The rows of the last instant are read again next time, so that none is missed.
  const updatedAfter = pagination.hasMore ? at.updatedAfter : (data.at(-1)?.updatedAt ?? at.updatedAfter)
  save(data, { updatedAfter, cursor: pagination.nextCursor })
  hasMore = pagination.hasMore
  console.log(`${data.length} contacts`)
}
