/**
 * Kills the runtime at random moments, again and again with the same state, while clients post to organizations in the
 * shared database and in databases of their own, and while families move between them. After each restart, the data
 * that the round has touched is compared with what clients were told; at the end all data is. Variables: KILL_ROUNDS
 * (default 30), KILL_MINUTES (no round begins after them) and KILL_SEED.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { prepareLauncher, type KillableService } from '../../support/services/killable-service.ts'
import { issueAdminKey, operatorCall } from '../../support/services/operator/operator-http.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { createDeathCounts } from './death-counts.ts'
import { createFamily, type PlaceKind } from '../moves/fleet.ts'
import { submit, startLoad } from '../load.ts'
import { drawMoment, untilMoment } from './kill-moment.ts'
import { beginMoves, movesEnd } from '../moves/moving-families.ts'
import { notificationsArriveOnce } from './notifications.ts'
import { notifiedSubmissions, readRemains, type Remains } from '../moves/remains.ts'
import { sampled } from '../sampled.ts'
import { assertKept, assertWhole, createTold, type Told } from '../told.ts'
import { assertOnePlaceEach, assertOnePlaceAtMost } from '../moves/writable-places.ts'

const rounds = Number(process.env.KILL_ROUNDS ?? 30)
const minutes = Number(process.env.KILL_MINUTES ?? Infinity)
const seed = Number(process.env.KILL_SEED ?? 20_261_120)

/** Clients continue for a moment after the kill, because real clients do not notice it at once. */
const LOAD_AFTER_KILL_MS = 30
/** The share of the moves that are given up, and the latest time of that after their start. */
const GIVEN_UP = 0.2
const GIVE_UP_WITHIN_MS = 500
/** A move whose process was killed rests until its lease ends, so there are more families than moves at a time. */
const MOVING_MAX = 30
const MOVING = Math.min(MOVING_MAX, 2 * rounds)

const { check, report, say } = createChecks()
const draw = seededRandom(seed)
const state = scratchDirectory()
const launcher = await prepareLauncher(state)
let service = await launcher.start()
const ROOT_SECRET = readStateRecord(state)?.rootSecret ?? ''
const operatorKey = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))
const call = (to: KillableService) => operatorCall(to.origin, operatorKey)
const staying: readonly Told[] = [await family('stays-shared', 'shared'), await family('stays-own', 'own')]
const moving: Told[] = []
const counts = createDeathCounts()

async function family(organizationId: string, place: PlaceKind): Promise<Told> {
  const told = createTold(
    await createFamily({ url: service.origin, call: call(service) }, organizationId, place),
  )
  await assertKept(told, service.origin)
  return told
}

/** The families to move now, and those whose moves a sweep may continue. Clients post to all of them. */
function chosen({ moves }: Remains): { readonly fresh: readonly Told[]; readonly resumed: readonly Told[] } {
  const running = new Set(moves.filter(({ isEnded }) => isEnded === 0).map(({ familyId }) => familyId))
  const isRunning = ({ family: { organizationId } }: Told) => running.has(organizationId)
  const free = moving.filter((told) => !isRunning(told))
  const fresh = free.length === 0 ? [] : [free[Math.floor(draw() * free.length)] as Told]
  return { fresh, resumed: moving.filter(isRunning).slice(0, 2) }
}

async function round(number: number, before: Remains): Promise<Remains> {
  const { fresh, resumed } = chosen(before)
  const touched = [...staying, ...fresh, ...resumed]
  const moment = drawMoment(draw)
  const isGivenUp = moment.kind === 'phase' ? moment.phase === 'aborting' : draw() < GIVEN_UP
  const knownReceipts = touched.map(({ receipts }) => receipts.length)
  const startedMs = Date.now()
  const sweeping = service.fireCron().catch(() => undefined)
  const load = startLoad(
    service.origin,
    `round${number}`,
    touched.map(({ family: { formId } }) => formId),
  )
  const asking = beginMoves(call(service), fresh, before, isGivenUp ? draw() * GIVE_UP_WITHIN_MS : null)
  const killed = await untilMoment(moment, state)
  const posting = load.waiting()
  service.kill()
  await pause(LOAD_AFTER_KILL_MS)
  const outcome = await load.stop()
  await asking
  await Promise.race([sweeping, pause(1_000)])
  const remains = readRemains(state, startedMs)
  const found = counts.add({ posting, outcome, remains })
  for (const receipt of outcome.receipts)
    touched.find(({ family: { formId } }) => formId === receipt.formId)?.receipts.push(receipt)
  await service.dispose()
  service = await launcher.start()
  await check(`round ${number}: killed ${killed}, in ${found}`, async () => {
    assert.deepEqual(sampled(outcome.improper), [], 'answers are neither receipts nor proper failures')
    assertOnePlaceAtMost(remains)
    const comparing = touched.map((told, index) => assertKept(told, service.origin, knownReceipts[index]))
    for (const { reason } of (await Promise.allSettled(comparing)).filter(isRejected)) throw reason
  })
  return remains
}

function isRejected(outcome: PromiseSettledResult<void>): outcome is PromiseRejectedResult {
  return outcome.status === 'rejected'
}

/** Each family accepts one more post in its present place. */
async function assertWritable(): Promise<void> {
  for (const {
    family: { formId },
    receipts,
  } of [...staying, ...moving]) {
    const marker = `last-${formId}`
    const answer = await submit(service.origin, formId, marker, 0)
    assert(answer?.kind === 'receipt', `${formId}: ${JSON.stringify(answer)}`)
    receipts.push({ formId, submissionId: answer.submissionId, marker })
  }
}

async function main(): Promise<void> {
  say(`KILL_SEED=${seed} KILL_ROUNDS=${rounds} KILL_MINUTES=${minutes}`)
  for (let number = 0; number < MOVING; number += 1)
    moving.push(await family(`moves-${number}`, number % 2 === 0 ? 'shared' : 'own'))
  const startedAt = performance.now()
  let remains = readRemains(state, 0)
  let done = 0
  while (done < rounds && performance.now() - startedAt < minutes * 60_000) {
    done += 1
    remains = await round(done, remains)
  }
  const seconds = (performance.now() - startedAt) / 1000
  say(`${done} kills in ${Math.round(seconds)} s, ${(seconds / done).toFixed(1)} s each`)
  const everyone = [...staying, ...moving]
  await check('clients got receipts at all', () => {
    assert(everyone.reduce((sum, { receipts }) => sum + receipts.length, 0) >= done)
  })
  await check('every move that was killed ends by itself', async () => {
    say(`        ${await movesEnd(service, state)}`)
  })
  await check('each family lives in one place, and takes posts there', async () => {
    assertOnePlaceEach(
      readRemains(state, 0),
      everyone.map(({ family: { organizationId } }) => organizationId),
    )
    await assertWritable()
  })
  await check('each family: all receipts, no post twice, one contact each, complete copies', async () => {
    for (const told of everyone) await assertWhole(told, service.origin)
  })
  const saved = everyone.flatMap(({ submissions }) => [...submissions.rows.keys()])
  await notificationsArriveOnce({ service, state, saved, check, say })
  await service.dispose()
  const lines = counts.lines(everyone, readRemains(state, 0), notifiedSubmissions(state))
  for (const line of lines) say(line)
  report()
}

await main()
process.exit()
