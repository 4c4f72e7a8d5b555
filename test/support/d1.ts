import { readdir, readFile } from 'node:fs/promises'
import type { D1Database } from '@cloudflare/workers-types'
import { migrationsOf } from '../../adapters/node-sqlite/index.ts'
import { placeDatabase } from './d1-files.ts'
import type { Prepared } from './database-worker.ts'
import { databasesAt, takeWrittenTables } from './database-worker.ts'

/** Real local D1 databases, held in temporary files. */
export interface LocalD1 {
  /** The next database that nobody has used. Throws when all have been handed out. */
  next(): Promise<D1Database>
  /** Ends the connections to the databases; those that were opened in a runtime of their own go with it. */
  dispose(): Promise<void>
}

/** Where databases are: what a process has to know to open those of a runtime that another one started. */
export interface D1Place {
  readonly url: string
  /** Directory of the runtime's files: a database begins as the image that is there before its first statement. */
  readonly files: string
  /** The names of the databases. */
  readonly bindings: readonly string[]
}

/** Opens databases as copies of an image. Disposing of them ends the connections; the runtime goes on. */
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
 * Takes every row of a database away and keeps its schema, which costs a fraction of opening another database; then runs
 * the statements with which its next user begins. It empties the tables that statements have named since the last time,
 * and looks whether triggers wrote to others too, until every table is empty: mostly that is one call.
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

/** Brings an empty database up to the latest migration. */
export async function applyMigrations(
  database: D1Database,
  migrations = migrationsOf('sqlite'),
): Promise<void> {
  await database.exec(await migrationScript(migrations))
}

/** All migrations in the order in which they are applied, a statement a line, as D1's `exec` wants them. */
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
