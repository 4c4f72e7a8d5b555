import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { bundleWorker, LOCAL } from '../../../host-worker/bundle/bundle-worker.mjs'
import { fireCron, serviceName, startHost } from '../../../host-worker/local/host.ts'
import { projectRoot, wranglerEnvironment } from '../../../host-worker/local/project.ts'
import { openPrivateState, persistPath } from '../../../host-worker/local/state.ts'
import { runtimeProcesses } from './process-tree.ts'
import { TRIPWIRE_WORKER } from './tripwire-worker.ts'

/** The real Worker on the real runtime, in a single process that can be killed. */
export interface KillableService {
  readonly origin: string
  /** The process id of the runtime. */
  readonly pid: number
  /** Fires the cron trigger and waits until its work is done. */
  fireCron(): Promise<void>
  /** Kills the runtime, whatever it is doing. */
  kill(): void
  /** Stops the runtime, or cleans up after one that was killed. */
  dispose(): Promise<void>
}

/** Called before and after each database call of a request with the header `x-tripwire`. The request waits for it. */
export type Tripwire = (call: string) => Promise<void>

export interface Launcher {
  start(): Promise<KillableService>
}

/**
 * Prepares a state directory, and everything that starting the service on it needs: the Worker is built, and its
 * configuration read, only once. Each start runs without wrangler, so that it takes a second and there is only one
 * process to kill.
 * @param options who is told of database calls; whether the state has the demo organizations
 */
export async function prepareLauncher(
  directory: string,
  options: { readonly tripwire?: Tripwire; readonly hasDemo?: boolean } = {},
): Promise<Launcher> {
  openPrivateState(directory)
  const preparing = await startHost(directory, {
    port: 0,
    isWhole: options.hasDemo ?? false,
    log: () => undefined,
  })
  await (await fetch(`${preparing.url}/health`)).text()
  await preparing.close()
  const worker = await workerOptions(options.tripwire ?? null)
  return { start: () => start(directory, worker) }
}

type WorkerOptions = Parameters<typeof convertV4MiniflareOptions>[0] extends infer Options
  ? Options extends { readonly workers: readonly (infer Each)[] }
    ? Each
    : never
  : never

async function workerOptions(tripwire: Tripwire | null): Promise<WorkerOptions> {
  // wrangler reads its environment when it is loaded.
  Object.assign(process.env, wranglerEnvironment(join(tmpdir(), 'killable-service')))
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const { workerOptions: configured } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))
  // Rules say how source files are bundled, but this Worker is built already.
  delete configured.modulesRules
  const { files } = await bundleWorker(LOCAL)
  const [entry, ...others] = files.filter(({ path }) => path.endsWith('.js'))
  // Miniflare copies what it has so far with each module that it adds, so the largest come last.
  const built = [entry, ...others.toSorted((left, right) => left.contents.length - right.contents.length)]
    .filter((file) => file !== undefined)
    .map(({ path, contents }) => module(path, new TextDecoder().decode(contents)))
  // The first module is the entry.
  const modules = tripwire === null ? built : [module('tripwire.js', TRIPWIRE_WORKER), ...built]
  return {
    ...configured,
    name: serviceName(),
    modules,
    bindings: { ...(configured.bindings as object), LOCAL_DEMO: 'no' },
    serviceBindings: tripwire === null ? {} : { TRIPWIRE: answering(tripwire) },
    unsafeDirectSockets: [{}],
  }
}

function module(path: string, contents: string) {
  return { type: 'ESModule' as const, path, contents }
}

/** Handles the Worker's request at each wire. The Worker waits for the response. */
function answering(tripwire: Tripwire) {
  return async ({ url }: { readonly url: string }) => {
    await tripwire(decodeURIComponent(new URL(url).pathname.slice(1)))
    return new Response()
  }
}

/** The processes of runtimes that run. A system gives the number of one that has ended to another one some day. */
const runtimes = new Set<number>()

async function start(directory: string, options: WorkerOptions): Promise<KillableService> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: persistPath(directory),
      cf: false,
      handleStructuredLogs: () => undefined,
      workers: [options],
    }),
  )
  const { origin } = await runtime.unsafeGetDirectURL(serviceName())
  // The first request of an isolate looks whether its state is prepared.
  await (await fetch(`${origin}/health`)).text()
  const pid = runtimeProcesses(process.pid).find((found) => !runtimes.has(found.pid))?.pid
  if (pid === undefined) throw new Error('The runtime has no process')
  runtimes.add(pid)
  return {
    origin,
    pid,
    fireCron: () => fireCron(runtime, serviceName()),
    kill: () => {
      process.kill(pid, 'SIGKILL')
      runtimes.delete(pid)
    },
    dispose: async () => {
      await runtime.dispose()
      runtimes.delete(pid)
    },
  }
}
