import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { D1Place } from './d1.ts'
import type { D1Runtime } from './d1-runtime.ts'
import type { LiveService } from '../services/live-service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL at which the processes of a run request what they share. */
    readonly sharedRuntimes: string
  }
}

/** The number of databases in one runtime. A run needs about as many; when all are used, another runtime is started. */
const DATABASES = 16

/**
 * Starts a run of the tests with a server that hands out databases of one runtime, and the address of one running
 * service. Each is started by the first file that needs it, because starting one takes longer than most files do, and
 * stopped at the end of the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let service: Promise<LiveService> | null = null
  const runtimes: D1Runtime[] = []
  let unused: D1Place = { url: '', files: '', bindings: [] }

  const take = async (count: number): Promise<D1Place> => {
    if (unused.bindings.length < count) {
      const { startD1Runtime } = await import('./d1-runtime.ts')
      const runtime = await startD1Runtime(Math.max(count, DATABASES))
      runtimes.push(runtime)
      unused = runtime.place
    }
    const taken = { ...unused, bindings: unused.bindings.slice(0, count) }
    unused = { ...unused, bindings: unused.bindings.slice(count) }
    return taken
  }

  let lastTaken: Promise<unknown> = Promise.resolve()
  const takeInTurn = (count: number) => {
    const taken = lastTaken.then(() => take(count))
    lastTaken = taken.catch(() => undefined)
    return taken
  }
  const openService = async (scratch: string) => {
    const { openLiveService } = await import('../services/live-service.ts')
    return openLiveService({}, { scratch })
  }

  const server = await serve(({ pathname, searchParams }) =>
    pathname === '/service'
      ? (service ??= openService(searchParams.get('scratch') ?? ''))
      : takeInTurn(Number(searchParams.get('count'))),
  )
  const { port } = server.address() as AddressInfo
  project.provide('sharedRuntimes', `http://127.0.0.1:${port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all([
      ...runtimes.map((runtime) => runtime.dispose()),
      service?.then((live) => live.close()),
    ])
  }
}

/** Serves the JSON that `answer` makes from a request's URL; 500 and the reason when it fails. */
async function serve(answer: (url: URL) => Promise<unknown>): Promise<Server> {
  const server = createServer((request, response) => {
    // A process that computes for seconds would not see that an idle connection was closed.
    response.setHeader('connection', 'close')
    answer(new URL(request.url ?? '/', 'http://127.0.0.1')).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
