import { readdir, readFile } from 'node:fs/promises'
import type { D1Database, D1ExecResult, D1Result } from '@cloudflare/workers-types'
import { Miniflare } from 'miniflare'

const STORAGE_MIGRATIONS = new URL('../../adapters/d1/migrations/', import.meta.url)

/** Migrations of the legacy vendor's database. */
export const LEGACY_VENDOR_MIGRATIONS = new URL(
  '../../adapters/pos-legacy-vendor/migrations/',
  import.meta.url,
)

/** Real local D1 databases, empty but for the migrations, held in temporary files. */
export interface LocalD1 {
  /** The next database that nobody has used. Throws when all have been handed out. */
  next(): Promise<D1Database>
  /** Ends the runtime and drops every database. */
  dispose(): Promise<void>
}

interface Prepared {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

type WorkerRequest = { readonly binding: string } & (
  { readonly script: string } | { readonly batch: readonly Prepared[] }
)

/**
 * Runs statements beside the databases. Miniflare's own proxy of a database takes a blocking round trip for each
 * `prepare` and `bind`, ten times what the batch itself takes.
 */
const WORKER = `export default {
  async fetch(request, env) {
    const { binding, script, batch } = await request.json()
    try {
      if (script !== undefined) return Response.json({ answer: await env[binding].exec(script) })
      const prepared = batch.map(({ sql, parameters }) => env[binding].prepare(sql).bind(...parameters))
      return Response.json({ answer: await env[binding].batch(prepared) })
    } catch (error) {
      return Response.json({ error: error.message })
    }
  },
}`

/** Starts one runtime with `count` databases. Migrations are applied when a database is handed out. */
export async function openLocalD1(count = 1, migrations = STORAGE_MIGRATIONS): Promise<LocalD1> {
  const bindings = Array.from({ length: count }, (_, index) => `DB_${index}`)
  const runtime = new Miniflare({
    workers: [
      {
        config: {
          name: 'storage-test',
          compatibilityDate: '2026-01-01',
          manifest: { mainModule: 'index.mjs', modules: { 'index.mjs': { type: 'esm', contents: WORKER } } },
          env: Object.fromEntries(bindings.map((binding) => [binding, { type: 'd1', id: binding }])),
        },
      },
    ],
  })
  const run = async (request: WorkerRequest): Promise<unknown> => {
    const response = await runtime.dispatchFetch('http://d1/', {
      method: 'POST',
      body: JSON.stringify(request),
    })
    const outcome = (await response.json()) as { readonly answer?: unknown; readonly error?: string }
    if (outcome.error !== undefined) throw new Error(outcome.error)
    return outcome.answer
  }
  const unused = bindings.values()
  return {
    async next() {
      const { value: binding } = unused.next()
      if (binding === undefined) throw new Error(`All ${count} databases are in use`)
      const database = databaseOf(binding, run)
      await applyMigrations(database, migrations)
      return database
    },
    dispose: () => runtime.dispose(),
  }
}

/** The part of D1's interface that the storage and its tests use; anything else is missing, loudly. */
function databaseOf(binding: string, run: (request: WorkerRequest) => Promise<unknown>): D1Database {
  const batch = async (statements: readonly Prepared[]) =>
    (await run({ binding, batch: statements })) as readonly D1Result[]
  const prepare = (sql: string, parameters: readonly unknown[] = []) => ({
    sql,
    parameters,
    bind: (...given: readonly unknown[]) => {
      if (given.includes(undefined)) throw new TypeError(`D1 takes no undefined: ${sql}`)
      return prepare(sql, given)
    },
    all: async () => (await batch([{ sql, parameters }]))[0],
  })
  const database: unknown = {
    prepare: (sql: string) => prepare(sql),
    batch: (statements: readonly Prepared[]) =>
      batch(statements.map(({ sql, parameters }) => ({ sql, parameters }))),
    exec: async (script: string) => (await run({ binding, script })) as D1ExecResult,
  }
  return database as D1Database
}

/** One statement of a migration. A trigger ends with its END, not with the statements in it. */
const STATEMENT = /CREATE TRIGGER[^]*?END;|[^;\s][^;]*;/g

/** Brings an empty database up to the latest migration. */
export async function applyMigrations(database: D1Database, migrations = STORAGE_MIGRATIONS): Promise<void> {
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
  migrations = STORAGE_MIGRATIONS,
): Promise<readonly string[]> {
  const script = await readFile(new URL(file, migrations), 'utf8')
  const statements = script.replaceAll(/--[^\n]*/g, '').match(STATEMENT) ?? []
  return statements.map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
}
