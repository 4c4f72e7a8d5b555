import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitStatements } from '../../adapters/sqlite/index.ts'

/** One migration of a database. */
export interface Migration {
  readonly name: string
  readonly statements: () => readonly string[]
}

/** A request to `migrate-worker.mjs`. */
export interface MigrationRequest {
  /** The binding of the database. */
  readonly binding: string
  readonly name?: string
  readonly statements?: readonly string[]
}

/** The migrations in a folder of `NNNN_name.sql` files, sorted by name. */
export function migrationsIn(directory: string): readonly Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      statements: () => splitStatements(readFileSync(join(directory, name), 'utf8')),
    }))
}

/**
 * Applies the missing migrations of a local database in order, each in one transaction.
 * @param ask sends a request to `migrate-worker.mjs`
 */
export async function migrate(
  binding: string,
  migrations: readonly Migration[],
  ask: (request: MigrationRequest) => Promise<unknown>,
): Promise<void> {
  const applied = new Set((await ask({ binding })) as readonly string[])
  for (const { name, statements } of migrations)
    if (!applied.has(name)) await ask({ binding, name, statements: statements() })
}
