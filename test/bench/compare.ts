import type { Case } from './cases.ts'
import { cpuMsOf } from './cpu.ts'
import { quantile, runLoad } from './load.ts'
import type { Target } from './runtime.ts'

const CONCURRENCY = 4
/** Fewer rounds leave the medians to chance. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)

/** Who is measured. Directus only takes part when its folder is given. */
export interface Targets {
  readonly service: Target
  readonly bare: Target
  readonly directus: Target | null
}

/** What one side did in the rounds that count. */
interface Side {
  readonly name: 'service' | 'bare' | 'directus'
  readonly target: Target
  readonly ratesPerSecond: number[]
  readonly cpuMsPerRequest: number[]
  readonly latenciesMs: number[]
}

/** Measures one case on all targets in turn, in one run: only their ratios mean anything, and they are printed first. */
export async function compare(of: Case, { service, bare, directus }: Targets): Promise<void> {
  const ours = emptySide('service', service)
  const others = [emptySide('bare', bare), ...(directus === null ? [] : [emptySide('directus', directus)])]
  const sides = [ours, ...others]
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order alternates, and the first round only warms up.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measure(side, of, round > 0)
  }
  for (const other of others) {
    const throughput = spread(ratios(ours.ratesPerSecond, other.ratesPerSecond))
    const cpu = spread(ratios(other.cpuMsPerRequest, ours.cpuMsPerRequest))
    const measure =
      other.name === 'bare' ? `of the bare worker (aim ${of.aim.toFixed(2)})` : `times ${other.name}`
    console.log(`${of.name}: throughput ${throughput}, CPU time ${cpu} ${measure}`)
  }
  for (const side of sides) console.log(`  ${summary(side)}`)
}

function emptySide(name: Side['name'], target: Target): Side {
  return { name, target, ratesPerSecond: [], cpuMsPerRequest: [], latenciesMs: [] }
}

async function measure(side: Side, { shot, directus, shotsPerRound }: Case, counts: boolean): Promise<void> {
  const { origin, pid } = side.target
  const cpuBeforeMs = cpuMsOf(pid)
  const result = await runLoad(origin, side.name === 'directus' ? directus : shot, shotsPerRound, CONCURRENCY)
  if (!counts) return
  const cpuMs = (cpuMsOf(pid) ?? Number.NaN) - (cpuBeforeMs ?? Number.NaN)
  side.ratesPerSecond.push(result.requestsPerSecond)
  side.cpuMsPerRequest.push(cpuMs / shotsPerRound)
  side.latenciesMs.push(...result.latenciesMs)
}

function summary({ name, ratesPerSecond, cpuMsPerRequest, latenciesMs }: Side): string {
  const [p50, p99] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)]
  const rate = quantile(ratesPerSecond, 0.5).toFixed(0).padStart(6)
  const cpu = spread(cpuMsPerRequest)
  return `${name.padEnd(8)}${rate}/s   CPU ${cpu} ms   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`
}

/** Round by round, because what else the machine does in one round slows down all sides. */
function ratios(upper: readonly number[], lower: readonly number[]): readonly number[] {
  return upper.map((value, index) => value / (lower[index] ?? Number.NaN))
}

/** The median and the middle half of the values. */
function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(2))
  return `${middle} (${low}–${high})`
}
