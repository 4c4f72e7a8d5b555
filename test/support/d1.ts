import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { D1Database, D1ExecResult, D1Result } from '@cloudflare/workers-types'
import { Miniflare } from 'miniflare'

import { migrationsOf } from '../../adapters/node-sqlite/index.ts'
import { migratedImage } from './scratch-storage.ts'

/** Real local D1 databases, held in temporary files. */
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

interface WorkerAnswer {
  readonly answer?: unknown
  readonly error?: string
}

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
          manifest: { mainModule: 'index.mjs', modules: { 'index.mjs': { type: 'esm', contents: WORKER } } },
          env: Object.fromEntries(bindings.map((binding) => [binding, { type: 'd1', id: binding }])),
        },
        dev: { unsafeDirectSockets: [{}] },
      },
    ],
  })
  const url = await runtime.unsafeGetDirectURL()
  const agent = new Agent({ keepAlive: true })
  const run = async (work: WorkerRequest): Promise<unknown> => {
    const outcome = (await post(url, agent, JSON.stringify(work))) as WorkerAnswer
    if (outcome.error !== undefined) throw new Error(outcome.error)
    return outcome.answer
  }
  const unused = bindings.values()
  return {
    async next() {
      const { value: binding } = unused.next()
      if (binding === undefined) throw new Error(`All ${count} databases are in use`)
      return databaseOf(binding, run)
    },
    async dispose() {
      agent.destroy()
      await runtime.dispose()
      rmSync(files, { recursive: true, force: true })
    },
  }
}

/** Posts JSON and reads JSON, at a fifth of what Miniflare's own way to a Worker costs. */
async function post(url: URL, agent: Agent, body: string): Promise<unknown> {
  const sent = request(url, { method: 'POST', agent, headers: { 'content-length': Buffer.byteLength(body) } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return json(response)
}

/** The object of the local simulator that keeps a D1 database. */
const KEEPER = 'miniflare-D1DatabaseObject'

/**
 * Puts a database where the local simulator looks for the one with this id before it makes an empty one. Writing the file
 * takes a hundredth of the time in which the simulator applies the migrations.
 */
function placeDatabase(files: string, id: string, image: Uint8Array): void {
  const folder = join(files, 'd1', KEEPER)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${objectId(KEEPER, id)}.sqlite`), image)
}

/** The id of a Durable Object by its name, as the simulator computes it: the file is named after it. */
function objectId(uniqueKey: string, name: string): string {
  const key = createHash('sha256').update(uniqueKey).digest()
  const named = createHmac('sha256', key).update(name).digest().subarray(0, 16)
  const checked = createHmac('sha256', key).update(named).digest().subarray(0, 16)
  return Buffer.concat([named, checked]).toString('hex')
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

/**
 * Takes every row of a database away and keeps its schema, which costs a fraction of opening another database. Triggers may
 * write to a table when rows of another go, so this looks again until every table is empty.
 */
export async function emptyDatabase(database: D1Database, tables: readonly string[]): Promise<void> {
  const filled = tables.map((table) => `exists (select 1 from ${table}) as ${table}`)
  const look = database.prepare(`select ${filled.join(', ')}`)
  for (;;) {
    const [found] = (await look.all<Readonly<Record<string, number>>>()).results
    const left = tables.filter((table) => found?.[table] !== 0)
    if (left.length === 0) return
    await database.batch(left.map((table) => database.prepare(`delete from ${table}`)))
  }
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
