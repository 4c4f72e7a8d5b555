/**
 * The simulation's options, all in its manual. Prints what was found, and exits with 1 when that is not the expected
 * result.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createChecks } from '../support/runner/checks.ts'
import type { Counts } from './engine/coverage.ts'
import { eventKinds, rareEventKinds } from './engine/coverage.ts'
import { mutantNamed, mutants } from './mutants/index.ts'
import type { Mutant } from './service/universe.ts'
import type { Shrunk } from './shrink.ts'
import { shrink } from './shrink.ts'
import type { Run, SimulationOptions } from './simulation.ts'
import { simulate } from './simulation.ts'

const STEPS = 3_000
/** The processor time that is spent on one mutant, in ms. */
const MUTANT_MS = 60_000
/** In so many runs of fresh seeds, every kind of event must happen, and the rare ones as well. */
const COVERING_RUNS = 100
const COVERING_ALL_RUNS = 500
const HOUR_MS = 3_600_000

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string', default: String(STEPS) },
    seconds: { type: 'string' },
    tiny: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    record: { type: 'string' },
    replay: { type: 'string' },
  },
})
const steps = wholeNumber('steps', given.steps)
const firstSeed = given.seed === undefined ? Date.now() % 1_000_000_000 : wholeNumber('seed', given.seed)
const { check, say, report } = createChecks()

if (given.seconds !== undefined) await tryFreshSeeds(wholeNumber('seconds', given.seconds) * 1000)
if (given.mutants) for (const mutant of mutants) await check(mutant.name, () => find(mutant))
if (given.seconds === undefined && !given.mutants) await runOne()
else report()

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    process.stderr.write(`--${name} is a whole number, not ${text}\n`)
    process.exit(2)
  }
  return Number(text)
}

async function runOne(): Promise<void> {
  const recorded =
    given.replay === undefined ? null : (JSON.parse(readFileSync(given.replay, 'utf8')) as Shrunk)
  const mutant = mutantNamed(given.mutant)
  const options = {
    from: recorded?.decisions ?? firstSeed,
    steps: recorded?.steps ?? steps,
    ...(mutant === undefined ? {} : { mutant }),
  }
  if (given.record !== undefined) return record(given.record, options)
  const run = await simulate({ ...options, keepsTrace: given.trace })
  if (given.trace || run.violation !== null) for (const line of run.trace) say(line)
  say(summaryOf(firstSeed, run))
  process.exitCode = run.violation === null ? 0 : 1
}

/** Writes the relevant decisions of a run that violates an invariant. */
async function record(path: string, options: SimulationOptions): Promise<void> {
  const shrunk = await shrink(options)
  if (shrunk === null) throw new Error('The run violates nothing')
  writeFileSync(path, `${JSON.stringify({ mutant: options.mutant?.name ?? null, ...shrunk }, null, 2)}\n`)
  say(`${path}: ${Object.keys(shrunk.decisions).length} decisions by name, violating: ${shrunk.invariant}`)
}

/** Measures processor time from now on, in ms. */
function startProcessorTime(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
}

async function tryFreshSeeds(durationMs: number): Promise<void> {
  const untilMs = Date.now() + durationMs
  const usedMs = startProcessorTime()
  const all: Counts[] = []
  let stepsMade = 0
  for (let seed = firstSeed; Date.now() < untilMs; seed += 1) {
    await check(`seed ${seed}`, async () => {
      const run = await simulate({ from: seed, steps })
      all.push(run.coverage)
      stepsMade += run.steps
      if (run.violation !== null) throw new Error([...run.trace, summaryOf(seed, run)].join('\n'))
      say(`        ${summaryOf(seed, run)}`)
    })
  }
  const counts = eventKinds.map((kind) => {
    const times = all.reduce((sum, of) => sum + (of.get(kind) ?? 0), 0)
    return { kind, times, runs: all.filter((of) => of.has(kind)).length }
  })
  say(`${Math.round(stepsMade / (usedMs() / 1000))} steps a second of processor time`)
  for (const { kind, times, runs } of counts) say(`${String(times).padStart(9)} in ${runs} runs: ${kind}`)
  if (all.length < COVERING_RUNS) return
  await check('every kind of event happened', () => {
    const missing = counts
      .filter(
        ({ kind, times }) => times === 0 && (all.length >= COVERING_ALL_RUNS || !rareEventKinds.has(kind)),
      )
      .map(({ kind }) => kind)
    if (missing.length > 0) throw new Error(`None of ${all.length} runs: ${missing.join(', ')}`)
  })
}

async function find(mutant: Mutant): Promise<void> {
  const usedMs = startProcessorTime()
  for (let seed = 1; usedMs() < MUTANT_MS; seed += 1) {
    const { violation } = await simulate({ from: seed, steps, mutant })
    if (violation === null) continue
    const { invariant, details, step } = violation
    say(
      `        seed ${seed}, step ${step}, after ${(usedMs() / 1000).toFixed(1)} s: ${invariant}: ${details}`,
    )
    return
  }
  throw new Error(`No seed found it within ${MUTANT_MS / 1000} seconds`)
}

function summaryOf(seed: number, { violation, simulatedMs, ...run }: Run): string {
  if (violation !== null)
    return `Seed ${seed} with --steps ${steps}${given.tiny ? ' --tiny' : ''}, step ${violation.step}: violated: ${violation.invariant}: ${violation.details}`
  const hours = (simulatedMs / HOUR_MS).toFixed(1)
  const { receipts, emails, texts, moves, aborted } = run
  return `Seed ${seed}: ${run.steps} steps, ${hours} simulated hours, ${receipts} receipts, ${emails} emails, ${texts} texts, ${moves} moves, ${aborted} given up`
}
