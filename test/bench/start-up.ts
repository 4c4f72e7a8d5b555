import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMsOf } from './cpu.ts'
import { quantile } from './load.ts'
import { startTarget } from './runtime.ts'

const PROFILES = 5
const STARTS = 20

/** The smallest possible Worker: its cost is the runtime's own. */
const EMPTY_WORKER = 'export default { fetch: () => new Response() }'

/**
 * Prints the cost of starting the Worker in two ways: wrangler's profile of the start, and the processor time of a
 * fresh runtime beside that of one with an empty Worker. The second way counts every thread, and the compilation of
 * modules that are loaded on demand.
 */
export async function printStartUp(wrangler: string, script: string, folder: string): Promise<void> {
  const profiles = Array.from({ length: PROFILES }, () => profiledMs(wrangler, folder))
  console.log(`start-up CPU by wrangler's profile: ${shown(profiles)} ms`)
  const empty = join(folder, 'empty', 'worker.js')
  mkdirSync(join(folder, 'empty'))
  writeFileSync(empty, EMPTY_WORKER)
  const more: number[] = []
  for (let start = 0; start < STARTS; start += 1) {
    const emptyMs = await startedCpuMs(empty, folder)
    more.push((await startedCpuMs(script, folder)) - emptyMs)
  }
  console.log(`start-up CPU of the runtime, more than with an empty Worker: ${shown(more)} ms`)
}

async function startedCpuMs(script: string, folder: string): Promise<number> {
  const { runtime, pid } = await startTarget(script, join(folder, 'start-up'))
  const cpuMs = cpuMsOf(pid)
  await runtime.dispose()
  return cpuMs ?? Number.NaN
}

/** The part of a V8 CPU profile that the start-up time is read from. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

function profiledMs(wrangler: string, folder: string): number {
  const path = join(folder, 'start-up.cpuprofile')
  execFileSync(process.execPath, [wrangler, 'check', 'startup', '--outfile', path], { stdio: 'pipe' })
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile
  const idle = new Set(
    nodes.filter(({ callFrame }) => /^\((idle|program)\)$/.test(callFrame.functionName)).map(({ id }) => id),
  )
  const busyUs = samples.reduce((sum, id, index) => sum + (idle.has(id) ? 0 : (timeDeltas[index] ?? 0)), 0)
  return busyUs / 1000
}

function shown(valuesMs: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(valuesMs, share).toFixed(1))
  return `${middle} (${low}–${high})`
}
