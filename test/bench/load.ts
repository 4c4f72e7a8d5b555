import { Agent, request as httpRequest } from 'node:http'

/** One request of a load. */
export interface Shot {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The expected status of the answer; left out: 200. */
  readonly status?: number
}

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly latenciesMs: readonly number[]
}

/**
 * Sends `count` shots to `origin`, `concurrency` at a time, over kept-alive connections. A status that differs from the
 * shot's is an error.
 * @param shots one shot that is sent again and again, or several that are sent in turn
 */
export async function runLoad(
  origin: string,
  shots: Shot | readonly Shot[],
  count: number,
  concurrency: number,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const latenciesMs: number[] = []
  const inTurn = 'path' in shots ? [shots] : shots
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const shot = inTurn[left % inTurn.length]
      if (shot === undefined) throw new Error('There is nothing to send')
      const startedAt = performance.now()
      await fire(agent, origin, shot)
      latenciesMs.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  agent.destroy()
  return { requestsPerSecond: (count * 1000) / (performance.now() - startedAt), latenciesMs }
}

function fire(agent: Agent, origin: string, shot: Shot): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const sent = httpRequest(
    new URL(shot.path, origin),
    { agent, method: shot.method, headers: shot.headers },
    (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === (shot.status ?? 200)) resolve(undefined)
        else reject(new Error(`${shot.method} ${shot.path} answered ${String(response.statusCode)}`))
      })
    },
  )
  sent.on('error', reject)
  sent.end(shot.body)
  return promise
}

/** The value below which `share` (0–1) of the sorted values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
