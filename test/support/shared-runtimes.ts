import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { D1Place } from './d1.ts'
import type { D1Runtime } from './d1-runtime.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the processes of a run ask for a part of what they share. */
    readonly sharedRuntimes: string
  }
}

/** Databases of one runtime. A run takes about as many; when all are taken, another runtime is started. */
const DATABASES = 16

/**
 * Begins a run of the tests with a server that hands out databases of one runtime, started by the first file that asks,
 * because starting one costs more than most files do. At the end of the run it goes.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
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

  const server = await serveInTurn((url) => take(Number(url.searchParams.get('count'))))
  const { port } = server.address() as AddressInfo
  project.provide('sharedRuntimes', `http://127.0.0.1:${port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
  }
}

/** Serves the JSON that `answer` makes of a request's address, one request at a time; 500 and the reason when it cannot. */
async function serveInTurn(answer: (url: URL) => Promise<unknown>): Promise<Server> {
  let previous: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    const current = previous.then(() => answer(new URL(request.url ?? '/', 'http://127.0.0.1')))
    previous = current.catch(() => undefined)
    current.then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
