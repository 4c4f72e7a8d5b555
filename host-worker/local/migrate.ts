import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitStatements } from './split-statements.ts'

export interface Migrations {
  /** The binding of the database. */
  readonly binding: string
  /** Directory of `NNNN_name.sql` files. */
  readonly directory: string
}

/** What `migrate-worker.mjs` is asked. */
export interface MigrationRequest {
  readonly binding: string
  readonly name?: string
  readonly statements?: readonly string[]
}

/**
 * Applies the migrations that are missing from a local database, each in one transaction, in the order of their names.
 * Returns their names.
 * @param ask sends a request to `migrate-worker.mjs`
 */
export async function migrate(
  { binding, directory }: Migrations,
  ask: (request: MigrationRequest) => Promise<unknown>,
): Promise<readonly string[]> {
  const applied = new Set((await ask({ binding })) as readonly string[])
  const missing = readdirSync(directory)
    .filter((name) => name.endsWith('.sql') && !applied.has(name))
    .sort()
  for (const name of missing) {
    const statements = splitStatements(readFileSync(join(directory, name), 'utf8'))
    await ask({ binding, name, statements })
  }
  return missing
}
