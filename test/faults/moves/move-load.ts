/**
 * Moves an organization into a database of its own, or back, as CI_SHARE says, else there and back. Meanwhile clients walk
 * over it, keep a copy by reading changes, read pages and submit. Variables: MOVE_ROWS (default 5,000 contacts) and LOAD_PER_SECOND (default 50
 * requests, half of them submissions).
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { issueAdminKey, operatorCall } from '../../support/services/operator/operator-http.ts'
import { prepareLauncher } from '../../support/services/killable-service.ts'
import { ofShare } from '../../support/runner/part.ts'
import { peakMiB } from '../../support/services/process-tree.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { walk, walkPages, type ApiRow } from '../../support/data/walk.ts'
import { notificationsArriveOnce } from '../kills/notifications.ts'
import { createSyncedCopy, repeat } from '../synced-copy.ts'
import { sampled } from '../sampled.ts'
import { startSteadyLoad, type LoadFigures } from '../steady-load.ts'

const rows = Number(process.env.MOVE_ROWS ?? 5_000)
const perSecond = Number(process.env.LOAD_PER_SECOND ?? 50)

/** The organization of the demo form, to which the load submits. */
const ORGANIZATION = 'demo'

const imported = Array.from({ length: rows }, (_, index) => `c-${index}`)
const SYNC_EVERY_MS = 100
/** A walk reads its pages at the pace of a client that processes them. */
const PAGE_EVERY_MS = 20

const { check, report, say } = createChecks()
const state = scratchDirectory()
const launcher = await prepareLauncher(state, { hasDemo: true })
const demoKey = readStateRecord(state)?.demoKeys.get('demo') ?? ''
const service = await launcher.start()
const ROOT_SECRET = readStateRecord(state)?.rootSecret ?? ''
const key = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))
const call = operatorCall(service.origin, key)

async function importContacts(): Promise<void> {
  const file = join(scratchDirectory(), 'contacts.ndjson')
  const stream = createWriteStream(file)
  for (const [index, contactId] of imported.entries()) {
    const createdAt = new Date(Date.UTC(2024, 0, 1) + index * 1_000).toISOString()
    const line = {
      contactId,
      firstName: 'Ada',
      email: `contact${index}@example.com`,
      createdAt,
    }
    const sent = { ...line, tags: [], emailConsent: 'unknown', smsConsent: 'unknown' }
    if (!stream.write(`${JSON.stringify(sent)}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
  const script = join(projectRoot, 'test', 'faults', 'imports', 'import-client.ts')
  const given = [script, service.origin, key, ORGANIZATION, file]
  const [code] = (await once(
    spawn(process.execPath, given, { stdio: ['ignore', 'ignore', 'inherit'] }),
    'close',
  )) as [number]
  assert.equal(code, 0)
}

interface ShownMove {
  readonly moveId: string
  readonly phase: string
  readonly copiedRows: number
  readonly pausedMs: number | null
  readonly endedAt: string | null
}

/** Starts a move and polls it until it has ended. */
async function move(place: 'own' | 'shared'): Promise<ShownMove> {
  const begun = await call('POST', `/operator/v1/organizations/${ORGANIZATION}/move`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ place }),
  })
  assert.equal(begun.status, 200)
  let shown = ((await begun.json()) as { readonly move: ShownMove }).move
  while (shown.endedAt === null) {
    await pause(250)
    const { moveId } = shown
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${service.origin}/operator/v1/moves/${moveId}`, { headers })
    assert.equal(response.status, 200)
    shown = (await response.json()) as ShownMove
  }
  return shown
}

function isOfLoad({ answers }: ApiRow): boolean {
  const { message } = answers as Readonly<Record<string, unknown>>
  return typeof message === 'string' && message.startsWith('Message ')
}

/** The ids of the load's submissions that are stored. */
let saved: readonly string[] = []
/** The number of walks over all contacts that have ended. */
let walks = 0

/** Reads all contacts from the first page to the last. Cursors must stay valid during the move. */
async function walkWhole(): Promise<void> {
  const ids = new Set<string>()
  for await (const page of walkPages(service.origin, '/api/v1/contacts?limit=500', demoKey)) {
    for (const { contactId } of page.rows) {
      assert(!ids.has(String(contactId)), 'a walk gave a contact twice')
      ids.add(String(contactId))
    }
    await pause(PAGE_EVERY_MS)
  }
  const missing = imported.filter((id) => !ids.has(id))
  assert.deepEqual(sampled(missing), [], `a walk lacked ${missing.length} contacts`)
  walks += 1
}

/** Checks that every receipt has its row, and that no submission is listed twice. */
async function assertStored(submissionIds: readonly string[]): Promise<void> {
  const { rows: stored } = await walk(service.origin, '/api/v1/forms/submissions?limit=500', demoKey)
  const ids = new Set(stored.map(({ submissionId }) => String(submissionId)))
  assert.equal(ids.size, stored.length)
  const lost = submissionIds.filter((submissionId) => !ids.has(submissionId))
  assert.deepEqual(sampled(lost), [], `${lost.length} receipts have no row`)
  say(`        ${submissionIds.length} receipts, each with its row`)
  saved = stored.filter(isOfLoad).map(({ submissionId }) => String(submissionId))
}

function sayFigures({ copiedRows, pausedMs }: ShownMove, seconds: number, load: LoadFigures): void {
  const { answered, durationsMs, submittedMs } = load
  const at = (share: number) => Math.round(durationsMs[Math.floor(durationsMs.length * share)] ?? 0)
  const longest = Math.round(submittedMs.at(-1) ?? 0)
  say(`        ${copiedRows} rows in ${seconds.toFixed(1)} s; writes were paused for ${String(pausedMs)} ms`)
  say(
    `        ${answered} requests meanwhile (${Math.round(answered / seconds)} a second): median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1 - 1e-9)} ms; longest submission ${longest} ms`,
  )
  say(`        ${walks} whole walks; memory of the runtime ${String(peakMiB(service.pid))} MiB`)
}

async function moveUnderLoad(place: 'own' | 'shared'): Promise<void> {
  const copy = createSyncedCopy({ path: '/api/v1/contacts', idField: 'contactId', keep: () => null }, demoKey)
  await copy.refresh(service.origin)
  const load = startSteadyLoad(service.origin, demoKey, perSecond)
  const sync = repeat(SYNC_EVERY_MS, () => copy.refresh(service.origin))
  const walking = repeat(SYNC_EVERY_MS, walkWhole)
  try {
    await pause(1_000)
    const startedAt = performance.now()
    const moved = await move(place)
    const seconds = (performance.now() - startedAt) / 1_000
    await pause(1_000)
    const figures = await load.stop()
    sayFigures(moved, seconds, figures)
    assert.equal(moved.phase, 'done')
    assert.deepEqual([sampled(figures.wrong), figures.broken], [[], 0])
    await walking.stop()
    await sync.stop()
    await assertStored(figures.submissionIds)
  } finally {
    await load.stop()
    await Promise.allSettled([walking.stop(), sync.stop()])
  }
  assert.deepEqual(sampled(await copy.differences(service.origin)), [], 'the copy is not complete')
}

await importContacts()
const places = ofShare(['own', 'shared'] as const)
// Where it moves back alone, it has moved there before, without a load.
if (!places.includes('own')) assert.equal((await move('own')).phase, 'done')
for (const place of places)
  await check(
    `moves to ${place} while ${perSecond} requests a second read and submit: none fails, nothing is lost`,
    () => moveUnderLoad(place),
  )
await notificationsArriveOnce({ service, state, saved, check, say })
await service.dispose()
report()
process.exit()
