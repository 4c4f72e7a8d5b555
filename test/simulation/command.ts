/**
 * The simulation's options, all in its manual. Prints what was found, and exits with 1 when that is not the expected
 * result.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createChecks } from '../support/runner/checks.ts'
import { partOf } from '../support/runner/part.ts'
import { eventKinds, rareEventKinds, type EventKind } from './engine/coverage.ts'
import {
  fewCovering,
  missingKinds,
  readKnownSeeds,
  writeKnownSeeds,
  type Covered,
  type CoveringSeed,
} from './known-seeds.ts'
import { mutantNamed, mutants } from './mutants/index.ts'
import type { Mutant } from './service/universe.ts'
import { shrink, type Shrunk } from './shrink.ts'
import { simulate, type Run, type SimulationOptions } from './simulation.ts'

const STEPS = 3_000
/** A move often takes longer than those to come to its switch. */
const LONG_STEPS = 9_000
/** The processor time that is spent on one mutant, in ms, and while seeds are recorded. */
const MUTANT_MS = 60_000
const RECORDED_MUTANT_MS = 240_000
/** The processor time that other seeds than the recorded ones get to come across every kind of event, in ms. */
const COVERING_MS = 60_000
/** The processor time that they get for that while seeds are recorded, in ms. */
const RECORDING_MS = 1_800_000
const RECORD = 'Record other seeds: npm run -s simulate -- --record-seeds'
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
    covering: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
    'record-seeds': { type: 'boolean', default: false },
    mutant: { type: 'string' },
    record: { type: 'string' },
    replay: { type: 'string' },
  },
})
const steps = wholeNumber('steps', given.steps)
const firstSeed = given.seed === undefined ? Date.now() % 1_000_000_000 : wholeNumber('seed', given.seed)
const { check, say, report } = createChecks()

const known = readKnownSeeds()
const isRun = given.seconds === undefined && !given.covering && !given.mutants && !given['record-seeds']

if (given['record-seeds']) await recordSeeds()
if (given.covering) await tryCoveringSeeds()
if (given.mutants)
  for (const mutant of mutantsOfPart())
    await check(mutant.name, async () => void (await find(mutant, MUTANT_MS)))
if (given.seconds !== undefined) await tryFreshSeeds(wholeNumber('seconds', given.seconds) * 1000)
if (isRun) await runOne()
else report()

function wholeNumber(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} is a whole number, not ${text}`)
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
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
  say(summaryOf({ seed: firstSeed, steps: options.steps }, run))
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

function mutantsOfPart(): readonly Mutant[] {
  const chosen = partOf(mutants, given.part)
  if (chosen === null) refuse(`--part is K/N, not ${given.part}`)
  say(`part ${given.part}: ${chosen.length} of the ${mutants.length} planted mistakes`)
  return chosen
}

/** Runs a seed, in which nothing may be found, and adds its run to the others. */
async function trySeed({ seed, steps: asked }: CoveringSeed, runs: Covered[]): Promise<void> {
  await check(`seed ${seed}`, async () => {
    const usedMs = startProcessorTime()
    const run = await simulate({ from: seed, steps: asked })
    const summary = summaryOf({ seed, steps: asked }, run)
    if (run.violation !== null) throw new Error([...run.trace, summary].join('\n'))
    runs.push({ seed, steps: asked, events: run.steps, coverage: run.coverage, usedMs: usedMs() })
    say(`        ${summary}`)
  })
}

/** The kinds of events that are missing, without those that only some hundred runs come across. */
function usualMissing(runs: readonly Covered[]): readonly EventKind[] {
  return missingKinds(runs).filter((kind) => !rareEventKinds.has(kind))
}

/** Goes on with other seeds as long as a kind of event is missing and the time is not over. Every third run is long. */
async function searchCovering(runs: Covered[], limitMs: number): Promise<void> {
  const usedMs = startProcessorTime()
  for (let seed = 1; usualMissing(runs).length > 0 && usedMs() < limitMs; seed += 1)
    await trySeed({ seed, steps: seed % 3 === 0 ? LONG_STEPS : steps }, runs)
  await checkCoverage(runs, usualMissing(runs))
}

/**
 * Runs the recorded seeds, which together come across every kind of event. When the service has changed so that they do
 * not any more, other seeds follow.
 */
async function tryCoveringSeeds(): Promise<void> {
  const runs: Covered[] = []
  for (const seed of known.covering) await trySeed(seed, runs)
  const missing = usualMissing(runs)
  if (missing.length > 0) say(`The recorded seeds do not come across: ${missing.join(', ')}. ${RECORD}`)
  await searchCovering(runs, COVERING_MS)
}

function checkCoverage(runs: readonly Covered[], missing: readonly EventKind[]): Promise<void> {
  const happened = eventKinds.length - missingKinds(runs).length
  return check(`${happened} of ${eventKinds.length} kinds of events happened in ${runs.length} runs`, () => {
    if (missing.length > 0) throw new Error(`None of ${runs.length} runs: ${missing.join(', ')}`)
  })
}

async function tryFreshSeeds(durationMs: number): Promise<void> {
  const untilMs = Date.now() + durationMs
  const runs: Covered[] = []
  for (let seed = firstSeed; Date.now() < untilMs; seed += 1) await trySeed({ seed, steps }, runs)
  const total = (of: (run: Covered) => number) => runs.reduce((sum, run) => sum + of(run), 0)
  const usedSeconds = total(({ usedMs }) => usedMs) / 1000
  say(`${Math.round(total(({ events }) => events) / usedSeconds)} steps a second of processor time`)
  for (const kind of eventKinds) {
    const times = total(({ coverage }) => coverage.get(kind) ?? 0)
    const among = runs.filter(({ coverage }) => coverage.has(kind)).length
    say(`${String(times).padStart(9)} in ${among} runs: ${kind}`)
  }
  if (runs.length < COVERING_RUNS) return
  const isWanted = (kind: EventKind) => runs.length >= COVERING_ALL_RUNS || !rareEventKinds.has(kind)
  await checkCoverage(runs, missingKinds(runs).filter(isWanted))
}

/**
 * Plants a mistake in the run of the recorded seed, and in those of other seeds when that does not find it (any more).
 * @returns the seed that finds it
 */
async function find(mutant: Mutant, limitMs: number): Promise<number> {
  const recorded = known.mutants[mutant.name]
  const usedMs = startProcessorTime()
  for (let next = recorded === undefined ? 1 : 0; usedMs() < limitMs; next += 1) {
    const seed = next === 0 ? (recorded ?? 0) : next
    const { violation } = await simulate({ from: seed, steps, mutant })
    if (violation === null) continue
    const { invariant, details, step } = violation
    const took = `${(usedMs() / 1000).toFixed(1)} s`
    say(`        seed ${seed}, step ${step}, after ${took}: ${invariant}: ${details}`)
    if (seed !== recorded) say(`        The recorded seed does not find it. ${RECORD}`)
    return seed
  }
  throw new Error(`No seed found it within ${limitMs / 1000} seconds`)
}

/** Looks for the seeds that `seeds.json` is to hold. Those that it holds are tried first. */
async function recordSeeds(): Promise<void> {
  const seeds: Record<string, number> = {}
  for (const mutant of mutants)
    await check(mutant.name, async () => void (seeds[mutant.name] = await find(mutant, RECORDED_MUTANT_MS)))
  const runs: Covered[] = []
  for (const seed of known.covering) await trySeed(seed, runs)
  await searchCovering(runs, RECORDING_MS)
  const covering = fewCovering(runs).map(({ seed, steps: asked }) => ({ seed, steps: asked }))
  writeKnownSeeds({ covering, mutants: seeds })
}

function summaryOf({ seed, steps: asked }: CoveringSeed, { violation, simulatedMs, ...run }: Run): string {
  if (violation !== null)
    return `Seed ${seed} with --steps ${asked}${given.tiny ? ' --tiny' : ''}, step ${violation.step}: violated: ${violation.invariant}: ${violation.details}`
  const hours = (simulatedMs / HOUR_MS).toFixed(1)
  const { receipts, emails, texts, moves, aborted } = run
  return `Seed ${seed}: ${run.steps} steps, ${hours} simulated hours, ${receipts} receipts, ${emails} emails, ${texts} texts, ${moves} moves, ${aborted} given up`
}
