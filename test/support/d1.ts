import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { Miniflare } from 'miniflare'
import { migrationsOf } from '../../adapters/node-sqlite/index.ts'
import { placeDatabase } from './d1-files.ts'
import { DATABASE_WORKER, databasesAt } from './database-worker.ts'
import { migratedImage } from './scratch-storage.ts'

/** Real local D1 databases, held in temporary files. */
export interface LocalD1 {
  /** The next database that nobody has used. Throws when all have been handed out. */
  next(): Promise<D1Database>
  /** Ends the runtime and drops every database. */
  dispose(): Promise<void>
}

/**
 * Starts one runtime with `count` databases, each a copy of the image: one that holds nothing but the service's
 * migrations, unless another one is given.
 */
export async function openLocalD1(count = 1, image = migratedImage()): Promise<LocalD1> {
  const bindings = Array.from({ length: count }, (_, index) => `DB_${index}`)
  const files = mkdtempSync(join(tmpdir(), 'd1-'))
  for (const binding of bindings) placeDatabase(files, binding, image)
  const runtime = new Miniflare({
    resourcePersistencePath: files,
    workers: [
      {
        config: {
          name: 'storage-test',
          compatibilityDate: '2026-01-01',
          manifest: {
            mainModule: 'index.mjs',
            modules: { 'index.mjs': { type: 'esm', contents: DATABASE_WORKER } },
          },
          env: Object.fromEntries(bindings.map((binding) => [binding, { type: 'd1', id: binding }])),
        },
        dev: { unsafeDirectSockets: [{}] },
      },
    ],
  })
  const databases = databasesAt(await runtime.unsafeGetDirectURL())
  const unused = bindings.values()
  return {
    async next() {
      const { value: binding } = unused.next()
      if (binding === undefined) throw new Error(`All ${count} databases are in use`)
      return databases.of(binding)
    },
    async dispose() {
      databases.close()
      await runtime.dispose()
      rmSync(files, { recursive: true, force: true })
    },
  }
}

/**
 * Takes every row of a database away and keeps its schema, which costs a fraction of opening another database. Triggers may
 * write to a table when rows of another go, so this looks again until every table is empty.
 */
export async function emptyDatabase(database: D1Database, tables: readonly string[]): Promise<void> {
  const filled = tables.map((table) => `exists (select 1 from ${table}) as ${table}`)
  const look = database.prepare(`select ${filled.join(', ')}`)
  let left: readonly string[] = []
  do {
    const clearing = left.map((table) => database.prepare(`delete from ${table}`))
    const answers = await database.batch<Readonly<Record<string, number>>>([...clearing, look])
    const found = answers.at(-1)?.results[0]
    left = tables.filter((table) => found?.[table] !== 0)
  } while (left.length > 0)
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
