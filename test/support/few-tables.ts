import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../../adapters/durable-object/migration.ts'

/** The migrations with enough tables for everything that moves do. Moving few tables takes little time. */
const MIGRATIONS = ['0001_initial.sql', '0019_places.sql', '0021_moves.sql', '0024_tidied_moves.sql']
/** The view is read by a trigger of these migrations. `TRIGGER` must not fire for rows that move. */
const VIEW = `create view incoming_submissions as select '' as organization_id, '' as due_at where false;`
const TRIGGER = `create trigger contacts_tallied after insert on contacts begin
  update sites set name = name || '!' where organization_id = new.organization_id; end;`
/** The column and the index of the outbox that an object needs to find out when it must wake up. */
const WAKE_UP = `alter table outbox add column lease_token text;
  create index outbox_turns on outbox (organization_id, next_attempt_at, outbox_id) where status = 'pending';`

const folder = new URL('../../adapters/sqlite/migrations/', import.meta.url)

/** The migrations of a database with few tables. */
export const fewTables: readonly Migration[] = [
  { name: '0000', sql: VIEW },
  ...MIGRATIONS.map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') })),
  { name: '9999', sql: `${WAKE_UP} ${TRIGGER}` },
]

/** Such a database without rows. */
export function fewTablesImage(): Uint8Array {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of fewTables) database.exec(sql)
  return database.serialize()
}
