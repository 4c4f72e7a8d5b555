import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execFileSync } from 'node:child_process'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { benchAnalytics } from './analytics.ts'
import { conditionalAnswers, seedBench } from './seed.ts'
import { benchUnauthorized } from './unauthorized.ts'
import type { Shot } from './load.ts'
import { cpuMsOf, runtimePids } from './cpu.ts'
import { quantile, runLoad } from './load.ts'
import { testRootSecret } from '../support/fakes.ts'

/**
 * Measures the built service against a bare worker on the same runtime, without wrangler's dev proxy, in turn and in
 * one run: only the ratio means anything, and it is the ratio that is printed first.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
const CONCURRENCY = 4
const WRANGLER = 'node_modules/wrangler/bin/wrangler.js'

interface Case {
  readonly name: string
  readonly aim: number
  readonly shotsPerRound: number
  readonly shot: Shot
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
try {
  // `npm run bench -- analytics` and `-- unauthorized` measure something else than requests against a bare worker.
  await (process.argv[2] === 'analytics' ? benchAnalytics() : main())
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const bundle = buildWorker()
  printBundle(bundle)
  const seedFolder = join(folder, 'seed')
  const seeding = openMiniflare(bundle, seedFolder)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- a proxy stands for the class
  const { key, contactId } = await seedBench(await seeding.getD1Database('DB'))
  await seeding.dispose()
  cpSync(seedFolder, join(folder, 'service'), { recursive: true })
  cpSync(seedFolder, join(folder, 'bare'), { recursive: true })
  copyFileSync('test/bench/bare-worker.mjs', join(folder, 'bare.mjs'))
  const service = await startTarget(bundle, join(folder, 'service'))
  const bare = await startTarget(join(folder, 'bare.mjs'), join(folder, 'bare'))
  const targets = { service: service.target, bare: bare.target }
  if (process.argv[2] === 'unauthorized') await benchUnauthorized(service.target.origin)
  else for (const each of cases(key, contactId)) await compare(each, targets)
  await Promise.all([service.runtime.dispose(), bare.runtime.dispose()])
}

function cases(key: string, contactId: string): readonly Case[] {
  const get = (path: string): Shot => ({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${key}` },
    body: null,
  })
  const answers = { _gotcha: '', full_name: 'Ada Lovelace', email: 'ada@example.com', message: 'Hello there' }
  const post = (formId: string, body: unknown): Shot => ({
    method: 'POST',
    path: `/api/forms/${formId}/submissions`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [
    { name: 'list of 100', aim: 0.9, shotsPerRound: 300, shot: get('/api/v1/contacts') },
    { name: 'detail', aim: 0.85, shotsPerRound: 600, shot: get(`/api/v1/contacts/${contactId}`) },
    { name: 'submission', aim: 0.8, shotsPerRound: 300, shot: post('bench-form', answers) },
    {
      name: 'submission of 20 fields, 8 conditional',
      aim: 0.8,
      shotsPerRound: 300,
      shot: post('bench-conditional', conditionalAnswers),
    },
  ]
}

/** What one side did in the rounds that count. */
interface Side {
  readonly ratesPerSecond: number[]
  readonly cpuMsPerRequest: number[]
  readonly latenciesMs: number[]
}

async function compare({ name, aim, shotsPerRound, shot }: Case, targets: Targets): Promise<void> {
  const sides = { service: emptySide(), bare: emptySide() }
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order alternates, and the first round only warms up.
    for (const who of round % 2 === 0 ? (['bare', 'service'] as const) : (['service', 'bare'] as const)) {
      const { origin, pid } = targets[who]
      const cpuBeforeMs = cpuMsOf(pid)
      const result = await runLoad(origin, shot, shotsPerRound, CONCURRENCY)
      if (round === 0) continue
      const cpuMs = (cpuMsOf(pid) ?? Number.NaN) - (cpuBeforeMs ?? Number.NaN)
      sides[who].ratesPerSecond.push(result.requestsPerSecond)
      sides[who].cpuMsPerRequest.push(cpuMs / shotsPerRound)
      sides[who].latenciesMs.push(...result.latenciesMs)
    }
  }
  const { service, bare } = sides
  const byThroughput = ratios(service.ratesPerSecond, bare.ratesPerSecond)
  const byCpu = ratios(bare.cpuMsPerRequest, service.cpuMsPerRequest)
  console.log(
    `${name}: throughput ${spread(byThroughput)}, CPU time ${spread(byCpu)} of the bare worker (aim ${aim.toFixed(2)})`,
  )
  for (const who of ['service', 'bare'] as const) {
    const { ratesPerSecond, cpuMsPerRequest, latenciesMs } = sides[who]
    const [p50, p99] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)]
    const rate = quantile(ratesPerSecond, 0.5).toFixed(0).padStart(6)
    const cpu = quantile(cpuMsPerRequest, 0.5).toFixed(2)
    console.log(
      `  ${who.padEnd(8)}${rate}/s   CPU ${cpu} ms   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
    )
  }
}

function emptySide(): Side {
  return { ratesPerSecond: [], cpuMsPerRequest: [], latenciesMs: [] }
}

/** Round by round, because what else the machine does in one round slows down both sides. */
function ratios(upper: readonly number[], lower: readonly number[]): readonly number[] {
  return upper.map((value, index) => value / (lower[index] ?? Number.NaN))
}

/** The median and the middle half of the values. */
function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(2))
  return `${middle} (${low}–${high})`
}

interface Target {
  readonly origin: string
  /** The process of its runtime. */
  readonly pid: number
}

interface Targets {
  readonly service: Target
  readonly bare: Target
}

/** Starts a runtime and finds out which process it is. */
async function startTarget(script: string, persist: string) {
  const before = new Set(runtimePids())
  const runtime = openMiniflare(script, persist)
  const origin = await directUrl(runtime)
  const pid = runtimePids().find((each) => !before.has(each))
  if (pid === undefined) throw new Error('The runtime has no process')
  return { runtime, target: { origin, pid } }
}

function openMiniflare(script: string, persist: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      scriptPath: script,
      modulesRoot: dirname(script),
      compatibilityDate: '2026-10-20',
      d1Databases: { DB: 'bench' },
      bindings: { ROOT_SECRET: testRootSecret(), MAIL_DOMAIN: 'mail.example.com', PLATFORM_BRAND: 'Bench' },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      resourcePersistencePath: persist,
      cf: false,
      // The log line of each request is part of the service, but printing it here would measure the terminal.
      handleStructuredLogs: () => undefined,
    }),
  )
}

async function directUrl(miniflare: Miniflare): Promise<string> {
  await miniflare.ready
  return (await miniflare.unsafeGetDirectURL()).origin
}

function buildWorker(): string {
  const out = join(folder, 'bundle')
  execFileSync(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--minify', '--outdir', out], {
    stdio: 'pipe',
  })
  return join(out, 'worker.js')
}

function printBundle(bundle: string): void {
  const bytes = readFileSync(bundle)
  console.log(`bundle: ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} gzip`)
  const profilePath = join(folder, 'startup.cpuprofile')
  execFileSync(process.execPath, [WRANGLER, 'check', 'startup', '--outfile', profilePath], { stdio: 'pipe' })
  const profile = JSON.parse(readFileSync(profilePath, 'utf8')) as CpuProfile
  const idle = new Set(
    profile.nodes
      .filter((node) => /^\((idle|program)\)$/.test(node.callFrame.functionName))
      .map((node) => node.id),
  )
  const busyUs = profile.samples.reduce(
    (sum, id, index) => sum + (idle.has(id) ? 0 : (profile.timeDeltas[index] ?? 0)),
    0,
  )
  console.log(`start-up CPU: ${(busyUs / 1000).toFixed(1)} ms`)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}

/** The part of a V8 CPU profile that the start-up time is read from. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}
