import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { benchCases, type Shot } from './cases.ts'
import { cpuMsOf, startTarget } from './runtime.ts'
import { quantile, runLoad } from './compare.ts'
import { filesWith, WRANGLER, type Seeded } from './prepare.ts'

const PROFILES = 5
const STARTS = 10

/** The smallest possible Worker: its cost is the runtime's own. */
const EMPTY_WORKER = 'export default { fetch: () => new Response() }'

/** A state of the service whose start is measured. */
export interface Starting {
  readonly name: string
  /** The folder of its sources. */
  readonly checkout: string
  /** The entry of its built Worker. */
  readonly script: string
  readonly seeded: Seeded
}

/** The kinds of requests that an isolate may have to answer first. */
const KINDS = ['list of 100', 'detail', 'submission']

/**
 * Prints what an isolate costs before it has answered its first request, of each state in turn: by wrangler's profile of
 * the start, and by the processor time of a fresh runtime beside that of one with an empty Worker, up to its start and
 * up to the first answer. The second way counts every thread, and the compilation of modules that are loaded on demand.
 */
export async function printStartUp(folder: string, states: readonly Starting[]): Promise<void> {
  const profiles = states.map((): number[] => [])
  for (let round = 0; round < PROFILES; round += 1)
    for (const [index, { checkout }] of states.entries()) profiles[index]?.push(profiledMs(checkout, folder))
  print("start-up CPU by wrangler's profile", states, profiles)
  const empty = join(folder, 'empty', 'worker.js')
  mkdirSync(join(folder, 'empty'))
  writeFileSync(empty, EMPTY_WORKER)
  const started = states.map((): number[] => [])
  for (const kind of KINDS) {
    const answered = states.map((): number[] => [])
    const targets = states.map(({ name, script, seeded: { image, key, contactId } }) => {
      const shot = benchCases(contactId, key).find((each) => each.name === kind)?.shot
      if (shot === undefined) throw new Error(`There is no case ${kind}`)
      return { script, shot, files: filesWith(image, folder, `start ${name} ${kind}`) }
    })
    for (let start = 0; start < STARTS; start += 1)
      for (const [index, { script, shot, files }] of targets.entries()) {
        const nothing = await startedMs(empty, join(folder, 'empty-files'), shot)
        const service = await startedMs(script, files, shot)
        started[index]?.push(service.startMs - nothing.startMs)
        answered[index]?.push(service.answeredMs - nothing.answeredMs)
      }
    print(`start and first ${kind}, CPU of the runtime, more than with an empty Worker`, states, answered)
  }
  print('start-up CPU of the runtime, more than with an empty Worker', states, started)
}

/** The processor time of a fresh runtime when it has started, and when it has answered a request. */
async function startedMs(script: string, files: string, shot: Shot) {
  const { runtime, origin, pid } = await startTarget(script, files)
  const startMs = cpuMsOf(pid) ?? Number.NaN
  await runLoad(origin, shot, 1, 1)
  const answeredMs = cpuMsOf(pid) ?? Number.NaN
  await runtime.dispose()
  return { startMs, answeredMs }
}

/** The part of a V8 CPU profile that the start-up time is read from. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

function profiledMs(checkout: string, folder: string): number {
  const path = resolve(folder, 'start-up.cpuprofile')
  execFileSync(process.execPath, [WRANGLER, 'check', 'startup', '--outfile', path], {
    stdio: 'pipe',
    cwd: checkout,
  })
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile
  const idle = new Set(
    nodes.filter(({ callFrame }) => /^\((idle|program)\)$/.test(callFrame.functionName)).map(({ id }) => id),
  )
  const busyUs = samples.reduce((sum, id, index) => sum + (idle.has(id) ? 0 : (timeDeltas[index] ?? 0)), 0)
  return busyUs / 1000
}

function print(what: string, states: readonly Starting[], valuesMs: readonly (readonly number[])[]): void {
  const shown = states.map(({ name }, index) => `${name} ${spread(valuesMs[index] ?? [])} ms`)
  console.log(`${what}: ${shown.join(', ')}`)
}

function spread(valuesMs: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(valuesMs, share).toFixed(1))
  return `${middle} (${low}–${high})`
}
