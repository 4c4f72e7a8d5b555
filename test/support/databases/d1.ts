import { readdir, readFile } from 'node:fs/promises'
import type { D1Database } from '@cloudflare/workers-types'
import { migrationsOf } from '../../../adapters/node-sqlite/index.ts'
import { placeDatabase } from './d1-files.ts'
import { databasesAt, takeWrittenTables, type Prepared } from './database-worker.ts'

/** Real local D1 databases in temporary files. */
export interface LocalD1 {
  /** The next unused database. Throws when all have been used. */
  next(): Promise<D1Database>
  /** Closes the connections to the databases. A runtime that was started for them is stopped too. */
  dispose(): Promise<void>
}

/** The place of databases: what a process needs to open those of a runtime that another process started. */
export interface D1Place {
  readonly url: string
  /**
   * The directory of the runtime's files. A database starts with the image that is there before its first statement.
   */
  readonly files: string
  /** The names of the databases. */
  readonly bindings: readonly string[]
}

/** Opens databases as copies of an image. Disposing of them closes the connections; the runtime keeps running. */
export function databasesOf({ url, files, bindings }: D1Place, image: Uint8Array): LocalD1 {
  for (const binding of bindings) placeDatabase(files, binding, image)
  const databases = databasesAt(new URL(url))
  const unused = bindings.values()
  return {
    async next() {
      const { value: binding } = unused.next()
      if (binding === undefined) throw new Error(`All ${bindings.length} databases are in use`)
      return databases.of(binding)
    },
    async dispose() {
      databases.close()
    },
  }
}

/**
 * Deletes all rows of a database and keeps its schema, which costs a fraction of opening another database. Then runs
 * the first statements of its next user. It empties the tables that statements have named since the last time, and
 * checks whether triggers wrote to others, until every table is empty; usually that takes one call.
 */
export async function emptyDatabase(
  database: D1Database,
  tables: readonly string[],
  beginning: readonly Prepared[] = [],
): Promise<void> {
  const filled = tables.map((table) => `exists (select 1 from ${table}) as ${table}`)
  const look = database.prepare(`select ${filled.join(', ')}`)
  const begin = beginning.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
  let found = new Set<string>()
  do {
    const named = takeWrittenTables(database)
    const clearing = tables
      .filter((table) => named.has(table) || found.has(table))
      .map((table) => database.prepare(`delete from ${table}`))
    const answers = await database.batch<Readonly<Record<string, number>>>([...clearing, look, ...begin])
    const rows = answers[clearing.length]?.results[0]
    found = new Set(tables.filter((table) => rows?.[table] !== 0))
  } while (found.size > 0)
}

/** One statement of a migration. A trigger ends with its END, not with the statements in it. */
const STATEMENT = /CREATE TRIGGER[^]*?END;|[^;\s][^;]*;/g

/** Applies all migrations to an empty database. */
export async function applyMigrations(
  database: D1Database,
  migrations = migrationsOf('sqlite'),
): Promise<void> {
  await database.exec(await migrationScript(migrations))
}

/** All migrations in order, one statement per line, as D1's `exec` requires. */
async function migrationScript(migrations: URL): Promise<string> {
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort()
  const statements = await Promise.all(files.map((file) => migrationStatements(file, migrations)))
  return statements.flat().join('\n')
}

/** The statements of one migration, each on one line. */
export async function migrationStatements(
  file: string,
  migrations = migrationsOf('sqlite'),
): Promise<readonly string[]> {
  const script = await readFile(new URL(file, migrations), 'utf8')
  const statements = script.replaceAll(/--[^\n]*/g, '').match(STATEMENT) ?? []
  return statements.map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
}
