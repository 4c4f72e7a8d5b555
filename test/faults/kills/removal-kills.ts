/**
 * Removes again and again from an organization: all of it, a person with many rows, and what is old. Each time the client
 * or the service is killed at a drawn moment, and then the same command must leave the same as if nobody had been killed.
 * Variables: REMOVAL_KILLS (of each kind of work, default 1), KILL_ROWS (default 4,000) and KILL_SEED.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readArchive } from '../../../domain/organizations/read-archive.ts'
import { archiveInFile, openNodeDigest } from '../../../host-worker/operator/commands/archive-files.ts'
import { writeNdjson } from '../../support/data/contact-files.ts'
import { walk, type ApiRow } from '../../support/data/walk.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { operate, operateOrThrow, scratchDirectory } from '../../support/services/started-service.ts'
import { startImportedService } from '../imports/imported-service.ts'
import { startCommand } from './killable-command.ts'

const kills = Number(process.env.REMOVAL_KILLS ?? 1)
const rows = Number(process.env.KILL_ROWS ?? 4_000)
const seed = Number(process.env.KILL_SEED ?? 20_261_124)
const draw = seededRandom(seed)

const { check, report, say } = createChecks()
const files = scratchDirectory()
const service = await startImportedService()
const { origin, stateDirectory } = service
const run = (...args: readonly string[]) => operateOrThrow(stateDirectory, ...args)

const ID = 'victim'
const PHONE = '+12125550187'
const whole = join(files, 'whole.tar')
const after = join(files, 'after.tar')

/** An organization in which one person has every row, half of which are old submissions. */
async function prepare(): Promise<void> {
  const path = join(files, 'rows.ndjson')
  const createdAt = '2020-01-01T00:00:00Z'
  const importRows = async (kind: string, lines: readonly object[]) => {
    writeNdjson(path, lines)
    await run('import', kind, path, '--org', ID)
  }
  await run('org', 'create', '--id', ID, '--name', 'Victim')
  const all = Array.from({ length: rows / 2 }, (_, index) => index)
  const consents = { emailConsent: 'subscribed', smsConsent: 'unknown', tags: [] }
  await importRows(
    'contacts',
    all.map((index) => ({ contactId: `c-${index}`, firstName: 'Ada', phone: PHONE, createdAt, ...consents })),
  )
  const fields = [{ id: 'name', type: 'short_text', label: 'Name' }]
  await importRows('forms', [
    { formId: 'victims-form', name: 'Form', fields, notificationEmails: [], isPublished: true },
  ])
  const submission = {
    formId: 'victims-form',
    answers: { name: 'Ada' },
    attribution: {},
    source: 'headless',
    submittedAt: createdAt,
  }
  await importRows(
    'form-submissions',
    all.map((index) => ({ submissionId: `s-${index}`, contactId: `c-${index}`, ...submission })),
  )
  await run('org', 'export', whole, '--id', ID)
  await run('org', 'delete', '--id', ID, '--confirm', ID)
}

/** The rows of an archive, by their files. */
async function rowsIn(path: string): Promise<ReadonlyMap<string, readonly ApiRow[]>> {
  const found = new Map<string, ApiRow[]>()
  for await (const piece of readArchive(archiveInFile(path).open(), openNodeDigest))
    if (piece.kind === 'part')
      found.set(piece.file, [
        ...(found.get(piece.file) ?? []),
        ...piece.lines.map((line) => JSON.parse(line) as ApiRow),
      ])
  return found
}

const readAll = async (path: string, key: string) => (await walk(origin, `${path}?limit=500`, key)).rows

/** What is left when nobody is killed, as other tests prove; here it must be the same after a kill. */
async function exported(): Promise<ReadonlyMap<string, readonly ApiRow[]>> {
  await run('org', 'export', after, '--id', ID)
  const found = await rowsIn(after)
  rmSync(after)
  return found
}

interface Work {
  readonly args: readonly string[]
  /** Fires what the command only asked for. */
  readonly begin?: () => Promise<unknown>
  /** Checks that nothing can be read that is half removed. */
  readonly half: (key: string) => Promise<void>
  /** Checks that all is removed, and leaves no organization. */
  readonly done: () => Promise<void>
}

const fireCron = () =>
  fetch(`${origin}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`)
    .then((answer) => answer.text())
    .catch(() => '')
const deleteArgs = ['org', 'delete', '--id', ID, '--confirm', ID]
const statusOf = async (key: string) =>
  (await fetch(`${origin}/api/v1/contacts?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status

const works: Readonly<Record<string, Work>> = {
  delete: {
    args: deleteArgs,
    async half(key) {
      // It was closed before the first row went.
      if ((await statusOf(key)) === 200)
        assert.equal((await readAll('/api/v1/contacts', key)).length, rows / 2)
    },
    // That it can be restored again proves that no row is left, and that its ids are free.
    done: async () => undefined,
  },
  erase: {
    args: ['contact', 'erase', '--org', ID, '--phone', PHONE],
    async half(key) {
      for (const { contactId, firstName, phone, emailConsent } of await readAll('/api/v1/contacts', key)) {
        const parts = [firstName === null, phone === null, emailConsent === 'unsubscribed']
        assert.equal(new Set(parts).size, 1, `${String(contactId)} is half erased`)
      }
    },
    async done() {
      const found = await exported()
      assert.equal(found.get('rows/contacts.ndjson')?.length, rows / 2)
      assert.equal(found.get('rows/form-submissions.ndjson')?.length, rows / 2)
      assert.doesNotMatch(JSON.stringify([...found]), /Ada|2125550187/)
      await run(...deleteArgs)
    },
  },
  retention: {
    args: ['retention', 'set', '--org', ID, '--submissions', '30'],
    begin: fireCron,
    async half(key) {
      // A row and what tells of its removal change places in one step.
      const left = (await readAll('/api/v1/forms/submissions', key)).length
      const removed = (await readAll('/api/v1/removals', key)).length
      assert(left + removed >= rows / 2, `${left} are left, of ${removed} it is known that they were removed`)
    },
    async done() {
      let left = Infinity
      for (let tries = 0; left > 0 && tries < 60; tries += 1) {
        await fireCron()
        left = (await exported()).get('rows/form-submissions.ndjson')?.length ?? 0
      }
      const found = await exported()
      assert.equal(left, 0)
      assert.equal(found.get('rows/removals.ndjson')?.length, rows / 2)
      assert.equal(found.get('rows/contacts.ndjson')?.length, rows / 2)
      await run(...deleteArgs)
    },
  },
}

/** How long each work takes undisturbed, in ms. */
const durationsMs = new Map<string, number>()

async function restored(place: string): Promise<string> {
  await run('org', 'restore', whole, '--place', place)
  return run('key', 'issue', '--org', ID)
}

async function undisturbed(name: string, { args, begin, done }: Work): Promise<void> {
  await restored('shared')
  const startedAt = performance.now()
  await run(...args)
  await begin?.()
  durationsMs.set(name, performance.now() - startedAt)
  await done()
}

async function killed(name: string, work: Work, round: number): Promise<void> {
  const victim = name === 'retention' || round % 2 === 1 ? 'service' : 'client'
  const place = round % 4 < 2 ? 'shared' : 'own'
  const key = await restored(place)
  if (victim === 'service') await service.untilKillable()
  const command = startCommand(stateDirectory, ...work.args)
  if (work.begin !== undefined) await command.code()
  const begun = work.begin?.()
  const afterMs = Math.round((0.2 + 0.8 * draw()) * (durationsMs.get(name) ?? 0))
  await pause(afterMs)
  if (victim === 'client') command.child.kill('SIGKILL')
  else await service.killRuntime()
  const first = await command.code()
  await begun
  say(
    `        ${place}: the ${victim} after ${afterMs} ms of ${name}; the command ended with ${String(first)}`,
  )
  await work.half(key)
  const again = await operate(stateDirectory, ...work.args)
  // Whoever is told that there is no such organization has deleted it.
  assert(again.code === 0 || (name === 'delete' && again.stderr.includes('no organization')), again.stderr)
  await work.done()
}

say(`KILL_SEED=${seed}`)
// Without it, nothing else can be tried.
await prepare()
for (const [name, work] of Object.entries(works))
  await check(`${name} is done when nobody is killed`, () => undisturbed(name, work))
for (let round = 0; round < kills; round += 1)
  for (const [name, work] of Object.entries(works))
    await check(`${name} ${round + 1} was killed, and is taken up`, () => killed(name, work, round))
await check('nothing is left, and the service ends on Ctrl-C', async () => {
  await run('org', 'restore', whole)
  await run(...deleteArgs)
  await service.stop()
})
report()
process.exit()
