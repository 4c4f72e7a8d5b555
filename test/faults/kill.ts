/**
 * Kills the running service at random moments under load, again and again on one state, and checks after each restart
 * that every receipt a client got is kept. KILL_ROUNDS (default 30) and KILL_SEED may be given.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createChecks } from '../support/checks.ts'
import { seededRandom } from '../support/fakes.ts'
import { processTree } from '../support/process-tree.ts'
import type { StartedService } from '../support/started-service.ts'
import { freePort, scratchDirectory, signalGroup, startService } from '../support/started-service.ts'
import type { ApiRow } from '../support/walk.ts'
import { walk } from '../support/walk.ts'
import { notificationsArriveOnce } from './notifications.ts'
import type { LoadOutcome, Receipt } from './load.ts'
import { startLoad } from './load.ts'

const rounds = Number(process.env.KILL_ROUNDS ?? 30)
const seed = Number(process.env.KILL_SEED ?? 20_261_120)

/** When the kill comes, in ms from the first post: some find the service cold, most find it busy. */
const EARLIEST_MS = 100
const LATEST_MS = 2_000
/** Clients go on for a moment, as they would. */
const LOAD_AFTER_KILL_MS = 150
const RESTART_TIMEOUT_MS = 60_000

const { check, report, say } = createChecks()
const draw = seededRandom(seed)
const state = scratchDirectory()
const port = await freePort()
const receipts: Receipt[] = []
/** Submissions of this run that are in the list after the latest restart. */
let saved: readonly string[] = []
const totals = { broken: 0, failures: 0, unacknowledged: 0 }

/** `everything`: npm, `start.ts` and the service. `service`: wrangler and workerd alone, which `start.ts` starts again. */
type Victims = 'everything' | 'service'

/** The process groups to kill. Found before the load starts: looking takes longer than a post, and the kill must not. */
function groupsOf({ pid }: StartedService, victims: Victims): readonly number[] {
  const groups = new Set(processTree(pid).map(({ groupId }) => groupId))
  if (victims === 'service') groups.delete(pid)
  return [...groups]
}

/** The service after the kill: started again by hand, or by its supervisor. */
async function restarted(service: StartedService, victims: Victims): Promise<StartedService> {
  if (victims === 'everything') return startService({ port, stateDirectory: state })
  const giveUpAt = performance.now() + RESTART_TIMEOUT_MS
  while (!(await answers(service))) {
    if (performance.now() > giveUpAt)
      throw new Error(`The service was not started again:\n${service.output()}`)
    await pause(50)
  }
  return service
}

async function answers({ origin }: StartedService): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/api/v1/openapi.json`, { signal: AbortSignal.timeout(2_000) })
    await response.text()
    return response.status === 200
  } catch {
    return false
  }
}

function assertProper({ improper }: LoadOutcome): void {
  assert.deepEqual(
    improper.slice(0, 3),
    [],
    `${improper.length} answers are neither receipts nor proper failures`,
  )
}

/** Every receipt has its row with the posted values, and no post made two rows. */
function assertKept(rows: readonly ApiRow[]): void {
  const bySubmission = new Map(rows.map((row) => [row.submissionId, row]))
  assert.equal(bySubmission.size, rows.length, 'no submission is listed twice')
  const posted = rows.filter((row) => messageOf(row).startsWith('round'))
  const markers = posted.map(messageOf)
  assert.equal(new Set(markers).size, markers.length, 'no post was saved twice')
  const lost = receipts.filter(
    ({ submissionId, marker }) => messageOf(bySubmission.get(submissionId)) !== marker,
  )
  assert.deepEqual(lost.slice(0, 3), [], `${lost.length} of ${receipts.length} receipts have no row`)
  saved = posted.map(({ submissionId }) => String(submissionId))
  totals.unacknowledged = markers.length - receipts.length
}

function messageOf(row: ApiRow | undefined): string {
  const { message } = (row?.answers ?? {}) as Readonly<Record<string, unknown>>
  return typeof message === 'string' ? message : ''
}

/** Each person is one contact, however often their posts were interrupted. */
function assertOneContactEach(rows: readonly ApiRow[]): void {
  const people = rows.map(({ email }) => String(email)).filter((email) => email.startsWith('person'))
  assert.deepEqual([...new Set(people)].sort(), [...people].sort())
}

async function round(number: number, service: StartedService): Promise<StartedService> {
  // The supervisor gives up on a service that ends five times within a minute, so it is asked every other time only.
  const victims = number % 2 === 0 ? 'everything' : 'service'
  const groups = groupsOf(service, victims)
  const load = startLoad(service.origin, `round${number}`)
  const delayMs = Math.round(EARLIEST_MS + draw() * (LATEST_MS - EARLIEST_MS))
  await pause(delayMs)
  for (const group of groups) signalGroup(group, 'SIGKILL')
  await pause(LOAD_AFTER_KILL_MS)
  const outcome = await load.stop()
  receipts.push(...outcome.receipts)
  totals.broken += outcome.broken
  totals.failures += outcome.failures
  const startedAt = performance.now()
  const next = await restarted(service, victims)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const figures = `${outcome.receipts.length} receipts, ${outcome.broken} broken, up again after ${seconds} s`
  await check(`round ${number}: ${victims} killed after ${delayMs} ms (${figures})`, async () => {
    assertProper(outcome)
    assertKept(
      (await walk(next.origin, '/api/v1/forms/demo-contact/submissions?limit=500', next.demoKey)).rows,
    )
    assertOneContactEach((await walk(next.origin, '/api/v1/contacts?limit=500', next.demoKey)).rows)
  })
  return next
}

async function main(): Promise<void> {
  say(`KILL_SEED=${seed} KILL_ROUNDS=${rounds}`)
  let service = await startService({ port, stateDirectory: state })
  for (let number = 1; number <= rounds; number += 1) service = await round(number, service)
  await check('clients got receipts at all', () => {
    assert(receipts.length >= rounds)
  })
  await notificationsArriveOnce({ service, state, saved, check, say })
  await check('the service ends on Ctrl-C', () => service.stop())
  const { broken, failures, unacknowledged } = totals
  say(
    `${receipts.length} receipts, all kept; ${unacknowledged} saved without one; ${broken} posts broken off, ${failures} answered 500`,
  )
  report()
}

await main()
process.exit()
