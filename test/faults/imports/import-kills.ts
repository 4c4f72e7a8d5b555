/**
 * Imports contacts in three sizes, to measure the memory that it takes. Then imports while 50 requests a second read
 * and submit. Then imports again and again, and kills a process in every phase of an import: first the client, then the
 * service. Variables: IMPORT_ROWS (default 100,000), IMPORT_KILLS (default 4), LOAD_PER_SECOND (default 50) and
 * KILL_SEED.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createChecks } from '../../support/runner/checks.ts'
import { writeManyContacts } from '../../support/data/contact-files.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { runtimePeakMiB } from '../../support/services/process-tree.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import {
  describeImport,
  drawMoments,
  isHalfWritten,
  untilMoment,
  type Moment,
  type SeenImport,
} from './import-moments.ts'
import { startImportedService, type ImportClient } from './imported-service.ts'
import { startSteadyLoad, type LoadFigures } from '../steady-load.ts'

const rows = Number(process.env.IMPORT_ROWS ?? 100_000)
const kills = Number(process.env.IMPORT_KILLS ?? 4)
const perSecond = Number(process.env.LOAD_PER_SECOND ?? 50)
const draw = seededRandom(Number(process.env.KILL_SEED ?? 20_261_122))

/**
 * Up to this many rows, every round ends with another import of the whole file; with more rows, every fifth round does.
 */
const CHEAP_ROWS = 100_000

/**
 * How much more memory the runtime may take for an import of fifty times as many rows. Some growth is normal, because
 * the local runtime grows with every request and a large file takes thousands. Keeping the rows in memory would take
 * more than this. `small-heap.sh` imports into a heap that has no room to spare.
 */
const GROWTH_MAX_MIB = 512

const { check, report, say } = createChecks()
const files = scratchDirectory()
const file = await fileOf(rows)
const service = await startImportedService()

async function fileOf(count: number): Promise<string> {
  const path = join(files, `contacts-${count}.ndjson`)
  if (!existsSync(path)) await writeManyContacts(path, count)
  return path
}

/** Imports while requests arrive at a steady pace. None of them may fail. */
async function underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
  const load = startSteadyLoad(service.origin, service.demoKey, perSecond)
  let figures: LoadFigures | undefined
  try {
    return await work()
  } finally {
    figures = await load.stop()
    const { answered, durationsMs, wrong, broken } = figures
    const at = (share: number) => Math.round(durationsMs[Math.floor(durationsMs.length * share)] ?? 0)
    say(`        ${answered} requests meanwhile: median ${at(0.5)} ms, p99 ${at(0.99)} ms`)
    assert.deepEqual([wrong.slice(0, 3), broken], [[], 0], wordsOfService())
  }
}

/** The last output of the service, without the log lines of its Worker. */
function wordsOfService(): string {
  const lines = service.output().split('\n')
  return lines
    .filter((line) => !line.startsWith('{'))
    .slice(-20)
    .join('\n')
}

async function importUndisturbed(organizationId: string, path: string, count: number): Promise<void> {
  await service.createOrganization(organizationId)
  const startedAt = performance.now()
  const { outcome, peakMiB } = await service.startClient(organizationId, path).ended()
  const rate = Math.round((count * 1_000) / (performance.now() - startedAt))
  assert.deepEqual(outcome, {
    kind: 'imported',
    read: count,
    changed: count,
    unchanged: 0,
    fresh: null,
    merged: null,
    skipped: 0,
    warnings: [],
  })
  say(`        ${rate} rows a second; memory: the client at most ${peakMiB} MiB`)
}

/** The most memory that a process of the runtime has taken so far, in MiB, after an import of each size. */
const peaks: number[] = []

for (const count of [Math.ceil(rows / 50), Math.ceil(rows / 10), rows]) {
  await check(`${count} rows are imported`, async () => {
    await importUndisturbed(`alone-${count}`, await fileOf(count), count)
    const peakMiB = runtimePeakMiB(service.pid)
    if (peakMiB !== null) peaks.push(peakMiB)
    say(`        the runtime at most ${String(peakMiB)} MiB`)
  })
}
await check(`the memory of the runtime does not grow with the file`, () => {
  const [least = 0, , most = 0] = peaks
  assert(most - least <= GROWTH_MAX_MIB, `${least} MiB became ${most} MiB`)
})
await check(
  `${rows} rows are imported while ${perSecond} requests a second read and submit, none with an error`,
  () => underLoad(() => importUndisturbed('under-load', file, rows)),
)

/** Checks what must be true after any interruption: before the import is decided, none of its rows are stored. */
async function assertNothingHalf(organizationId: string): Promise<SeenImport | null> {
  // The contacts are read first, because the import may continue in between.
  const hasContacts = await service.hasContacts(organizationId)
  const seen = await service.latestImport(organizationId)
  if (seen === null || seen.state === 'receiving') assert(!hasContacts, 'rows are there before the decision')
  return seen
}

/** Interrupts an import at a moment. Returns the client that continues it, and the state in which it was found. */
async function interrupt(
  { victim, phase }: Moment,
  organizationId: string,
  client: ImportClient,
): Promise<{ readonly successor: ImportClient; readonly found: SeenImport | null }> {
  if (victim === 'service') {
    await service.killRuntime()
    return { successor: client, found: await assertNothingHalf(organizationId) }
  }
  await client.kill()
  const found = await assertNothingHalf(organizationId)
  // Once an import is nearly written, no client asks for it any more: the service must continue it by itself.
  if (phase === 'writing, late')
    await untilMoment({ victim, phase: 'settling', progress: 2 }, () => service.latestImport(organizationId))
  return { successor: service.startClient(organizationId, file), found }
}

let halfWritten = 0

async function killed(moment: Moment, organizationId: string): Promise<void> {
  await service.createOrganization(organizationId)
  if (moment.victim === 'service') await service.untilKillable()
  const client = service.startClient(organizationId, file)
  const seen = await untilMoment(moment, () => service.latestImport(organizationId))
  const { successor, found } = await interrupt(moment, organizationId, client)
  say(`        killed when ${describeImport(seen)}; found afterwards: ${describeImport(found)}`)
  // What is found afterwards may be complete: the service goes on by itself as soon as it can be asked.
  if (isHalfWritten(seen)) halfWritten += 1
  const { outcome } = await successor.ended()
  assert.deepEqual([outcome.kind, outcome.read], ['imported', rows])
  // A chunk and its count are written in one batch. So if the counts of all imports add up, no row was written twice.
  const imports = await service.imports(organizationId)
  assert.deepEqual(
    [...new Set(imports.map(({ state, writtenRows }) => `${state} ${writtenRows}`))],
    [`done ${rows}`],
  )
  assert.equal(
    imports.reduce((sum, { changedRows }) => sum + changedRows, 0),
    rows,
  )
}

/** Every row is stored with its content: importing the file again changes nothing. */
async function assertComplete(organizationId: string): Promise<void> {
  const { outcome } = await service.startClient(organizationId, file).ended()
  assert.deepEqual(outcome, {
    kind: 'imported',
    read: rows,
    changed: 0,
    unchanged: rows,
    fresh: null,
    merged: null,
    skipped: 0,
    warnings: [],
  })
}

for (const [round, moment] of drawMoments(kills, draw).entries()) {
  const { victim, phase } = moment
  await check(`killed while ${phase} (the ${victim}), an import is taken up and complete`, async () => {
    const organizationId = `killed-${round}`
    await killed(moment, organizationId)
    if (rows <= CHEAP_ROWS || round % 5 === 4) await assertComplete(organizationId)
  })
}
await check('kills met imports that were half written', () => {
  say(`        ${halfWritten} of ${kills}`)
  assert(kills < 4 || halfWritten > 0)
})

await check('the service ends on Ctrl-C', () => service.stop())
report()
process.exit()
