import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execFileSync } from 'node:child_process'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { benchAnalytics } from './analytics.ts'
import { conditionalAnswers, seedBench } from './seed.ts'
import type { Shot } from './load.ts'
import { quantile, runLoad } from './load.ts'
import { testRootSecret } from '../support/fakes.ts'

/**
 * Measures the built service against a bare worker on the same runtime, without wrangler's dev proxy, in turn and in
 * one run: only the ratio means anything, and it is the ratio that is printed first.
 */
const ROUNDS = 8
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
  // `npm run bench -- analytics` measures something else than requests against a bare worker.
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
  const service = openMiniflare(bundle, join(folder, 'service'))
  const bare = openMiniflare(join(folder, 'bare.mjs'), join(folder, 'bare'))
  const origins = { service: await directUrl(service), bare: await directUrl(bare) }
  for (const each of cases(key, contactId)) await compare(each, origins)
  await Promise.all([service.dispose(), bare.dispose()])
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
    { name: 'list of 100', aim: 0.9, shotsPerRound: 400, shot: get('/api/v1/contacts') },
    { name: 'detail', aim: 0.85, shotsPerRound: 1200, shot: get(`/api/v1/contacts/${contactId}`) },
    { name: 'submission', aim: 0.8, shotsPerRound: 400, shot: post('bench-form', answers) },
    {
      name: 'submission of 20 fields, 8 conditional',
      aim: 0.8,
      shotsPerRound: 400,
      shot: post('bench-conditional', conditionalAnswers),
    },
  ]
}

async function compare({ name, aim, shotsPerRound, shot }: Case, origins: Origins): Promise<void> {
  const rates = { service: [] as number[], bare: [] as number[] }
  const latencies = { service: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order alternates, and the first round only warms up.
    for (const who of round % 2 === 0 ? (['bare', 'service'] as const) : (['service', 'bare'] as const)) {
      const result = await runLoad(origins[who], shot, shotsPerRound, CONCURRENCY)
      if (round === 0) continue
      rates[who].push(result.requestsPerSecond)
      latencies[who].push(...result.latenciesMs)
    }
  }
  const ratio = quantile(rates.service, 0.5) / quantile(rates.bare, 0.5)
  console.log(`${name}: ratio ${ratio.toFixed(2)} (aim ${aim.toFixed(2)})`)
  for (const who of ['service', 'bare'] as const) {
    const [p50, p99] = [quantile(latencies[who], 0.5), quantile(latencies[who], 0.99)]
    console.log(
      `  ${who.padEnd(8)}${quantile(rates[who], 0.5).toFixed(0).padStart(6)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
    )
  }
}

interface Origins {
  readonly service: string
  readonly bare: string
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
