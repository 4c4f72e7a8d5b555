/**
 * Exports and restores an organization with many contacts, to measure rates and memory. Then exports and restores again
 * and again, and kills the client or the service at drawn moments. Variables: WHOLE_ROWS (default 100,000), WHOLE_KILLS
 * (default 4), KILL_ROWS (rows of the organization of the kills, default 20,000) and KILL_SEED.
 */
import assert from 'node:assert/strict'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Manifest } from '../../../domain/organizations/archive.ts'
import { archiveInFile, checkArchive } from '../../../host-worker/operator/commands/archive-files.ts'
import { writeManyContacts } from '../../support/data/contact-files.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { runtimePeakMiB } from '../../support/services/process-tree.ts'
import { operate, scratchDirectory } from '../../support/services/started-service.ts'
import { startImportedService } from '../imports/imported-service.ts'
import { startCommand } from './killable-command.ts'

const rows = Number(process.env.WHOLE_ROWS ?? 100_000)
const kills = Number(process.env.WHOLE_KILLS ?? 4)
const killRows = Number(process.env.KILL_ROWS ?? 20_000)
const draw = seededRandom(Number(process.env.KILL_SEED ?? 20_261_123))

/** The most memory that a command may take, in MiB, however many rows it exports or restores. */
const COMMAND_MAX_MIB = 400

const { check, report, say } = createChecks()
const files = scratchDirectory()
const service = await startImportedService()
const { stateDirectory } = service

async function organizationWith(organizationId: string, count: number): Promise<void> {
  const path = join(files, `${organizationId}.ndjson`)
  await writeManyContacts(path, count)
  await service.createOrganization(organizationId)
  const startedAt = performance.now()
  await service.startClient(organizationId, path).ended()
  say(`        import: ${rateOf(count, startedAt)} rows a second`)
  rmSync(path)
}

function rateOf(count: number, startedAt: number): number {
  return Math.round((count * 1_000) / (performance.now() - startedAt))
}

/** Runs a command to its end, and says how fast it was and how much memory it took. */
async function timed(count: number, ...args: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  const { code, stderr, peakMemoryMiB } = await operate(stateDirectory, ...args)
  assert.equal(code, 0, stderr)
  say(
    `        ${args.slice(0, 2).join(' ')}: ${rateOf(count, startedAt)} rows a second; memory: the command ${String(peakMemoryMiB)} MiB, the runtime at most ${String(runtimePeakMiB(service.pid))} MiB`,
  )
  if (peakMemoryMiB !== null) assert(peakMemoryMiB <= COMMAND_MAX_MIB, `${peakMemoryMiB} MiB`)
}

/** The files with rows that an archive has, with their digests. The whole archive is checked. */
async function filesOf(path: string): Promise<Manifest['files']> {
  return (await checkArchive(archiveInFile(path), null, () => undefined)).manifest.files
}

const large = join(files, 'large.tar')
await check(`${rows} rows are exported and restored in both places`, async () => {
  await organizationWith('large', rows)
  await timed(rows, 'org', 'export', large, '--id', 'large')
  say(`        ${Math.round(statSync(large).size / 1e6)} MB`)
  const before = await filesOf(large)
  for (const place of ['shared', 'own']) {
    const copy = join(files, `${place}.tar`)
    await timed(rows, 'org', 'restore', large, '--id', `large-${place}`, '--place', place)
    await timed(rows, 'org', 'export', copy, '--id', `large-${place}`)
    assert.deepEqual(await filesOf(copy), before)
    rmSync(copy)
  }
})

const small = join(files, 'small.tar')
/** How long the commands take undisturbed, in ms. */
const durationsMs = { export: 0, restore: 0 }

await check('the organization of the kills is exported and restored', async () => {
  await organizationWith('small', killRows)
  const duration = async (...args: readonly string[]) => {
    const startedAt = performance.now()
    assert.equal(await startCommand(stateDirectory, ...args).code(), 0)
    return performance.now() - startedAt
  }
  durationsMs.export = await duration('org', 'export', small, '--id', 'small')
  durationsMs.restore = await duration('org', 'restore', small, '--id', 'small-again')
})

let unfinished = 0

async function killed(
  round: number,
  work: 'export' | 'restore',
  victim: 'client' | 'service',
): Promise<void> {
  const organizationId = `killed-${round}`
  const isOwn = round % 8 > 4
  const target = join(files, `${organizationId}.tar`)
  const args =
    work === 'export'
      ? ['org', 'export', target, '--id', 'small']
      : ['org', 'restore', small, '--id', organizationId, '--place', isOwn ? 'own' : 'shared']
  if (victim === 'service') await service.untilKillable()
  if (work === 'restore' && !isOwn) await service.createOrganization(organizationId)
  const command = startCommand(stateDirectory, ...args)
  // Every command takes a while to start, in which nothing can be half done.
  const afterMs = Math.round((0.3 + 0.7 * draw()) * durationsMs[work])
  await pause(afterMs)
  if (victim === 'client') command.child.kill('SIGKILL')
  else await service.killRuntime()
  const first = await command.code()
  say(`        the ${victim} after ${afterMs} ms of ${work}; the command ended with ${String(first)}`)
  if (first !== 0) {
    // A client can be killed between the end of its work and its own. What looks complete then, an archive that has its
    // name or an organization that can be read and has rows, must be complete, as the comparison below finds.
    let isComplete = work === 'export' && existsSync(target)
    if (work === 'restore' && !isOwn) {
      const status = await service.statusOf(organizationId)
      if (status === 401) unfinished += 1
      else isComplete = await service.hasContacts(organizationId)
    }
    if (!isComplete) {
      const code = await startCommand(stateDirectory, ...args).code()
      // An organization in a database of its own has no key here by which to see whether it is complete.
      assert(code === 0 || isOwn, `the command that continues ended with ${String(code)}`)
    }
  }
  if (work === 'restore') {
    assert.equal(
      await startCommand(stateDirectory, 'org', 'export', target, '--id', organizationId).code(),
      0,
    )
  }
  assert.deepEqual(await filesOf(target), await filesOf(small))
  rmSync(target)
}

for (let round = 0; round < kills; round += 1) {
  const work = round % 2 === 0 ? 'export' : 'restore'
  const victim = round % 4 < 2 ? 'client' : 'service'
  await check(`killed (the ${victim}), ${work} ${round + 1} is taken up and complete`, () =>
    killed(round, work, victim),
  )
}
say(`        ${unfinished} organizations were found closed`)

await check('the service ends on Ctrl-C', () => service.stop())
report()
process.exit()
