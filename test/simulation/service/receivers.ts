import type { Process } from './processes/process.ts'
import type { Universe } from './universe.ts'

/** A call of a webhook that reached its receiver. */
export interface HookCall {
  readonly url: string
  /** The header `webhook-id`. */
  readonly id: string
  readonly headers: Headers
  readonly body: string
  /** When the worker called, and when that arrived, in ms. */
  readonly beganMs: number
  readonly atMs: number
  /** What the receiver answered, whether or not that reached the worker. */
  readonly status: number
}

/** What reached the worker that called; without an answer, `status` is null. */
interface HookAnswer {
  readonly status: number | null
  /** How long the receiver asked to wait, in ms. */
  readonly retryAfterMs: number
}

/** Systems outside that are told of events. They outlive every process. */
export interface Receivers {
  /** Whether a receiver has taken a message, by its `webhook-id`. */
  hasTaken(id: string): boolean
  lastAnswer(id: string): HookAnswer | undefined
  /** How often a message was called, whatever became of it. */
  callsOf(id: string): number
  /** Calls a listener with every call that arrives. */
  whenCalled(listener: (call: HookCall) => void): void
  fetchOf(process: Process): (url: string, init: RequestInit) => Promise<Response>
}

const LATENCY_MAX_MS = 40
const SLOW_MAX_MS = 40_000
const DOWN_MAX_MS = 3 * 3_600_000
/** How much of what it got a receiver answers with, in characters. */
const ECHOED_LENGTH = 600

export function createReceivers({ decide, faults, scheduler, trace, happened }: Universe): Receivers {
  const taken = new Set<string>()
  const answers = new Map<string, HookAnswer>()
  const counts = new Map<string, number>()
  const listeners: ((call: HookCall) => void)[] = []
  const downUntilMs = new Map<string, number>()

  const isDown = (host: string): boolean => {
    if (faults.strikes('receiverDown', host))
      downUntilMs.set(host, scheduler.nowMs() + decide.delayMs(`${host} is down`, DOWN_MAX_MS))
    return !faults.isMended() && scheduler.nowMs() < (downUntilMs.get(host) ?? 0)
  }
  const statusAt = (host: string): number => {
    if (faults.strikes('receiverGone', host)) return 410
    if (isDown(host)) return 503
    if (faults.strikes('receiverBroken', host)) return decide.pick(`${host} fails`, [500, 404, 302])
    return faults.strikes('receiverBusy', host) ? 429 : 204
  }
  const responseOf = (status: number, body: string, host: string): Response => {
    if (status === 204) return new Response(null, { status })
    const waits = decide.pick(`${host} asks for patience`, [null, '2', '90', '7200', '200000'])
    const headers = status === 429 && waits !== null ? { 'retry-after': waits } : {}
    return new Response(body.slice(0, ECHOED_LENGTH), { status, headers })
  }
  return {
    hasTaken: (id) => taken.has(id),
    lastAnswer: (id) => answers.get(id),
    callsOf: (id) => counts.get(id) ?? 0,
    whenCalled: (listener) => void listeners.push(listener),
    fetchOf: (process) => (url, init) =>
      new Promise((resolve, reject) => {
        const headers = new Headers(init.headers)
        const [{ host }, id, body] = [new URL(url), headers.get('webhook-id') ?? '', init.body as string]
        const where = `${host} for ${process.name}`
        const latencyMs = () => 1 + decide.delayMs(`latency of ${where}`, LATENCY_MAX_MS)
        const slowMs = faults.strikes('receiverSlow', where)
          ? decide.delayMs(`${where} is slow`, SLOW_MAX_MS)
          : 0
        const beganMs = scheduler.nowMs()
        counts.set(id, (counts.get(id) ?? 0) + 1)
        const giveUp = (): void => {
          answers.set(id, { status: null, retryAfterMs: 0 })
          reject(new Error('aborted'))
        }
        init.signal?.addEventListener('abort', giveUp)
        const arrive = (): void => {
          const status = statusAt(host)
          if (status === 204) taken.add(id)
          const isLost = faults.strikes('receiverLost', where)
          trace.say(host, `${process.name}: ${id}: ${status}${isLost ? ', and the answer is lost' : ''}`)
          for (const listener of listeners)
            listener({ url, id, headers, body, beganMs, atMs: scheduler.nowMs(), status })
          if (isLost && status === 204) happened('a webhook takes what it is told, and its answer is lost')
          if (isLost) return
          const response = responseOf(status, body, host)
          const answer = (): void => {
            if (init.signal?.aborted === true) return
            const waits = Number(response.headers.get('retry-after') ?? 0) * 1000
            init.signal?.removeEventListener('abort', giveUp)
            answers.set(id, { status, retryAfterMs: waits })
            resolve(response)
          }
          scheduler.schedule(latencyMs(), answer, process)
        }
        scheduler.schedule(latencyMs() + slowMs, arrive)
      }),
  }
}
