import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitStatements } from '../../adapters/sqlite/index.ts'

/** A step by which a database comes up to date. */
export interface Migration {
  readonly name: string
  readonly statements: () => readonly string[]
}

/** What `migrate-worker.mjs` is asked. */
export interface MigrationRequest {
  /** The binding of the database. */
  readonly binding: string
  readonly name?: string
  readonly statements?: readonly string[]
}

/** The migrations of a directory of `NNNN_name.sql` files, in the order of their names. */
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
 * Applies the migrations that are missing from a local database, each in one transaction, in their order.
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
