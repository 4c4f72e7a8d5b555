import type { MessageBatch } from '@cloudflare/workers-types'
import { publicApi } from '../../../../domain/api.ts'
import { operatorApi } from '../../../../domain/operator-api.ts'
import { createFetchHandler } from '../../../../host-worker/http/fetch-handler.ts'
import type { OutboxRef } from '../../../../ports/outbox.ts'
import { openPorts, type Outside } from './ports.ts'
import { createProcess, type Process } from './process.ts'
import type { Universe } from '../universe.ts'

/** An isolate of the Worker: the service as the platform calls it, with memory of its own. */
export interface Isolate extends Process {
  fetch(request: Request): Promise<Response>
  /** Handles one message of the queue. */
  consume(ref: OutboxRef): Promise<'done' | 'retry'>
  cron(): void
  /** Accepts entries that an object hands over, and processes them afterwards. */
  workOff(refs: readonly OutboxRef[]): void
}

/** The handlers keep no state between requests. */
const servePublic = createFetchHandler(publicApi)
const serveOperator = createFetchHandler(operatorApi)

export function startIsolate(name: string, universe: Universe, outside: Outside): Isolate {
  const process = createProcess(name, universe.versionOf(name))
  const { world, followUp, run } = openPorts(process, universe, outside)
  let requests = 0
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
        ? serveOperator(request, { ...host, world })
        : servePublic(request, { ...host, world })
    },
    async consume(ref) {
      let outcome: 'done' | 'retry' = 'done'
      const message = { body: ref, ack: () => undefined, retry: () => void (outcome = 'retry') }
      const batch = { messages: [message] } as unknown as MessageBatch
      await followUp.queue(batch)
      return outcome
    },
    workOff(refs) {
      run(followUp.workOff(refs))
    },
    cron() {
      run(followUp.cron())
    },
  }
}
