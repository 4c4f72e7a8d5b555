import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAnalytics } from './analytics.ts'
import { beforeOf, openBefore, type Before } from './before.ts'
import { benchBill } from './bill.ts'
import { printBundle } from './bundle.ts'
import { benchCases } from './cases.ts'
import { compare, type Contender } from './compare.ts'
import { benchImports } from './imports.ts'
import { benchMove } from './move.ts'
import { benchPlaces } from './places.ts'
import { bareWorker, buildWorker, filesWith, seedImage } from './prepare.ts'
import { startTarget } from './runtime.ts'
import { printStartUp } from './start-up.ts'
import { benchUnauthorized } from './unauthorized.ts'

/**
 * Measures the built service against a bare worker on the same runtime, without wrangler's dev proxy, and against an
 * earlier state of the service if its folder is given. An argument selects another measurement: `start`, `places`,
 * `analytics`, `bill`, `move`, `imports`, `journeys` or `unauthorized`.
 */
const { values, positionals } = parseArgs({
  options: { before: { type: 'string' } },
  allowPositionals: true,
})
const [subject = 'requests'] = positionals
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
try {
  if (subject === 'analytics') await benchAnalytics()
  else if (subject === 'bill') await benchBill()
  else if (subject === 'start') await benchStart(await built(), await openEarlier())
  else if (subject === 'places') await benchPlaces(folder, await openEarlier())
  else if (subject === 'move') await benchMove()
  else if (subject === 'imports') await benchImports()
  else if (subject === 'journeys') await import('./journeys.ts')
  else if (subject === 'unauthorized') await benchUnauthorized(folder)
  else await benchService()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function built(): Promise<Pick<Before, 'script' | 'seeded'>> {
  const script = buildWorker(folder)
  return { script, seeded: await seedImage(script, folder) }
}

async function benchService(): Promise<void> {
  const { script, seeded } = await built()
  const before = await openEarlier()
  await benchStart({ script, seeded }, before)
  const { image, key, contactId } = seeded
  const service = await startTarget(script, filesWith(image, folder, 'service'))
  const bare = await startTarget(bareWorker(folder, 'bare-worker.mjs'), filesWith(image, folder, 'bare'))
  const earlier =
    before && (await startTarget(before.script, filesWith(before.seeded.image, folder, 'before')))
  for (const each of benchCases(contactId, key)) {
    const contenders: readonly Contender[] = [
      { name: 'service', target: service, shot: each.shot, aim: null },
      { name: 'bare', target: bare, shot: each.shot, aim: each.aim },
    ]
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
