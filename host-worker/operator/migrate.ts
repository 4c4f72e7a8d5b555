import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { withFileLock } from '../launch/file-lock.mjs'
import { retryLocked } from './retry-locked.ts'

/** wrangler's own record of applied migrations, so that its commands and this one agree. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

export interface Migrations {
  readonly database: D1Database
  /** Directory of `NNNN_name.sql` files. */
  readonly directory: string
  /** Kept while migrations are applied, so that two processes do not apply the same one. */
  readonly lockPath: string
  readonly split: (sql: string) => readonly string[]
}

/** Applies the migrations that are missing from a local database, each in one transaction. Returns their names. */
export async function migrate(migrations: Migrations): Promise<readonly string[]> {
  if ((await missing(migrations)).length === 0) return []
  return withFileLock(migrations.lockPath, async () => {
    const names = await missing(migrations)
    for (const name of names) await apply(name, migrations)
    return names
  })
}

async function missing({ database, directory }: Migrations): Promise<readonly string[]> {
  const [, applied] = await retryLocked(() =>
    database.batch<{ name: string }>([
      database.prepare(CREATE_RECORD),
      database.prepare('SELECT name FROM d1_migrations'),
    ]),
  )
  const known = new Set(applied?.results.map(({ name }) => name))
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql') && !known.has(name))
    .sort()
}

async function apply(name: string, { database, directory, split }: Migrations): Promise<void> {
  const statements = split(readFileSync(join(directory, name), 'utf8'))
  await retryLocked(() =>
    database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ]),
  )
}
