import type { MessageBatch } from '@cloudflare/workers-types'
import { consumeBatch } from '../../../adapters/queue-cloudflare/index.ts'
import { publicApi } from '../../../domain/api.ts'
import { sweepImports } from '../../../domain/imports/sweep-imports.ts'
import { deliver } from '../../../domain/jobs/deliver.ts'
import { CONNECTIONS_WIDTH } from '../../../domain/bounds/connections.ts'
import { sweepFamilies } from '../../../domain/jobs/sweep-families.ts'
import { sweep } from '../../../domain/jobs/sweep.ts'
import { operatorApi } from '../../../domain/operator-api.ts'
import { sweepMoves } from '../../../domain/placement/moves.ts'
import { createFetchHandler } from '../../../host-worker/http/fetch-handler.ts'
import type { OutboxRef } from '../../../ports/messaging/outbox-store.ts'
import type { OwnPlace } from '../../../ports/placement/placement.ts'
import type { Outside } from './ports.ts'
import { openPorts } from './ports.ts'
import type { Process } from './process.ts'
import { createProcess } from './process.ts'
import type { Universe } from './universe.ts'

/** An isolate of the Worker: the service as the platform calls it, with memory of its own. */
export interface Isolate extends Process {
  fetch(request: Request): Promise<Response>
  /** Handles one message of the queue. */
  consume(ref: OutboxRef): Promise<'done' | 'retry'>
  cron(): Promise<void>
  /** Accepts entries that an object hands over, and processes them afterwards, as `host-worker/wiring/jobs.ts` does. */
  workOff(refs: readonly OutboxRef[]): void
}

/** The handlers keep no state between requests. */
const servePublic = createFetchHandler(publicApi)
const serveOperator = createFetchHandler(operatorApi)

export function startIsolate(name: string, universe: Universe, outside: Outside): Isolate {
  const process = createProcess(name, universe.versionOf(name))
  const ports = openPorts(process, universe, outside)
  const { world, jobs, operators, importSweep, places, storage, moving } = ports
  let requests = 0
  const openWork = (place: OwnPlace) => {
    const { outbox, importDirectory } = places.storageAt(place, true)
    const work = async () => {
      await sweep(jobs, outbox)
      await sweepImports({ ...importSweep, imports: importDirectory })
    }
    return { outbox, imports: importDirectory, work }
  }
  return {
    name,
    version: process.version,
    get isAlive() {
      return process.isAlive
    },
    whenDead: (listener) => process.whenDead(listener),
    die: () => {
      process.die()
    },
    fetch(request) {
      const host = { requestId: `${name}-${String(++requests)}`, answered: () => undefined }
      return new URL(request.url).pathname.startsWith('/operator/')
        ? serveOperator(request, { ...host, world: operators })
        : servePublic(request, { ...host, world })
    },
    async consume(ref) {
      let outcome: 'done' | 'retry' = 'done'
      const message = { body: ref, ack: () => undefined, retry: () => void (outcome = 'retry') }
      const batch = { messages: [message] } as unknown as MessageBatch
      await consumeBatch(batch, (of) => deliver(of, jobs), CONNECTIONS_WIDTH)
      return outcome
    },
    workOff: ports.workOff,
    async cron() {
      await Promise.allSettled([
        sweep(jobs),
        sweepImports({ ...importSweep, imports: storage.importDirectory }),
        sweepFamilies({ ...importSweep, directory: places.directory, openWork }),
        sweepMoves(moving),
      ])
    },
  }
}
