import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAnalytics } from './analytics.ts'
import { printBundle } from './bundle.ts'
import { benchCases } from './cases.ts'
import { compare } from './compare.ts'
import type { StartedDirectus } from './directus/start.ts'
import { startDirectus } from './directus/start.ts'
import { openMiniflare, startTarget } from './runtime.ts'
import { benchContacts, seedBench } from './seed.ts'
import { printStartUp } from './start-up.ts'
import { benchUnauthorized } from './unauthorized.ts'

/**
 * Measures the built service against a bare worker on the same runtime, without wrangler's dev proxy, and against a
 * Directus where one is given. What can be measured besides: `analytics` and `unauthorized`.
 */
const WRANGLER = 'node_modules/wrangler/bin/wrangler.js'

const { values, positionals } = parseArgs({
  options: { directus: { type: 'string' } },
  allowPositionals: true,
})
const [subject = 'requests'] = positionals
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
try {
  await (subject === 'analytics' ? benchAnalytics() : main())
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  // First of all, because a folder without Directus should be told before minutes have passed.
  const directus = await openDirectus(values.directus)
  try {
    await benchService(directus)
  } finally {
    await directus?.close()
  }
}

async function benchService(directus: StartedDirectus | null): Promise<void> {
  const script = buildWorker()
  if (subject === 'requests') {
    await printBundle()
    await printStartUp(WRANGLER, script, folder)
  }
  const seedFolder = join(folder, 'seed')
  const seeding = openMiniflare(script, seedFolder)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- a proxy stands for the class
  const { key, contactId } = await seedBench(await seeding.getD1Database('DB'))
  await seeding.dispose()
  cpSync(seedFolder, join(folder, 'service'), { recursive: true })
  cpSync(seedFolder, join(folder, 'bare'), { recursive: true })
  copyFileSync('test/bench/bare-worker.mjs', join(folder, 'bare.mjs'))
  const service = await startTarget(script, join(folder, 'service'))
  const bare = await startTarget(join(folder, 'bare.mjs'), join(folder, 'bare'))
  const cases = benchCases(contactId, { service: key, directus: directus?.token ?? '' })
  if (subject === 'unauthorized') await benchUnauthorized(service.origin)
  else for (const each of cases) await compare(each, { service, bare, directus })
  await Promise.all([service.runtime.dispose(), bare.runtime.dispose()])
}

async function openDirectus(installation: string | undefined): Promise<StartedDirectus | null> {
  return installation === undefined
    ? null
    : startDirectus(installation, join(folder, 'directus'), benchContacts())
}

/** Builds the Worker as `wrangler deploy` uploads it; returns the path of its entry. */
function buildWorker(): string {
  const out = join(folder, 'bundle')
  execFileSync(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--outdir', out], { stdio: 'pipe' })
  return join(out, 'worker.js')
}
