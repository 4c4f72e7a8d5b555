import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAnalytics } from './analytics.ts'
import { beforeOf, openBefore, type Before } from './before.ts'
import { benchBill } from './bill.ts'
import { printBundle } from './bundle.ts'
import { benchCases, type Case } from './cases.ts'
import { compare, type Contender } from './compare.ts'
import { startDirectus, type StartedDirectus } from './directus/start.ts'
import { benchFleet } from './fleet/fleet.ts'
import { benchPlaces } from './places.ts'
import { bareWorker, buildWorker, filesWith, seedImage } from './prepare.ts'
import { startTarget, type Target } from './runtime.ts'
import { benchContacts } from './seed.ts'
import { printStartUp } from './start-up.ts'
import { benchSteps } from './steps/run-steps.ts'
import { benchUnauthorized } from './fleet/unauthorized.ts'

/**
 * Measures the built service against a bare worker on the same runtime, without wrangler's dev proxy, and against
 * Directus and an earlier state of the service if their folders are given. An argument selects another measurement: `start`, `steps`, `places`, `fleet`,
 * `analytics`, `bill`, `journeys` or `unauthorized`.
 */
const { values, positionals } = parseArgs({
  options: { directus: { type: 'string' }, before: { type: 'string' } },
  allowPositionals: true,
})
const [subject = 'requests', part = null] = positionals
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
try {
  if (subject === 'analytics') await benchAnalytics()
  else if (subject === 'bill') await benchBill()
  else if (subject === 'start') await benchStart(await built(), await openEarlier())
  else if (subject === 'places') await benchPlaces(folder, await openEarlier())
  else if (subject === 'steps') await benchSteps(folder, part)
  else if (subject === 'fleet') await benchFleet(folder)
  else if (subject === 'journeys') await import('./journeys.ts')
  else if (subject === 'unauthorized') await benchUnauthorized(folder)
  else await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  // Directus is started first, so that a folder without it is reported at once and not after minutes.
  const directus = await openDirectus(values.directus)
  try {
    await benchService(directus)
  } finally {
    await directus?.close()
  }
}

async function built(): Promise<Pick<Before, 'script' | 'seeded'>> {
  const script = buildWorker(folder)
  return { script, seeded: await seedImage(script, folder) }
}

async function benchService(directus: StartedDirectus | null): Promise<void> {
  const { script, seeded } = await built()
  const before = await openEarlier()
  await benchStart({ script, seeded }, before)
  const { image, key, contactId } = seeded
  const service = await startTarget(script, filesWith(image, folder, 'service'))
  const bare = await startTarget(bareWorker(folder, 'bare-worker.mjs'), filesWith(image, folder, 'bare'))
  const earlier =
    before && (await startTarget(before.script, filesWith(before.seeded.image, folder, 'before')))
  const cases = benchCases(contactId, { service: key, directus: directus?.token ?? '' })
  for (const each of cases) {
    const contenders = contendersOf(each, { service, bare, directus })
    await compare(
      each,
      before && earlier ? [...contenders, beforeOf(each, before.seeded, earlier)] : contenders,
    )
  }
  for (const target of [service, bare, earlier]) await target?.runtime.dispose()
}

/** What an isolate loads, and what its start and its first answer cost, beside an earlier state if there is one. */
async function benchStart(own: Pick<Before, 'script' | 'seeded'>, before: Before | null): Promise<void> {
  await printBundle()
  const states = [{ name: 'service', checkout: '.', ...own }]
  const { before: checkout = '' } = values
  await printStartUp(folder, before === null ? states : [...states, { name: 'before', checkout, ...before }])
}

/** The earlier state of the service, if its checkout is given. */
async function openEarlier(): Promise<Before | null> {
  return values.before === undefined ? null : openBefore(values.before, join(folder, 'earlier'))
}

/** Directus only takes part when its folder is given. */
interface Targets {
  readonly service: Target
  readonly bare: Target
  readonly directus: Target | null
}

function contendersOf(of: Case, { service, bare, directus }: Targets): readonly Contender[] {
  const measured = [
    { name: 'service', target: service, shot: of.shot, aim: null },
    { name: 'bare', target: bare, shot: of.shot, aim: of.aim },
  ]
  if (directus === null) return measured
  return [...measured, { name: 'directus', target: directus, shot: of.directus, aim: null }]
}

async function openDirectus(installation: string | undefined): Promise<StartedDirectus | null> {
  return installation === undefined
    ? null
    : startDirectus(installation, join(folder, 'directus'), benchContacts())
}
