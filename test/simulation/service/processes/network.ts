import { undrawn } from '../../engine/trace.ts'
import type { Fleet } from './fleet.ts'
import type { Isolate } from './isolate.ts'
import type { Universe } from '../universe.ts'

/** The response that a client received. */
export interface Answer {
  readonly status: number
  readonly text: string
}

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The network between clients and the service. Clients are not affected when a process dies. */
export interface Network {
  /** The answer; null: none arrived, so the client cannot know the outcome of the request. */
  send(client: string, request: ClientRequest): Promise<Answer | null>
  /** The same network, with all requests going to one isolate. */
  to(isolate: Isolate): Network
  /** The same network, with all requests going to any one isolate. */
  toOne(client: string): Network
}

const LATENCY_MAX_MS = 20
/** How long a client waits for an answer, in ms. */
const PATIENCE_MS = 100_000

export function createNetwork(universe: Universe, fleet: () => Fleet): Network {
  return networkTo((client) => fleet().any(`for ${client}`), universe)
}

function networkTo(isolateFor: (client: string) => Isolate, universe: Universe): Network {
  const { decide, faults, scheduler, trace } = universe
  return {
    to: (isolate) => networkTo(() => isolate, universe),
    toOne(client) {
      const isolate = isolateFor(client)
      return networkTo(() => isolate, universe)
    },
    send: (client, request) =>
      new Promise((resolve) => {
        const where = `${client}: ${request.method} ${undrawn(request.path.replace(/\?.*/, ''))}`
        const latencyMs = () => 1 + decide.delayMs(`latency of ${client}`, LATENCY_MAX_MS)
        let isOver = false
        const end = (answer: Answer | null, remark: string): void => {
          if (isOver) return
          isOver = true
          trace.say(client, remark)
          resolve(answer)
        }
        const lose = (why: string) => {
          end(null, `gets no answer: ${why}`)
        }
        const arrive = async () => {
          if (faults.strikes('requestLost', where)) {
            lose('the request was lost')
            return
          }
          const isolate = isolateFor(client)
          trace.say(isolate.name, `takes ${request.method} ${request.path} of ${client}`)
          const forget = isolate.whenDead(() => {
            lose(`${isolate.name} died`)
          })
          const response = await isolate.fetch(asRequest(request))
          const answer = { status: response.status, text: await response.text() }
          forget()
          const isLost = faults.strikes('answerLost', where)
          scheduler.schedule(latencyMs(), () => {
            if (isLost) lose(`it was lost (${answer.status})`)
            else end(answer, `gets ${answer.status} ${answer.text.slice(0, 100)}`)
          })
        }
        // The event does not wait for this, because the answer takes many further events.
        scheduler.schedule(latencyMs(), () => {
          void arrive()
        })
        scheduler.schedule(
          PATIENCE_MS,
          () => {
            lose('it took too long')
          },
          {
            get isAlive() {
              return !isOver
            },
          },
        )
      }),
  }
}

function asRequest({ method, path, key, headers = {}, body }: ClientRequest): Request {
  const all = new Headers(headers)
  if (key !== undefined) all.set('authorization', `Bearer ${key}`)
  if (body !== undefined && !all.has('content-type')) all.set('content-type', 'application/json')
  return new Request(`https://service.example${path}`, {
    method,
    headers: all,
    ...(body === undefined ? {} : { body }),
  })
}
