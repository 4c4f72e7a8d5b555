import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { mailboxTables } from '../../adapters/local/index.ts'
import type { Migration, MigrationRequest } from './migrate.ts'
import { migrate, migrationsIn } from './migrate.ts'
import { projectRoot } from './root.ts'
import { earlierStateNotice, localSecrets, persistPath } from './state.ts'
import { projectWranglerFile } from './wrangler-file.ts'

/** A service that runs until the program that started it ends, on a free port of the loopback interface. */
export interface OwnService {
  readonly url: string
  close(): Promise<void>
}

const MIGRATOR = 'migrator'

/** The migrations of each database, by its binding. */
const migrationsOf: Readonly<Record<string, () => readonly Migration[]>> = {
  DB: () => [
    ...migrationsIn(migrationsDirectory('sqlite')),
    // Its statements make what is missing. With another name they are applied again, after one was added.
    { name: 'local_mailbox_2', statements: () => mailboxTables },
  ],
  POS_LEGACY: () => migrationsIn(migrationsDirectory('pos-legacy-vendor')),
}

function migrationsDirectory(adapter: string): string {
  return join(projectRoot, 'adapters', adapter, 'migrations')
}

/**
 * Starts the service on a state directory, with the runtime and the database files of `npm start`, but without the
 * parts for developers (reloading, static files, the queue). Applies missing migrations first. No other service may run
 * on the directory at the same time.
 * @param report called with errors that the service logs, and with what the user of the directory should know
 */
export async function startOwnService(
  directory: string,
  report: (line: string) => void,
): Promise<OwnService> {
  const notice = earlierStateNotice(directory)
  if (notice !== null) report(notice)
  const [modules, { Miniflare }] = await Promise.all([builtModules(), import('miniflare')])
  const runtime = new Miniflare({
    resourcePersistencePath: persistPath(directory),
    handleStructuredLogs: ({ level, message }: { readonly level: string; readonly message: string }) => {
      if (level === 'error' || level === 'warn') report(message)
    },
    workers: workersOf(modules, localSecrets(directory)),
  })
  try {
    const migrator = await runtime.unsafeGetDirectURL(MIGRATOR)
    for (const binding of Object.keys(localDatabases()))
      await migrate(binding, migrationsOf[binding]?.() ?? [], (request) => ask(migrator, request))
    const { origin: url } = await runtime.unsafeGetDirectURL(serviceName())
    return { url, close: () => runtime.dispose() }
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}

/** The ids of the databases in `wrangler.toml` that have migrations here, by binding. */
export function localDatabases(): Readonly<Record<string, string>> {
  const ids = projectWranglerFile()
    .d1_databases.filter(({ binding }) => binding in migrationsOf)
    .map(
      ({ binding, database_id, preview_database_id }) =>
        [binding, preview_database_id ?? database_id ?? binding] as const,
    )
  return Object.fromEntries(ids)
}

/** Modules by path, with the entry first. */
type Modules = Readonly<Record<string, string>>

function workersOf(service: Modules, secrets: Readonly<Record<string, string | undefined>>) {
  const bound = Object.entries(localDatabases()).map(
    ([binding, id]) => [binding, { type: 'd1', id }] as const,
  )
  const buckets = projectWranglerFile().r2_buckets.map(
    ({ binding, bucket_name: name }) => [binding, { type: 'r2', name }] as const,
  )
  const given = Object.entries({ ...secrets, ...variables() })
  const texts = given.map(([name, value = '']) => [name, { type: 'text', value }] as const)
  const migrator = readFileSync(join(import.meta.dirname, 'migrate-worker.mjs'), 'utf8')
  const { env, exports } = families()
  const name = serviceName()
  const serving = workerOf(name, service, {
    ...Object.fromEntries<Binding>([...bound, ...buckets, ...texts]),
    ...env,
    LOCAL_START: localStart,
  })
  return [
    { ...serving, config: { ...serving.config, exports } },
    workerOf(MIGRATOR, { 'migrator.js': migrator }, Object.fromEntries(bound)),
  ]
}

/** The binding by which the Worker knows a local start. Nobody calls it. */
const localStart: Binding = {
  type: 'fetcher',
  handler: async () => Promise.reject(new Error('LOCAL_START is only a mark')),
}

/** A binding of a Worker in the local runtime. */
type Binding =
  | { readonly type: 'd1'; readonly id: string }
  | { readonly type: 'r2'; readonly name: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'fetcher'; readonly handler: () => Promise<never> }
  | { readonly type: 'durable-object'; readonly worker: string; readonly exportName: string }
type Bindings = Readonly<Record<string, Binding>>

function workerOf(name: string, given: Modules, env: Bindings) {
  const { compatibility_date: compatibilityDate } = projectWranglerFile()
  const modules = Object.fromEntries(
    Object.entries(given).map(([path, contents]) => [path, { type: 'esm' as const, contents }]),
  )
  const [mainModule = ''] = Object.keys(given)
  return {
    config: { name, compatibilityDate, manifest: { mainModule, modules }, env },
    dev: { unsafeDirectSockets: [{}] },
  }
}

/** The service's name in `wrangler.toml`. The files of its objects are stored under that name. */
export function serviceName(): string {
  return projectWranglerFile().name
}

/** The Durable Object classes in `wrangler.toml`, and their bindings. */
function families() {
  const { bindings } = projectWranglerFile().durable_objects
  const worker = serviceName()
  const env = bindings.map(({ name, class_name }) => {
    return [name, { type: 'durable-object', worker, exportName: class_name }] as const
  })
  const exports = bindings.map(({ class_name }) => {
    return [class_name, { type: 'durable-object', storage: 'sqlite' }] as const
  })
  return { env: Object.fromEntries<Binding>(env), exports: Object.fromEntries(exports) }
}

/** The variables of `wrangler.toml`. */
function variables(): Readonly<Record<string, string>> {
  const given = Object.entries(projectWranglerFile().vars)
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

async function ask(migrator: URL, request: MigrationRequest): Promise<unknown> {
  const response = await fetch(migrator, { method: 'POST', body: JSON.stringify(request) })
  if (!response.ok) throw new Error(`Migrating the local database failed: ${await response.text()}`)
  return response.json()
}

/** The modules of the Worker by path. */
async function builtModules(): Promise<Modules> {
  const [{ bundleWorker }, { buildBrowserParts }, { buildConsole }] = await Promise.all([
    import('../bundle/bundle-worker.mjs'),
    import('../browser/build.mjs'),
    import('../console/build.mjs'),
  ])
  // The parts for browsers belong to the Worker. A fresh clone does not have them yet, and after an update those of before
  // may lack what the Worker imports.
  if (!isBuilt('browser', 'form-client.mjs')) await buildBrowserParts()
  if (!isBuilt('console', 'entry.mjs')) await buildConsole()
  const { files } = await bundleWorker()
  const modules = files
    .filter(({ path }) => path.endsWith('.js'))
    .map(({ path, contents }) => [path, new TextDecoder().decode(contents)] as const)
  return Object.fromEntries(modules)
}

/** Whether a part for browsers was built since the module changed by which the Worker imports it. */
function isBuilt(part: string, built: string): boolean {
  const folder = join(projectRoot, 'host-worker', part)
  const found = statSync(join(folder, 'dist', built), { throwIfNoEntry: false })
  return found !== undefined && found.mtimeMs >= statSync(join(folder, 'built.mjs')).mtimeMs
}
