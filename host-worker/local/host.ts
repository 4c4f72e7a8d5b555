import type { Miniflare, MiniflareOptions } from 'miniflare'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { projectRoot, projectWranglerFile } from './project.ts'
import { adoptEarlierState, localSecrets, persistPath } from './state.ts'

/** The Worker of a developer's machine (host-worker/dev/worker.ts) on the local runtime. */
export interface LocalHost {
  readonly url: string
  /** Fires the cron trigger, and waits until its work is done. */
  fireCron(): Promise<void>
  /**
   * Builds the Worker anew and, if it is another one than before, loads it: connections that are open then break.
   * Resolves with whether it is.
   */
  reload(): Promise<boolean>
  close(): Promise<void>
}

export interface HostOptions {
  /** The port on the loopback interface; 0: a free one. */
  readonly port: number
  /** Whether the service is for everybody, with the demo, static files and the queue, or for one command alone. */
  readonly isWhole: boolean
  /** Further variables of the Worker. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** Called with the lines that the Worker logs. */
  readonly log: (line: string, isProblem: boolean) => void
  /** Whether the runtime's debugger listens, on a port of its own: for measurements of memory alone. */
  readonly hasInspector?: boolean
}

/**
 * Starts the service on a state directory, with the runtime that `wrangler dev` has and on the same files. No other
 * service may run on the directory at the same time. Unlike `wrangler dev` it has no proxy in front, which would take
 * the host of a request from a header that any page can set, and no debugger, which tells secrets to any page.
 */
export async function startHost(directory: string, options: HostOptions): Promise<LocalHost> {
  adoptEarlierState(directory)
  const { Log, LogLevel, Miniflare } = await import('miniflare')
  const configured = async (): Promise<MiniflareOptions> => ({
    host: '127.0.0.1',
    port: options.port,
    ...(options.hasInspector === true ? { inspectorPort: 0 } : {}),
    resourcePersistencePath: persistPath(directory),
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    handleStructuredLogs: ({ level, message }) => {
      options.log(message, level === 'error' || level === 'warn')
    },
    workers: [await workerOn(directory, options)],
  })
  let loaded = await configured()
  const runtime = new Miniflare(loaded)
  try {
    const { origin: url } = await runtime.ready
    return {
      url,
      fireCron: () => fireCron(runtime, serviceName()),
      reload: async () => {
        const built = await configured()
        // A file that is written again as it was, or that the Worker does not have, must break nobody's connection.
        if (isDeepStrictEqual(built.workers, loaded.workers)) return false
        loaded = built
        await runtime.setOptions(built)
        return true
      },
      close: () => runtime.dispose(),
    }
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}

/**
 * Fires the cron trigger of a Worker, and waits until its work is done.
 *
 * Miniflare makes the first call of a method with its thread blocked until the answer comes. Meanwhile nobody reads what
 * the Worker logs, so a Worker that logs much would wait for ever. An argument whose content is read while it is sent
 * makes the call an ordinary one, which the Worker does not look at.
 */
export async function fireCron(runtime: Miniflare, name: string): Promise<void> {
  const worker: { scheduled(event: object, unread: Blob): Promise<unknown> } = await runtime.getWorker(name)
  await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date() }, new Blob())
}

/** The service's name in `wrangler.toml`. The files of its objects are stored under that name. */
export function serviceName(): string {
  return projectWranglerFile().name
}

type WorkerOptions = MiniflareOptions['workers'][number]
type Bindings = NonNullable<WorkerOptions['config']['env']>

/** The Worker as `wrangler.toml` describes it. */
async function workerOn(directory: string, { isWhole, variables = {} }: HostOptions): Promise<WorkerOptions> {
  const { name, compatibility_date: compatibilityDate, durable_objects, queues } = projectWranglerFile()
  const classes = durable_objects.bindings.map(({ class_name }) => class_name)
  const consumers = isWhole ? queues.consumers : []
  return {
    config: {
      name,
      compatibilityDate,
      manifest: { mainModule: MAIN, modules: await builtModules(isWhole) },
      env: {
        ...bindingsOf(isWhole),
        ...textsOf({ ...localSecrets(directory), ...variables, ...(isWhole ? {} : { LOCAL_DEMO: 'no' }) }),
      },
      exports: Object.fromEntries(
        classes.map((each) => [each, { type: 'durable-object' as const, storage: 'sqlite' as const }]),
      ),
      ...(isWhole ? { assets: staticFiles() } : {}),
      triggers: consumers.map(({ queue, max_batch_size, max_batch_timeout, max_retries }) => ({
        type: 'queue' as const,
        name: queue,
        ...(max_batch_size === undefined ? {} : { maxBatchSize: max_batch_size }),
        ...(max_batch_timeout === undefined ? {} : { maxBatchTimeout: max_batch_timeout }),
        ...(max_retries === undefined ? {} : { maxRetries: max_retries }),
      })),
    },
  }
}

function bindingsOf(isWhole: boolean): Bindings {
  const { name, vars, d1_databases, r2_buckets, queues, durable_objects } = projectWranglerFile()
  const made: Bindings = { ...textsOf(vars) }
  for (const { binding, preview_database_id, database_id } of d1_databases)
    made[binding] = { type: 'd1', id: preview_database_id ?? database_id ?? binding }
  for (const { binding, bucket_name } of r2_buckets) made[binding] = { type: 'r2', name: bucket_name }
  for (const { name: binding, class_name } of durable_objects.bindings)
    made[binding] = { type: 'durable-object', worker: name, exportName: class_name }
  if (!isWhole) return made
  for (const { binding, queue } of queues.producers) made[binding] = { type: 'queue', name: queue }
  // So that the Worker can refuse them too.
  return { ...made, ASSETS: { type: 'assets' } }
}

function textsOf(given: Readonly<Record<string, unknown>>): Bindings {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        { type: 'text', value: typeof value === 'string' ? value : JSON.stringify(value) },
      ]),
  )
}

function staticFiles() {
  const directory = join(projectRoot, 'host-worker', 'pages', 'public')
  return { directory, htmlHandling: 'none', runWorkerFirst: true, hasUserWorker: true } as const
}

const MAIN = 'worker.js'

/** The modules of the Worker by path. What browsers load is built for a whole service, else only where it is missing. */
async function builtModules(isWhole: boolean) {
  const [{ bundleWorker, LOCAL }, { buildBrowserParts }, { buildConsole }] = await Promise.all([
    import('../bundle/bundle-worker.mjs'),
    import('../browser/build.mjs'),
    import('../console/build.mjs'),
  ])
  // The parts for browsers belong to the Worker. A fresh clone does not have them yet, and after an update those of before
  // may lack what the Worker imports.
  if (isWhole || !isBuilt('browser', 'form-client.mjs')) await buildBrowserParts()
  if (isWhole || !isBuilt('console', 'entry.mjs')) await buildConsole()
  const { files } = await bundleWorker(LOCAL)
  const modules = files
    .filter(({ path }) => path.endsWith('.js'))
    .map(({ path, contents }) => {
      return [path, { type: 'esm' as const, contents: new TextDecoder().decode(contents) }] as const
    })
  return Object.fromEntries(modules)
}

/** Whether a part for browsers was built since the module changed by which the Worker imports it. */
function isBuilt(part: string, built: string): boolean {
  const folder = join(projectRoot, 'host-worker', part)
  const found = statSync(join(folder, 'dist', built), { throwIfNoEntry: false })
  return found !== undefined && found.mtimeMs >= statSync(join(folder, 'built.mjs')).mtimeMs
}
