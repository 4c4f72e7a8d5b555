import { openSecrets, type Secrets } from '../../domain/access/secrets.ts'
import type { OperatorCall } from '../../host-worker/operator/client/import-client.ts'
import { startHost } from '../../host-worker/local/host.ts'
import { openPrivateState, readStateRecord } from '../../host-worker/local/state.ts'
import { testSecrets } from '../support/runner/fakes.ts'
import { issueAdminKey, operatorCall } from '../support/services/operator/operator-http.ts'
import { scratchObjects } from '../support/scratch/scratch-objects.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService } from '../support/services/service.ts'

/** A running service, and where it keeps the organizations that are made for the law. */
export interface Place {
  readonly name: string
  readonly place: 'shared' | 'own'
  readonly operator: OperatorCall
  readonly secrets: Secrets
  /** Reads from the service, with a key of an organization. */
  get(path: string, key: string): Promise<Response>
  nowMs(): number
  close(): Promise<void>
}

type Kind = Place['place']

/** The service in this process, on Node's SQLite; `own` is the code of the objects, in this process too. */
export async function nodePlace(place: Kind): Promise<Place> {
  const service = await openTestService((clock) =>
    createScratchStorage({
      clock,
      ...(place === 'own' ? scratchObjects(clock) : { choice: { kind: 'shared' } }),
    }),
  )
  const operatorKey = await service.addOperatorKey('admin')
  return {
    name: `node:sqlite, ${place}`,
    place,
    secrets: await testSecrets(),
    operator: (method, path, init) => service.sendUnchecked(path, { ...init, method, key: operatorKey }),
    get: (path, key) => service.sendUnchecked(path, { key }),
    nowMs: () => service.clock.nowMs(),
    close: async () => {
      await service.settled()
      if (service.errors.length > 0) throw new AggregateError(service.errors, 'The service logged errors')
    },
  }
}

/** The Worker at an address, with D1 or the Durable Objects of the real runtime. */
async function workerPlaceAt(origin: string, secrets: Secrets, place: Kind): Promise<Place> {
  const call = operatorCall(origin, await issueAdminKey(origin, secrets))
  return {
    name: `Worker, ${place}`,
    place,
    secrets,
    operator: (...given) => onOpenConnection(() => call(...given)),
    get: (path, key) =>
      onOpenConnection(() => fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })),
    nowMs: () => Date.now(),
    close: async () => undefined,
  }
}

/**
 * Sends a request a second time when its connection turns out to be closed: while this process draws or compares many
 * rows, it does not see that the runtime has closed an idle one.
 */
async function onOpenConnection(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof TypeError) return send()
    throw error
  }
}

/** Starts the Worker, as `npm start` configures it, on a state directory of its own. */
export async function startWorkerPlace(directory: string, place: Kind): Promise<Place> {
  openPrivateState(directory)
  const logged: string[] = []
  const service = await startHost(directory, {
    port: 0,
    isWhole: false,
    log: (line, isProblem) => {
      if (isProblem) logged.push(line)
    },
  })
  // The first request prepares the state.
  await (await fetch(`${service.url}/health`)).text()
  const secrets = await openSecrets(readStateRecord(directory)?.rootSecret ?? '', null)
  const close = async () => {
    await service.close()
    if (logged.length > 0) throw new Error(`The service logged errors: ${logged.join('\n')}`)
  }
  return { ...(await workerPlaceAt(service.url, secrets, place)), close }
}
