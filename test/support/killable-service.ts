import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { bundleWorker } from '../../host-worker/bundle/bundle-worker.mjs'
import { serviceName, startOwnService } from '../../host-worker/local/own-service.ts'
import { projectRoot } from '../../host-worker/local/root.ts'
import { localSecrets, openPrivateState, persistPath } from '../../host-worker/local/state.ts'
import { wranglerEnvironment } from '../../host-worker/local/wrangler-environment.ts'
import { runtimeProcesses } from './process-tree.ts'
import { TRIPWIRE_WORKER } from './tripwire-worker.ts'

/** The real Worker on the real runtime, whose one process can be killed. */
export interface KillableService {
  readonly origin: string
  /** The runtime's process. */
  readonly pid: number
  /** Fires the cron trigger and waits for what it does. */
  fireCron(): Promise<void>
  /** Ends the runtime in the middle of whatever it does. */
  kill(): void
  /** Forgets a runtime that was killed, or ends one that runs. */
  dispose(): Promise<void>
}

/** Called before and after each call of a database by a request that carries `x-tripwire`, which waits for it. */
export type Tripwire = (call: string) => Promise<void>

export interface Launcher {
  start(): Promise<KillableService>
}

/**
 * Prepares a state directory, and what every start of the service on it needs: the Worker is built, and its configuration
 * read, once. Each start runs without wrangler, so that it takes a second and leaves one process to kill.
 */
export async function prepareLauncher(
  directory: string,
  tripwire: Tripwire | null = null,
): Promise<Launcher> {
  openPrivateState(directory)
  const migrating = await startOwnService(directory, () => undefined)
  await migrating.close()
  const options = await workerOptions(directory, tripwire)
  return { start: () => start(directory, options) }
}

type WorkerOptions = Parameters<typeof convertV4MiniflareOptions>[0] extends infer Options
  ? Options extends { readonly workers: readonly (infer Each)[] }
    ? Each
    : never
  : never

async function workerOptions(directory: string, tripwire: Tripwire | null): Promise<WorkerOptions> {
  // wrangler reads its environment when it is loaded.
  Object.assign(process.env, wranglerEnvironment(join(tmpdir(), 'killable-service')))
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const { workerOptions: configured } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))
  // Rules say which files of the source are bundled in which way; the Worker is built.
  delete configured.modulesRules
  const { files } = await bundleWorker()
  const built = files
    .filter(({ path }) => path.endsWith('.js'))
    .map(({ path, contents }) => module(path, new TextDecoder().decode(contents)))
  // The first module is the one that serves.
  const modules = tripwire === null ? built : [module('tripwire.js', TRIPWIRE_WORKER), ...built]
  return {
    ...configured,
    name: serviceName(),
    modules,
    bindings: { ...(configured.bindings as object), ...localSecrets(directory), LOCAL_MAILBOX: '1' },
    ...(tripwire === null ? {} : { serviceBindings: { TRIPWIRE: answering(tripwire) } }),
    unsafeDirectSockets: [{}],
  }
}

function module(path: string, contents: string) {
  return { type: 'ESModule' as const, path, contents }
}

/** What the Worker asks at each wire; it waits for the answer. */
function answering(tripwire: Tripwire) {
  return async ({ url }: { readonly url: string }) => {
    await tripwire(decodeURIComponent(new URL(url).pathname.slice(1)))
    return new Response()
  }
}

/** The processes of runtimes that were started before. */
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
  const pid = runtimeProcesses(process.pid).find((found) => !runtimes.has(found.pid))?.pid
  if (pid === undefined) throw new Error('The runtime has no process')
  runtimes.add(pid)
  return {
    origin,
    pid,
    fireCron: async () => {
      const worker = await runtime.getWorker(serviceName())
      await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date() })
    },
    kill: () => {
      process.kill(pid, 'SIGKILL')
    },
    dispose: () => runtime.dispose(),
  }
}
