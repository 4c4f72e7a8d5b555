import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const MIGRATIONS = new URL('../migrations/', import.meta.url)

/** A database in memory to which the migration files were applied. */
export function migratedDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.endsWith('.sql')) database.exec(readFileSync(new URL(file, MIGRATIONS), 'utf8'))
  }
  return database
}
