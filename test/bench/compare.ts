import type { Case, Shot } from './cases.ts'
import { cpuMsOf, type Target } from './runtime.ts'
import { Agent, request as httpRequest } from 'node:http'

/** Requests in progress at a time. */
const CONCURRENCY = 4
/** With fewer rounds, chance decides the medians. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)

/** A service or Worker that is measured. */
export interface Contender {
  readonly name: string
  readonly target: Target
  readonly shot: Shot
  /** The share of its throughput that the first contender is to reach; null: there is none. */
  readonly aim: number | null
}

/** The figures of one contender, without those of the warm-up round. */
interface Side extends Contender {
  readonly ratesPerSecond: number[]
  readonly cpuMsPerRequest: number[]
  readonly latenciesMs: number[]
}

/**
 * Measures one case on all contenders in turn, in one run. Only their ratios mean anything, so the ratios of the first
 * contender to each other one are printed first.
 */
export async function compare(
  { name, shotsPerRound }: Case,
  contenders: readonly Contender[],
): Promise<readonly Side[]> {
  const sides = await measureInTurn(contenders, shotsPerRound)
  const [first, ...others] = sides
  for (const other of others) if (first !== undefined) printRatio(name, first, other, other.aim)
  const width = Math.max(...sides.map((side) => side.name.length))
  for (const side of sides) console.log(`  ${summary(side, width)}`)
  return sides
}

/** Prints the ratio of one side's figures to another's, with the share that it should reach (null: there is none). */
export function printRatio(name: string, upper: Side, lower: Side, aimed: number | null = null): void {
  const throughput = spread(ratios(upper.ratesPerSecond, lower.ratesPerSecond))
  const cpu = spread(ratios(lower.cpuMsPerRequest, upper.cpuMsPerRequest))
  const aim = aimed === null ? '' : ` (aim ${aimed.toFixed(2)})`
  console.log(`${name}, ${upper.name} ÷ ${lower.name}${aim}: throughput ${throughput}, CPU time ${cpu}`)
}

/** Sends the same number of requests to all contenders in turn, in each round. */
async function measureInTurn(
  contenders: readonly Contender[],
  shotsPerRound: number,
): Promise<readonly Side[]> {
  const sides = contenders.map(sideOf)
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order alternates, and the first round only warms up.
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      await measure(side, shotsPerRound, round > 0)
  }
  return sides
}

function sideOf(contender: Contender): Side {
  return { ...contender, ratesPerSecond: [], cpuMsPerRequest: [], latenciesMs: [] }
}

async function measure(side: Side, shotsPerRound: number, counts: boolean): Promise<void> {
  const { origin, pid } = side.target
  const cpuBeforeMs = cpuMsOf(pid)
  const result = await runLoad(origin, side.shot, shotsPerRound, CONCURRENCY)
  if (!counts) return
  const cpuMs = (cpuMsOf(pid) ?? Number.NaN) - (cpuBeforeMs ?? Number.NaN)
  side.ratesPerSecond.push(result.requestsPerSecond)
  side.cpuMsPerRequest.push(cpuMs / shotsPerRound)
  side.latenciesMs.push(...result.latenciesMs)
}

function summary({ name, ratesPerSecond, cpuMsPerRequest, latenciesMs }: Side, width: number): string {
  const [p50, p99] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)]
  const rate = quantile(ratesPerSecond, 0.5).toFixed(0).padStart(6)
  const cpu = spread(cpuMsPerRequest)
  return `${name.padEnd(width)}${rate}/s   CPU ${cpu} ms   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`
}

/** The ratio of each round, because other work of the machine slows down all sides of a round alike. */
function ratios(upper: readonly number[], lower: readonly number[]): readonly number[] {
  return upper.map((value, index) => value / (lower[index] ?? Number.NaN))
}

/** The median of the values, and the range of their middle half. */
function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(2))
  return `${middle} (${low}–${high})`
}

interface LoadResult {
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
