import type { Case } from './cases.ts'
import { cpuMsOf } from './cpu.ts'
import { quantile, runLoad, type Shot } from './load.ts'
import type { Target } from './runtime.ts'

/** How a case is measured. */
export interface Measuring {
  /** Requests in progress at a time. */
  readonly concurrency: number
  readonly rounds: number
}

/** The settings of every measurement that has none of its own. */
export const USUAL: Measuring = {
  concurrency: 4,
  // With fewer rounds, chance decides the medians.
  rounds: Number(process.env.BENCH_ROUNDS ?? 20),
}

/** A service or Worker that is measured. */
export interface Contender {
  readonly name: string
  readonly target: Target
  /** The request that is sent to it, or several that are sent in turn. */
  readonly shot: Shot | readonly Shot[]
  /** The share of its throughput that the first contender is to reach; null: there is none. */
  readonly aim: number | null
}

/** The figures of one contender, without those of the warm-up round. */
export interface Side extends Contender {
  readonly ratesPerSecond: number[]
  readonly cpuMsPerRequest: number[]
  readonly latenciesMs: number[]
}

/**
 * Measures one case on all contenders in turn, in one run. Only their ratios mean anything, so the ratios of the first
 * contender to each other one are printed first.
 */
export async function compare(
  { name, shotsPerRound }: Pick<Case, 'name' | 'shotsPerRound'>,
  contenders: readonly Contender[],
  measuring: Measuring = USUAL,
): Promise<readonly Side[]> {
  const sides = await measureInTurn(contenders, shotsPerRound, measuring)
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
export async function measureInTurn(
  contenders: readonly Contender[],
  shotsPerRound: number,
  { concurrency, rounds }: Measuring = USUAL,
): Promise<readonly Side[]> {
  const sides = contenders.map(sideOf)
  for (let round = 0; round <= rounds; round += 1) {
    // The order alternates, and the first round only warms up.
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      await measure(side, shotsPerRound, concurrency, round > 0)
  }
  return sides
}

function sideOf(contender: Contender): Side {
  return { ...contender, ratesPerSecond: [], cpuMsPerRequest: [], latenciesMs: [] }
}

async function measure(
  side: Side,
  shotsPerRound: number,
  concurrency: number,
  counts: boolean,
): Promise<void> {
  const { origin, pid } = side.target
  const cpuBeforeMs = cpuMsOf(pid)
  const result = await runLoad(origin, side.shot, shotsPerRound, concurrency)
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
