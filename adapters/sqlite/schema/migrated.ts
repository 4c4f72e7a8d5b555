import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const MIGRATIONS = new URL('../migrations/', import.meta.url)

let image: Uint8Array | null = null

/**
 * A database in memory to which the migration files were applied. They are applied once in a process; each call copies
 * the result.
 */
export function migratedDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.deserialize((image ??= migratedImage()))
  return database
}

function migratedImage(): Uint8Array {
  const database = new DatabaseSync(':memory:')
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.endsWith('.sql')) database.exec(readFileSync(new URL(file, MIGRATIONS), 'utf8'))
  }
  return database.serialize()
}
