import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleWorker } from '../../../host-worker/bundle/bundle-worker.mjs'
import { benchCases, type Case } from '../cases.ts'
import { measureInTurn, USUAL, type Contender, type Side } from '../compare.ts'
import { quantile } from '../load.ts'
import { bareWorker, buildWorker, filesWith, seedImage } from '../prepare.ts'
import { startTarget } from '../runtime.ts'
import { detailSteps } from './detail.ts'
import type { Step } from './step.ts'
import { submissionSteps } from './submission.ts'

/** A contender that has not been started. */
interface Rung extends Pick<Step, 'adds'> {
  readonly script: string
  /** The step that its Worker runs; null: its Worker has no steps. */
  readonly step: number | null
}

/** Steps differ by little, so they alternate more often than whole services do, with fewer requests each time. */
const SHOTS_PER_ROUND = 100
const ROUNDS_OF_EACH = 3

/**
 * Measures the cost of each thing that the service does for a request. From the bare worker to the service, each step
 * is a Worker that does one thing more than the previous one, made of the service's own modules.
 * @param only a part of the name of the cases to measure; null: all of them
 */
export async function benchSteps(folder: string, only: string | null): Promise<void> {
  const service = buildWorker(folder)
  const bare = bareWorker(folder, 'bare-worker.mjs')
  const steps = await buildSteps(folder)
  const { image, key, contactId } = await seedImage(service, folder)
  for (const each of benchCases(contactId, { service: key, directus: '' })) {
    if (each.name.startsWith('list') || !each.name.includes(only ?? '')) continue
    const between = each.shot.method === 'POST' ? submissionSteps : detailSteps
    const rungs = [
      { adds: 'the bare worker', script: bare, step: null },
      ...between.map(({ adds }, step) => ({ adds, script: steps, step })),
      { adds: 'the built service: configuration, request id, log line', script: service, step: null },
    ]
    print(each, await climb(each, rungs, (name) => filesWith(image, folder, name)))
  }
}

/** Builds the Worker of the steps as the service is built. Returns the path of its entry. */
async function buildSteps(folder: string): Promise<string> {
  const { files } = await bundleWorker('test/bench/steps/worker.ts')
  for (const { path, contents } of files) {
    const file = join(folder, 'steps', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }
  return join(folder, 'steps', 'worker.js')
}

async function climb(
  { name, shot }: Case,
  rungs: readonly Rung[],
  filesNamed: (name: string) => string,
): Promise<readonly Side[]> {
  const contenders: (Contender & { readonly stop: () => Promise<void> })[] = []
  for (const [index, { adds, script, step }] of rungs.entries()) {
    const variables = step === null ? {} : { STEP: String(step) }
    const target = await startTarget(script, filesNamed(`${name} ${index}`), variables)
    contenders.push({ name: adds, target, shot, aim: null, stop: () => target.runtime.dispose() })
  }
  const sides = await measureInTurn(contenders, SHOTS_PER_ROUND, {
    ...USUAL,
    rounds: ROUNDS_OF_EACH * USUAL.rounds,
  })
  for (const { stop } of contenders) await stop()
  return sides
}

/** Prints a line for each step: its processor time, its cost over the previous step, and its share of the whole. */
function print({ name }: Case, sides: readonly Side[]): void {
  const times = levelled(sides.map(({ cpuMsPerRequest }) => cpuMsPerRequest))
  const whole = middle(times.at(-1) ?? [])
  console.log(`${name}: CPU time for each request in µs, what the step added to it, its share of the whole`)
  sides.forEach((side, index) => {
    const own = times[index] ?? []
    const before = times[index - 1] ?? own.map(() => 0)
    const [low, high] = [0.25, 0.75].map((share) => microseconds(quantile(differences(own, before), share)))
    const more = middle(own) - middle(before)
    const cells = [
      microseconds(middle(own)).padStart(6),
      `${microseconds(more)} (${low}–${high})`.padStart(18),
      `${((more / whole) * 100).toFixed(1)} %`.padStart(8),
    ]
    console.log(`${cells.join('')}   ${side.name}`)
  })
}

/**
 * The times of all steps, scaled as if every round had taken the usual time: other work of the machine slows down all
 * steps of a round alike.
 */
function levelled(times: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const rounds = (times[0] ?? []).map((_, round) => sum(times.map((ofStep) => ofStep[round] ?? Number.NaN)))
  const usual = middle(rounds)
  return times.map((ofStep) => ofStep.map((time, round) => (time * usual) / (rounds[round] ?? Number.NaN)))
}

function differences(upper: readonly number[], lower: readonly number[]): readonly number[] {
  return upper.map((value, index) => value - (lower[index] ?? Number.NaN))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

function middle(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function microseconds(ms: number): string {
  return (ms * 1000).toFixed(0)
}
