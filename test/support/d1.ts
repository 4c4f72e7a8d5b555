import { readdir, readFile } from 'node:fs/promises'
import type { D1Database } from '@cloudflare/workers-types'
import { Miniflare } from 'miniflare'

const MIGRATIONS = new URL('../../adapters/d1/migrations/', import.meta.url)

/** Real local D1 databases, empty but for the migrations, held in temporary files. */
export interface LocalD1 {
  /** The next database that nobody has used. Throws when all have been handed out. */
  next(): Promise<D1Database>
  /** Ends the runtime and drops every database. */
  dispose(): Promise<void>
}

/** Starts one runtime with `count` databases. Migrations are applied when a database is handed out. */
export async function openLocalD1(count = 1): Promise<LocalD1> {
  const bindings = Array.from({ length: count }, (_, index) => `DB_${index}`)
  const runtime = new Miniflare({
    workers: [
      {
        config: {
          name: 'storage-test',
          compatibilityDate: '2026-01-01',
          manifest: {
            mainModule: 'index.mjs',
            modules: {
              'index.mjs': { type: 'esm', contents: 'export default { fetch: () => new Response() }' },
            },
          },
          env: Object.fromEntries(bindings.map((binding) => [binding, { type: 'd1', id: binding }])),
        },
      },
    ],
  })
  const unused = bindings.values()
  return {
    async next() {
      const { value: binding } = unused.next()
      if (binding === undefined) throw new Error(`All ${count} databases are in use`)
      const database = await runtime.getD1Database(binding)
      await applyMigrations(database)
      return database
    },
    dispose: () => runtime.dispose(),
  }
}

/** Brings an empty database up to the latest migration. */
export async function applyMigrations(database: D1Database): Promise<void> {
  await database.exec(await migrationScript())
}

/** All migrations in the order in which they are applied, a statement a line, as D1's `exec` wants them. */
async function migrationScript(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()
  const scripts = await Promise.all(files.map((file) => readFile(new URL(file, MIGRATIONS), 'utf8')))
  return scripts
    .flatMap((script) => script.replaceAll(/--[^\n]*/g, '').split(';'))
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
    .map((statement) => `${statement};`)
    .join('\n')
}
